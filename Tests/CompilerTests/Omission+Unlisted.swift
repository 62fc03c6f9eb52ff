extension Omission {
  /// The article's statements about language modes that are not in the article's table.
  static let unlisted = [
    Omission(
      name: "An observer on the main queue, by the queue",
      edits: [("observe(on: .main) {", "observe(on: .queue(.main)) {")],
      verdicts: [.error, .error, .error],
      isInTable: false
    ),
    Omission(
      name: "An observer on `.current` that changes a view that is not `@MainActor`",
      edits: [
        ("@MainActor\nfinal class AlbumView", "final class AlbumView"),
        ("observe(on: .main) {", "observe {"),
      ],
      verdicts: [.none, .error, .error],
      isInTable: false
    ),
    Omission(
      name: "A generic struct in a variable",
      addition: """
        struct Page<Node> { let nodes: [Node] }
        func page() { _ = Variable(Page<Badge>(nodes: [])).value }
        """,
      verdicts: [.none, .error, .none]
    ),
    Omission(
      name: "A generic struct whose parameter is `Sendable`",
      addition: """
        struct Page<Node: Sendable> { let nodes: [Node] }
        func page() { _ = Variable(Page<Badge>(nodes: [])).value }
        """,
      verdicts: [.none, .none, .none]
    ),
    Omission(
      name: "Actions on the main actor, or that are structs",
      addition: """
        @MainActor
        class CountingAction: Actionable {
          typealias DispatchStateType = Dispatcher.Album
          private var count = 0
          func clear() {
            count += 1
            invoke(.clear)
          }
        }
        struct ClearingAction: Actionable {
          typealias DispatchStateType = Dispatcher.Album
          func clear() { invoke(.clear) }
        }
        """,
      verdicts: [.none, .none, .none]
    ),
    Omission(
      name: "An isolated model that is only stored and read",
      edits: [
        ("nonisolated struct Badge", "struct Badge"), ("Set<Badge>", "[Badge]"),
        ("_badges.value.insert", "_badges.value.append"), ("badge.title", "badge.name"),
      ],
      verdicts: [.none, .none, .none],
      isInTable: false
    ),
    Omission(
      name: "A function of the module in a reduce",
      edits: [("badge.title", "shout(badge.name)")],
      addition: "func shout(_ text: String) -> String { text.uppercased() }",
      verdicts: [.none, .none, .error],
      isInTable: false
    ),
    Omission(
      name: "A constant of the module in a reduce",
      edits: [("badge.title", "emptyHeadline")],
      addition: #"let emptyHeadline = """#,
      verdicts: [.none, .none, .error],
      isInTable: false
    ),
    Omission(
      name: "A dictionary with an isolated model as its key, in a variable",
      addition: """
        struct Cup: Hashable { let name: String }
        func cups() { _ = Variable<[Cup: Int]>([:]).value }
        """,
      verdicts: [.none, .none, .error]
    ),
    Omission(
      name: "A property of an isolated model in a derived constant",
      addition: """
        struct Cup { let name: String; var title: String { name.uppercased() } }
        func titles(_ cups: Constant<Cup>) { _ = cups.map { $0.title } }
        """,
      verdicts: [.none, .none, .error]
    ),
    Omission(
      name: "An isolated conformance in a derived constant",
      addition: """
        struct Cup: Equatable { let name: String }
        func changes(_ cups: Constant<Cup>) { _ = cups.removeDuplicates() }
        """,
      verdicts: [.none, .none, .error]
    ),
  ]

  /// Creates an omission that only adds code. The article on Swift 6 does not show this code.
  private init(name: String, addition: String, verdicts: [Verdict]) {
    self.init(name: name, edits: [], addition: addition, verdicts: verdicts, isInTable: false)
  }
}
