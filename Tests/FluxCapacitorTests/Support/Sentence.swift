import Testing

/// Checks that an exit test's standard error contains each of the strings.
func expectSentence(
  in result: ExitTest.Result?,
  _ parts: String...,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let printed = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  for part in parts {
    #expect(printed.contains(part), sourceLocation: sourceLocation)
  }
}
