// Targets of bindings.

@MainActor
final class BoundView {
  var count = 0
  var text: String?
}

/// A class that only the main actor uses, although it isn't isolated to the main actor.
final class BoundModel {
  var count = 0
}

/// Only the promise under test guards it: calls of one observer never overlap.
final class BoundTarget: @unchecked Sendable {
  var count = 0
  var optional: Int?
  var closure = 0
}
