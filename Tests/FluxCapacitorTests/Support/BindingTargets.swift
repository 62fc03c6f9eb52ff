// What values are bound to.

@MainActor
final class BoundView {
  var count = 0
  var text: String?
}

/// What only the main actor uses, though nothing says so.
final class BoundModel {
  var count = 0
}

/// Guarded by the promise under test: calls to one observer never overlap.
final class BoundTarget: @unchecked Sendable {
  var count = 0
  var optional: Int?
  var closure = 0
}
