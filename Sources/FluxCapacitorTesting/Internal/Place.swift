import FluxCapacitor
import FluxCapacitorDebugging
import Testing

#if canImport(XCTest)
  import XCTest
#endif

/// The location of an expectation in the source code.
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

  /// Returns whether the states that this thread invokes wait, so that an expectation can't see them. If so, fails the test.
  func failsInsideAReduce() -> Bool {
    guard Dispatcher.defersStates else { return false }
    fail(
      "A state that is invoked here waits for the end of a reduce, a modify or a read. Invoke it outside."
    )
    return true
  }

  /// Fails the current test of Swift Testing or XCTest.
  func fail(_ sentence: String) {
    let sentence = sentence.withoutControls
    #if canImport(XCTest)
      // Outside an XCTest test, `XCTFail` has no effect.
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
