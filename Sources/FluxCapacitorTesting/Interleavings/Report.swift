#if DEBUG
  import FluxCapacitor
  import Foundation

  #if os(Linux) || os(macOS)
    import Runtime
  #endif

  /// What a failure says of the schedule that it was found in.
  struct Report {
    let run: ScheduleRun

    /// How many steps it names, the last ones: a schedule that does not end has thousands.
    private static let mostSteps = 80

    func text(_ failure: String, number: Int) -> String {
      var lines = ["Schedule \(number) fails: \(failure)", ""]
      let left = max(0, run.details.count - Report.mostSteps)
      if left > 0 { lines += ["… \(left) steps", ""] }
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
      case .yield: "lets others go on"
      }
    }
  }

  /// Who called whom as a step was made, if the system can tell.
  struct CallStack {
    #if os(Linux) || os(macOS)
      /// The addresses that the calls return to, the innermost first.
      private let addresses = Thread.callStackReturnAddresses.map(\.uint64Value)

      /// Finds the places of some steps in the library and in the scenario, as in `Cell.swift:46
      /// Channel.read(), from CounterTests.swift:12`.
      static func places(of stacks: [CallStack]) -> [String] {
        guard #available(macOS 26, *) else { return stacks.map { _ in "" } }
        let frames = symbolicated(Set(stacks.lazy.flatMap(\.addresses)))
        return stacks.map { stack in place(of: stack.addresses.flatMap { frames[$0] ?? [] }) }
      }

      /// Looks all addresses up at once: to look up one takes as long, a fifth of a second.
      ///
      /// A `Backtrace` of them can't be made, but decoded: its format is one of the documents of the
      /// toolchain, `CompactBacktraceFormat`. If it is another here, no places are found.
      @available(macOS 26, *)
      private static func symbolicated(
        _ addresses: Set<UInt64>
      ) -> [UInt64: [SymbolicatedBacktrace.Frame]] {
        // The width of addresses; then, for each return address, its number of bytes, and what is added to
        // the one before.
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
          // That of the call is one less.
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

      /// Whether it is between a place in the library, or in the scenario, and what makes up the step.
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
