import Testing

/// Expects that a process that trapped has printed each part of a sentence.
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
