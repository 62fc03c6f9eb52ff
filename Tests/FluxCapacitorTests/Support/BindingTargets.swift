@MainActor
final class BoundView {
  var count = 0
  var text: String?
}

/// A class that is neither `Sendable` nor isolated to an actor.
final class BoundModel {
  var count = 0
}

/// `@unchecked Sendable` is safe because calls of one observer never overlap.
final class BoundTarget: @unchecked Sendable {
  var count = 0
  var optional: Int?
  var closure = 0
}
