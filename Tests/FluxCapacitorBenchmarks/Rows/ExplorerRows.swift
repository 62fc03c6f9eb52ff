import FluxCapacitor
import FluxCapacitorDebugging
import Foundation

/// Returns the rows for the explorer's page in a browser, or nothing if this machine has no browser.
///
/// The page has 10,000 dispatches, each of which changes a row in a list of 10,000 rows. A step selects the next
/// dispatch, and ends after the browser's layout. The floor replaces a single text.
func explorerRows() -> [Row] {
  guard let browser = StepsInBrowser.installedBrowser else {
    let reason = "Steps on the explorer's page are not measured: chromium is not installed."
    FileHandle.standardError.write(Data("\(reason)\n".utf8))
    return []
  }
  let steps = StepsInBrowser(browser)
  return [
    Row(
      "step on the explorer's page",
      atMost: 50_000_000,
      floor: { steps.results.floor },
      ours: { steps.results.ours }
    )
  ]
}

/// Measures the steps in a headless Chromium.
private final class StepsInBrowser {
  struct Results: Decodable {
    /// The nanoseconds of each step.
    let floor: [Double]
    let ours: [Double]
  }

  static let installedBrowser = ["/usr/bin/chromium", "/usr/bin/chromium-browser"]
    .first(where: FileManager.default.isExecutableFile)

  private let browser: String

  /// The results of the only measurement. A failed measurement has infinite results.
  private(set) lazy var results =
    (try? measure()) ?? Results(floor: [.infinity], ours: [.infinity])

  init(_ browser: String) {
    self.browser = browser
  }

  private func measure() throws -> Results {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "flow.html")
    try Data((page() + script).utf8).write(to: file)
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: browser)
    process.arguments = [
      "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,860", "--dump-dom",
      "--user-data-dir=\(folder.appending(path: "profile").path)", file.absoluteString,
    ]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let start = text.range(of: #"<pre id="results">"#, options: .backwards)
    let json = start.map { text[$0.upperBound...].prefix { $0 != "<" } } ?? ""
    return try JSONDecoder().decode(Results.self, from: Data(json.utf8))
  }

  private func page() -> String {
    let dispatcher = Dispatcher()
    let store = withDispatcher(dispatcher) { ListStore.instantiate() }
    let circuits = TimeCircuits(dispatcher, limits: .init(bytes: .max))
    // The dispatches share a few lists, because the history keeps each list.
    var lists = [(0..<10_000).map { ListedRow(id: $0, title: "Row \($0)") }]
    for place in 0..<50 {
      lists.append(lists[place])
      lists[place + 1][place * 200].title = "Changed row \(place)"
    }
    for number in 0..<10_000 {
      dispatcher.dispatch(ListState.put(lists[abs(number % 100 - 50)]))
    }
    return withExtendedLifetime(store) { FlowExplorer(circuits).html }
  }

  /// The table is open during the steps.
  private let script = """
    <pre id="results"></pre><script>
    const measured = (count, step) => Array.from({ length: 50 }, () => {
      const start = performance.now();
      for (let number = 0; number < count; number += 1) {
        step(number);
        document.body.offsetHeight;
      }
      return (performance.now() - start) * 1e6 / count;
    });
    const output = document.getElementById("results");
    select(all[5_000]);
    document.querySelector("#stores .variable > .line").click();
    document.activeElement.blur();
    // A single text takes less time than the clock's resolution.
    const floor = measured(100, (number) => { output.textContent = number; });
    const ours = measured(1, () => {
      dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", cancelable: true }));
    });
    output.textContent = selected === all[5_050] ? JSON.stringify({ floor, ours }) : "";
    </script>
    """
}

private struct ListedRow: Identifiable, Equatable {
  let id: Int
  var title: String
  var isDone = false
}

private enum ListState: DispatchState {
  typealias RelatedStoreType = ListStore

  case put([ListedRow])
}

private final class ListStore: Storable {
  private let rows = Variable<[ListedRow]>([])

  func reduce(with state: ListState) {
    switch state {
    case .put(let rows): self.rows.value = rows
    }
  }
}
