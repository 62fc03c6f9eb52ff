#if DEBUG
  import FluxCapacitor
  import Foundation

  #if os(Linux) || os(macOS)
    import Runtime
  #endif

  /// The message of a failure, which lists the steps of the schedule.
  struct Report {
    let run: ScheduleRun

    /// The maximum number of steps in a report, because an endless schedule has thousands of steps.
    private static let mostSteps = 80

    func text(_ failure: String, number: Int) -> String {
      var lines = ["Schedule \(number) fails: \(failure)", ""]
      let left = max(0, run.details.count - Report.mostSteps)
      if left > 0 { lines += ["… \(left) earlier steps", ""] }
      var last: ScenarioThread?
      let details = run.details[left...]
      let places = CallStack.places(of: details.map(\.calls))
      for ((thread, step, _), place) in zip(details, places) {
        if thread !== last { lines.append("\(thread.name):") }
        last = thread
        lines.append("  \(Report.describe(step))\(place.isEmpty ? "" : " at " + place)")
      }
      lines.append("")
      lines.append("To run it again: everyInterleaving(replaying: \"\(Schedule(of: run.trace))\")")
      return lines.joined(separator: "\n")
    }

    private static func describe(_ step: ScheduledStep?) -> String {
      switch step {
      case nil: "begins"
      case .lock: "locks"
      case .tryLock: "tries to lock"
      case .unlocked: "has unlocked"
      case .read: "reads"
      case .write: "writes"
      case .yield: "lets other threads continue"
      }
    }
  }

  /// The call stack of a step, on systems that can capture call stacks.
  struct CallStack {
    #if os(Linux) || os(macOS)
      /// The return addresses of the calls, starting with the innermost call.
      private let addresses = Thread.callStackReturnAddresses.map(\.uint64Value)

      /// Returns the source locations of steps, such as `Cell.swift:46 Channel.read(), from
      /// CounterTests.swift:12`.
      static func places(of stacks: [CallStack]) -> [String] {
        guard #available(macOS 26, *) else { return stacks.map { _ in "" } }
        let frames = symbolicated(Set(stacks.lazy.flatMap(\.addresses)))
        return stacks.map { stack in place(of: stack.addresses.flatMap { frames[$0] ?? [] }) }
      }

      /// Looks up all addresses at once, which takes as long as looking up a single address.
      ///
      /// No initializer creates a `Backtrace` from addresses, so this method decodes a `Backtrace` from an
      /// encoded form. The toolchain's document `CompactBacktraceFormat` describes the encoded form. If the
      /// system uses a different format, the report has no locations.
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

      @available(macOS 26, *)
      private static func place(of frames: [SymbolicatedBacktrace.Frame]) -> String {
        var places: [String] = []
        for frame in frames {
          guard let symbol = frame.symbol, let location = symbol.sourceLocation, location.line > 0,
            !isBetween(location.path)
          else { continue }
          let isOfLibrary = location.path.hasPrefix(library)
          let file = location.path.split(separator: "/").last ?? ""
          if isOfLibrary, places.isEmpty {
            places.append("\(file):\(location.line) \(symbol.name)")
          } else if !isOfLibrary {
            places.append("\(file):\(location.line)")
            break
          }
        }
        return places.joined(separator: ", from ")
      }

      @available(macOS 26, *)
      private static let images = ImageMap.capture()

      private static let sources = String(#filePath).replacing(
        /FluxCapacitorTesting.Interleavings.*/,
        with: ""
      )
      private static let library = sources + "FluxCapacitor/"

      /// Whether a file contains the code that performs the steps of a schedule. A report skips
      /// such files, and names their callers.
      private static func isBetween(_ path: String) -> Bool {
        !path.hasSuffix(".swift") || path.hasSuffix("/Lock.swift")
          || path.hasSuffix("/ScheduledThread.swift") || path.hasSuffix("/ScheduledAtomic.swift")
          || path.hasPrefix(sources + "FluxCapacitorTesting/Interleavings")
      }
    #else
      static func places(of stacks: [CallStack]) -> [String] { stacks.map { _ in "" } }
    #endif
  }
#endif
