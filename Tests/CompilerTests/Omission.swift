/// The most severe diagnostic that the compiler reports for a file.
enum Verdict: String {
  case none = "–"
  case warning
  case error
}

/// An edit that omits a part of the article's code, and the compiler's verdicts on the edited code.
///
/// The three verdicts are for Swift 5 mode, for Swift 6 mode, and for Swift 6 mode with the main actor as the
/// default isolation.
struct Omission {
  static let file = "Tests/CompilerTests/LanguageModeSnippets.swift"

  struct IsNowhere: Error {
    let text: String
  }

  let name: String
  let edits: [(old: String, new: String)]

  /// The code that the edit appends to the file.
  var addition = ""
  let verdicts: [Verdict]
  var sentence: String?
  var isInTable = true

  /// The row of this omission in the article's table.
  var row: String? {
    isInTable ? "| \(name) | " + verdicts.map(\.rawValue).joined(separator: " | ") + " |" : nil
  }

  func made(in text: String) throws -> String {
    let edited = try edits.reduce(text) { text, edit in
      guard text.contains(edit.old) else { throw IsNowhere(text: edit.old) }
      return text.replacing(edit.old, with: edit.new)
    }
    return edited + addition
  }

  static let nothing = Omission(
    name: "Nothing",
    edits: [],
    verdicts: [.none, .none, .none],
    isInTable: false
  )

  static let all = stores + [publicStruct] + views + actions + models + isolation + unlisted

  private static let crossing =
    "error: conformance of 'AlbumStore' to protocol 'Storable' crosses into main actor-isolated "
    + "code and can cause data races"

  private static let stores = [
    Omission(
      name: "Store that is not final",
      edits: [
        ("final class AlbumStore", "class AlbumStore"),
        ("  private let _badges", "  required init() {}\n  private let _badges"),
      ],
      verdicts: [.warning, .error, .error],
      sentence: "error: non-final class 'AlbumStore' cannot conform to the 'Sendable' protocol"
    ),
    Omission(
      name: "Store with a `var`",
      edits: [("  var headline:", "  var awards = 0\n  var headline:")],
      verdicts: [.warning, .error, .error],
      sentence: "error: stored property 'awards' of 'Sendable'-conforming class 'AlbumStore' is "
        + "mutable"
    ),
    Omission(
      name: "Store that is `@MainActor`",
      edits: [("final class AlbumStore", "@MainActor\nfinal class AlbumStore")],
      verdicts: [.warning, .error, .error],
      sentence: crossing
    ),
  ]

  private static let publicStruct = Omission(
    name: "Public struct in a state",
    edits: [("nonisolated struct Badge", "nonisolated public struct Badge")],
    verdicts: [.warning, .error, .error],
    sentence: "error: associated value 'award' of 'Sendable'-conforming enum 'Album' has "
      + "non-Sendable type 'Badge'"
  )

  private static let notFromAClosure =
    "error: main actor-isolated property 'title' can not be mutated from a Sendable closure"

  private static let views = [
    Omission(
      name: "Observer on `.current` that changes a view",
      edits: [("observe(on: .main) {", "observe {")],
      verdicts: [.error, .error, .error],
      sentence: notFromAClosure
    ),
    Omission(
      name: "View that is not `@MainActor`",
      edits: [("@MainActor\nfinal class AlbumView", "final class AlbumView")],
      verdicts: [.none, .error, .none],
      sentence: "error: sending 'self' risks causing data races"
    ),
  ]

  private static let actions = [
    Omission(
      name: "Action that is not final",
      edits: [("final class AlbumAction", "class AlbumAction")],
      verdicts: [.none, .error, .error],
      sentence: "error: non-final class 'AlbumAction' cannot conform to the 'Sendable' protocol"
    ),
    Omission(
      name: "Action with a `var`",
      edits: [("  private let service:", "  private var fetches = 0\n  private let service:")],
      verdicts: [.none, .warning, .warning],
      sentence: "warning: stored property 'fetches' of 'Sendable'-conforming class 'AlbumAction' "
        + "is mutable"
    ),
    Omission(
      name: "Action with a service that is not `Sendable`",
      edits: [("protocol AlbumService: Sendable", "protocol AlbumService")],
      verdicts: [.none, .warning, .warning],
      sentence: "warning: stored property 'service' of 'Sendable'-conforming class 'AlbumAction' "
        + "has non-Sendable type 'any AlbumService'"
    ),
    Omission(
      name: "Completion handler that is not `@Sendable`",
      edits: [("@escaping @Sendable", "@escaping")],
      verdicts: [.none, .error, .error],
      sentence: "error: capture of 'completion' with non-Sendable type "
        + "'(Result<Badge, any Error>) -> Void' in a '@Sendable' closure"
    ),
  ]

  private static let isolatedBadge = (old: "nonisolated struct Badge", new: "struct Badge")

  /// The edits that replace a set with an array, because the compiler would report only the set.
  private static let array = [
    (old: "Set<Badge>", new: "[Badge]"), (old: "_badges.value.insert", new: "_badges.value.append"),
  ]

  private static let models = [
    Omission(
      name: "Property of an isolated model in a reduce",
      edits: [isolatedBadge] + array,
      verdicts: [.none, .none, .error],
      sentence: "error: main actor-isolated property 'title' can not be referenced from a "
        + "nonisolated context"
    ),
    Omission(
      name: "Operator of an isolated model in a reduce",
      edits: [isolatedBadge] + array + [("badge.title", #"badge == badge ? "" : badge.name"#)],
      verdicts: [.none, .none, .error],
      sentence: "error: main actor-isolated conformance of 'Badge' to 'Equatable' cannot be used "
        + "in nonisolated context"
    ),
    Omission(
      name: "Set of an isolated model in a variable",
      edits: [isolatedBadge],
      verdicts: [.none, .none, .error],
      sentence: "error: main actor-isolated conformance of 'Badge' to 'Hashable' cannot satisfy "
        + "conformance requirement for a 'Sendable' type parameter 'Element'"
    ),
  ]

  private static let isolation = [
    Omission(
      name: "Store that conforms in an extension",
      edits: [
        ("final class AlbumStore: Storable", "final class AlbumStore"),
        (
          "  func reduce(with state: Dispatcher.Album) {\n    switch",
          "}\nextension AlbumStore: Storable {\n"
            + "  func reduce(with state: Dispatcher.Album) {\n    switch"
        ),
      ],
      verdicts: [.none, .none, .error],
      sentence: crossing
    ),
    Omission(
      name: "Subclass of a store that is not `nonisolated`",
      edits: [("nonisolated final class", "final class")],
      verdicts: [.none, .none, .error],
      sentence: "error: main actor-isolated instance method 'reduce(with:)' has different actor "
        + "isolation from nonisolated overridden declaration"
    ),
    Omission(
      name: "Action that uses an isolated service",
      edits: [("@MainActor\nfinal class ShelfAction", "final class ShelfAction")],
      verdicts: [.none, .warning, .error],
      sentence: "error: call to main actor-isolated instance method 'put' in a synchronous "
        + "nonisolated context"
    ),
  ]
}
