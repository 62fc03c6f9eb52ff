import Testing

#if canImport(XCTest)
  import XCTest
#endif

/// The location of an expectation in the source.
struct Place: Sendable {
  let fileID: StaticString
  let filePath: StaticString
  let line: UInt
  let column: UInt

  init(_ fileID: StaticString, _ filePath: StaticString, _ line: UInt, _ column: UInt) {
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
    self.column = column
  }

  /// Fails the current test, which may be a test of Swift Testing or of XCTest.
  func fail(_ sentence: String) {
    #if canImport(XCTest)
      // Outside of an XCTest test, `XCTFail` does nothing.
      if Test.current == nil { XCTFail(sentence, file: filePath, line: line) }
    #endif
    Issue.record(
      Comment(rawValue: sentence),
      sourceLocation: SourceLocation(
        fileID: "\(fileID)",
        filePath: "\(filePath)",
        line: Int(line),
        column: Int(column)
      )
    )
  }
}
