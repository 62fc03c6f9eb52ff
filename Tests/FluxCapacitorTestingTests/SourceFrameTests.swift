#if DEBUG && os(Linux)
  @testable import FluxCapacitorTesting
  import Foundation
  import Testing

  @Suite(.timeLimit(.minutes(20)))
  struct SourceFrameTests {
    private let addresses = Set(Thread.callStackReturnAddresses.map(\.uint64Value))

    @Test func framesNameTheFunctionAndTheLineOfACall() throws {
      let line = #line + 1
      let call = addressOfThisCall()

      let address = try #require(call)
      let frame = try #require(SourceFrame.frames(of: [address])[address]?.first)

      #expect(frame.function == "SourceFrameTests.framesNameTheFunctionAndTheLineOfACall()")
      #expect(frame.path == #filePath)
      #expect(frame.line == line)
    }

    @inline(never) private func addressOfThisCall() -> UInt64? {
      // The first address is in Foundation, the second one in this function, and the third one in its caller.
      Thread.callStackReturnAddresses.dropFirst(2).first?.uint64Value
    }

    @Test func runtimeFindsTheSameFramesAsTheToolchain() throws {
      let frames = try #require(SourceFrame.framesFromTheToolchain(of: addresses))
      let others = SourceFrame.framesFromTheRuntime(of: addresses)

      for address in addresses {
        #expect(swiftLines(others[address]) == swiftLines(frames[address]))
      }
      #expect(others.values.joined().contains { $0.path == #filePath })
    }

    /// The frames with lines of Swift code. A tool can also find the lines of C functions.
    private func swiftLines(_ frames: [SourceFrame]?) -> [SourceFrame] {
      (frames ?? []).filter { $0.line > 0 && $0.path.hasSuffix(".swift") }
    }
  }
#endif
