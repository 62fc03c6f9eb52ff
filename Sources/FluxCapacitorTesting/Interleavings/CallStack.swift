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
      case user(UserLine)

      /// A function of the libraries, such as `Channel.read() at ValueChannel.swift:46`.
      case library(String)
    }

    /// The location of each address that has one. A call that contains inlined calls has the innermost
    /// call's location.
    private var locations: [UInt64: Location] = [:]

    /// The user's innermost line at each address, including the lines that contain inlined calls.
    private var userLines: [UInt64: UserLine] = [:]

    init(of stacks: [CallStack]) {
      let addresses = Set(stacks.lazy.flatMap(\.addresses))
      let frames = SourceFrame.frames(
        of: addresses.union(addresses.lazy.map(SourceMap.addressBefore))
      )
      for (address, calls) in frames where addresses.contains(address) {
        let before = frames[SourceMap.addressBefore(address)] ?? []
        for call in calls.reversed() {
          let location =
            SourceMap.location(of: call)
            ?? before.first { $0.function == call.function }.flatMap(SourceMap.location)
          guard let location else { continue }
          locations[address] = location
          if case .user(let line) = location { userLines[address] = line }
        }
      }
    }

    /// Returns the innermost location in the libraries that is not outside the user's innermost line.
    func libraryPlace(in addresses: [UInt64]) -> String? {
      guard case .library(let place)? = addresses.lazy.compactMap({ locations[$0] }).first else {
        return nil
      }
      return place
    }

    /// Returns the user's innermost line.
    func userLine(in addresses: [UInt64]) -> UserLine? {
      addresses.lazy.compactMap { userLines[$0] }.first
    }

    func isUserLine(_ address: UInt64) -> Bool { userLines[address] != nil }

    /// Returns whether an address is in one of the libraries or in the user's code, but not in the code
    /// that performs the steps of a schedule.
    func isKnown(_ address: UInt64) -> Bool { locations[address] != nil }

    /// Returns an address before a call. The compiler gives some calls in the middle of a line the line
    /// zero, such as the calls that change a property in place.
    private static func addressBefore(_ address: UInt64) -> UInt64 {
      // A call has at most five bytes.
      address &- 5
    }

    private static func location(of frame: SourceFrame) -> Location? {
      guard frame.line > 0, !isBetween(frame.path) else { return nil }
      guard frame.path.hasPrefix(libraries) else {
        return .user(UserLine(path: frame.path, number: frame.line))
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
        || path.hasSuffix("/ScheduledThread.swift")
        || path.hasPrefix(libraries + "Testing/Interleavings")
    }
  }
#endif
