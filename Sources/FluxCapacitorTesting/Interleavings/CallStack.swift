#if DEBUG
  import Foundation

  #if os(Linux) || os(macOS)
    import Runtime
  #endif

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
      #if os(Linux) || os(macOS)
        guard #available(macOS 26, *) else { return }
        let addresses = Set(stacks.lazy.flatMap(\.addresses))
        let frames = SourceMap.symbolicated(
          addresses.union(addresses.lazy.map(SourceMap.addressBefore))
        )
        for address in addresses {
          let before = frames[SourceMap.addressBefore(address)] ?? []
          locations[address] = frames[address]?
            .compactMap { frame in
              SourceMap.location(of: frame)
                ?? before.first { $0.symbol?.name == frame.symbol?.name }
                .flatMap(SourceMap.location)
            }
        }
      #endif
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

    #if os(Linux) || os(macOS)
      /// Looks up all addresses at once, which takes as long as looking up a single address.
      ///
      /// No initializer creates a `Backtrace` from addresses, so this method decodes a `Backtrace` from an
      /// encoded form. If a future runtime decodes other forms, a report contains no source locations.
      @available(macOS 26, *)
      private static func symbolicated(
        _ addresses: Set<UInt64>
      ) -> [UInt64: [SymbolicatedBacktrace.Frame]] {
        // The encoded form begins with the width of an address. Each address is encoded as a number of
        // bytes and the difference from the previous address.
        var bytes: [UInt8] = [2]
        var last: UInt64 = 0
        for address in addresses {
          bytes.append(0x20 | 7)
          withUnsafeBytes(of: (address &- last).bigEndian) { bytes += $0 }
          last = address
        }
        guard let example = try? Backtrace.capture(limit: 1, images: images),
          var fields = try? JSONDecoder().decode(
            [String: String].self,
            from: JSONEncoder().encode(example)
          )
        else { return [:] }
        fields["backtrace"] = Data(bytes).base64EncodedString().replacing("=", with: "")
        guard let encoded = try? JSONEncoder().encode(fields),
          let all = try? JSONDecoder().decode(Backtrace.self, from: encoded)
        else { return [:] }
        return Dictionary(grouping: all.symbolicated(with: images)?.frames ?? []) { frame in
          // The original program counter is the return address, and the call's program counter is one less.
          UInt64(frame.captured.originalProgramCounter) ?? 0
        }
      }

      /// Returns an address before a call. The compiler gives some calls in the middle of a line the line
      /// zero, such as the calls that change a property in place.
      private static func addressBefore(_ address: UInt64) -> UInt64 {
        // A call has at most five bytes.
        address &- 5
      }

      @available(macOS 26, *)
      private static func location(of frame: SymbolicatedBacktrace.Frame) -> Location? {
        guard let symbol = frame.symbol, let source = symbol.sourceLocation, source.line > 0,
          !isBetween(source.path)
        else { return nil }
        guard source.path.hasPrefix(libraries) else {
          return .user(path: source.path, line: source.line)
        }
        let file = source.path.split(separator: "/").last ?? ""
        return .library("\(symbol.name) at \(file):\(source.line)")
      }

      @available(macOS 26, *)
      private static let images = ImageMap.capture()

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
    #endif
  }
#endif
