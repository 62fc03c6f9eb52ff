import FluxCapacitorPersistence

extension KeeperFailure {
  /// A sentence for the user. The advice in the failure's `description` is for developers.
  package var reason: String { (failureReason ?? description).harmless }

  /// Whether the file has been damaged, edited wrongly or deleted, so that only the previous state is left.
  var isDamage: Bool {
    switch cause {
    case .damaged, .fileMissing, .refused: true
    default: false
    }
  }
}
