#if DEBUG
  import Foundation

  /// The message of a failure, which describes the schedule in the words of the library's users.
  struct Report {
    let run: ScheduleRun

    /// The maximum number of passages in a report, because an endless schedule has thousands of passages.
    private static let mostPassages = 40

    private static let mostCharacters = 80

    private let passages: [Passage]
    private let names: [Operation.Object: String]

    init(run: ScheduleRun) {
      self.run = run
      let recording = run.recording ?? ScheduleRecording()
      passages = PassageFinder(of: recording).passages
      names = Report.names(
        of: passages.compactMap { $0.first.operation?.operation.object },
        recording
      )
    }

    func text(_ failure: String, number: Int) -> String {
      var lines = ["Schedule \(number) fails: \(failure)", ""]
      let left = max(0, passages.count - Report.mostPassages)
      if left > 0 { lines += ["… \(left) earlier lines", ""] }
      var last: Passage?
      for passage in passages[left...] {
        let isNewThread = passage.first.thread !== last?.first.thread
        if isNewThread { lines.append("\(Report.name(of: passage.first.thread)):") }
        if let line = passage.first.line, isNewThread || line != last?.first.line {
          lines.append("  \(Report.describe(line))")
        }
        lines.append("\(passage.first.line == nil ? "  " : "    ")\(describe(passage))")
        last = passage
      }
      lines.append("")
      lines.append("To run it again: everyInterleaving(replaying: \"\(Schedule(of: run.trace))\")")
      return lines.joined(separator: "\n")
    }

    /// Returns a line of the user's code with its text, such as `CounterTests.swift:12: count.value = 1`.
    private static func describe(_ line: UserLine) -> String {
      let place = "\(line.path.split(separator: "/").last ?? ""):\(line.number)"
      guard let file = try? String(contentsOfFile: line.path, encoding: .utf8) else { return place }
      let lines = file.split(separator: "\n", omittingEmptySubsequences: false)
      guard lines.indices.contains(line.number - 1) else { return place }
      let text = lines[line.number - 1].trimmingCharacters(in: .whitespaces)
      return text.count <= mostCharacters
        ? "\(place): \(text)" : "\(place): \(text.prefix(mostCharacters - 1))…"
    }

    /// Returns the name of a thread. The name of a task's job contains the number that stands for the job in
    /// the schedule.
    private static func name(of thread: ScenarioThread) -> String {
      !thread.role.isJob ? thread.name : "\(thread.name) (\(thread.number))"
    }

    private func describe(_ passage: Passage) -> String {
      if let text = passage.first.text { return text }
      let count = passage.steps == 1 ? "1 step" : "\(passage.steps.withCommas) steps"
      let place = passage.first.place.map { "\($0), \(count)" } ?? count
      guard let operation = passage.first.operation?.operation else {
        return passage.reasonToWait ?? place
      }
      var text = (passage.first.isContinued ? "continues: " : "") + operation.verb
      if let object = operation.object {
        text += " \(names[object] ?? "")"
      } else if text.hasSuffix(" of") {
        text.removeLast(3)
      }
      if let value = passage.value { text += Report.link(operation) + value }
      if passage.repetitions > 1 { text += ", \(passage.repetitions.withCommas) times" }
      return passage.reasonToWait.map { "\(text), but \($0)" } ?? "\(text) (\(place))"
    }

    /// The text between an operation's object and its value.
    private static func link(_ operation: Operation) -> String {
      switch operation.verb {
      case "sets", "changes": " to "
      case "invokes": " "
      default: ": "
      }
    }

    private static func names(
      of objects: [Operation.Object],
      _ recording: ScheduleRecording
    ) -> [Operation.Object: String] {
      var names: [Operation.Object: String] = [:]
      for (name, objects) in Dictionary(grouping: Set(objects), by: recording.name) {
        for object in objects {
          names[object] = objects.count == 1 ? name : recording.longName(of: object)
        }
      }
      // Several variables without names are numbered in the order of their first use.
      let counts = Dictionary(grouping: names.values) { $0 }.mapValues(\.count)
      var numbers: [String: Int] = [:]
      var isNumbered: Set<Operation.Object> = []
      for object in objects where isNumbered.insert(object).inserted {
        guard let name = names[object], counts[name, default: 1] > 1 else { continue }
        numbers[name, default: 0] += 1
        names[object] = "\(name.trimmingPrefix("a ")) \(numbers[name, default: 1])"
      }
      return names
    }
  }
#endif
