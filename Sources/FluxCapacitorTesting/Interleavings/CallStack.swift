#if DEBUG
  import Foundation

  /// The call stack of a step, on systems that can capture call stacks.
  struct CallStack {
    #if os(Linux) || os(macOS)
      /// The return addresses of the calls, starting with the innermost call.
      let addresses = Thread.callStackReturnAddresses.map(\.uint64Value)
    #else
      let addresses: [UInt64] = []
    #endif
  }

  /// The source locations of the addresses in call stacks, on systems that can find them.
  struct SourceMap {
    /// The location of a call.
    enum Location: Equatable {
      /// A line of the test or of the application.
      case user(path: String, line: Int)

      /// A function of the libraries, such as `Channel.read() at ValueChannel.swift:46`.
      case library(String)
    }

    /// The locations of each address, starting with the innermost inlined call.
    private var locations: [UInt64: [Location]] = [:]

    init(of stacks: [CallStack]) {
      let addresses = Set(stacks.lazy.flatMap(\.addresses))
      let frames = SourceFrame.frames(
        of: addresses.union(addresses.lazy.map(SourceMap.addressBefore))
      )
      for address in addresses {
        let before = frames[SourceMap.addressBefore(address)] ?? []
        locations[address] = frames[address]?
          .compactMap { frame in
            SourceMap.location(of: frame)
              ?? before.first { $0.function == frame.function }.flatMap(SourceMap.location)
          }
      }
    }

    /// Returns the innermost location in the libraries that is not outside the user's innermost line.
    func libraryPlace(in addresses: some Sequence<UInt64>) -> String? {
      for location in all(addresses) {
        guard case .library(let place) = location else { return nil }
        return place
      }
      return nil
    }

    /// Returns the user's innermost line.
    func userLine(in addresses: some Sequence<UInt64>) -> (path: String, line: Int)? {
      for case .user(let path, let line) in all(addresses) { return (path, line) }
      return nil
    }

    func isUserLine(_ address: UInt64) -> Bool { userLine(in: CollectionOfOne(address)) != nil }

    /// Returns whether an address is in one of the libraries or in the user's code, but not in the code
    /// that performs the steps of a schedule.
    func isKnown(_ address: UInt64) -> Bool { locations[address]?.isEmpty == false }

    private func all(_ addresses: some Sequence<UInt64>) -> some Sequence<Location> {
      addresses.lazy.flatMap { locations[$0] ?? [] }
    }

    /// Returns an address before a call. The compiler gives some calls in the middle of a line the line
    /// zero, such as the calls that change a property in place.
    private static func addressBefore(_ address: UInt64) -> UInt64 {
      // A call has at most five bytes.
      address &- 5
    }

    private static func location(of frame: SourceFrame) -> Location? {
      guard frame.line > 0, !isBetween(frame.path) else { return nil }
      guard frame.path.hasPrefix(libraries) else {
        return .user(path: frame.path, line: frame.line)
      }
      let file = frame.path.split(separator: "/").last ?? ""
      return .library("\(frame.function) at \(file):\(frame.line)")
    }

    private static let libraries = String(#filePath).replacing(
      /FluxCapacitorTesting.Interleavings.*/,
      with: "FluxCapacitor"
    )

    /// Whether a file contains the code that performs the steps of a schedule. A report skips
    /// such files, and names their callers.
    private static func isBetween(_ path: String) -> Bool {
      !path.hasSuffix(".swift") || path.hasSuffix("/Lock.swift")
        || path.hasSuffix("/ScheduledThread.swift") || path.hasSuffix("/ScheduledAtomic.swift")
        || path.hasPrefix(libraries + "Testing/Interleavings")
    }
  }
#endif
