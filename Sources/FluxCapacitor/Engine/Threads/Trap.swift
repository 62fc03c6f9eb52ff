/// Ends the process because of a programming error. The first sentence of the message names the types
/// involved, and the second sentence suggests a remedy.
///
/// A `precondition` loses its message in optimized builds, where such an error is hardest to find.
@usableFromInline package func trap(_ mistake: String, _ remedy: String = "") -> Never {
  let sentence = "\(mistake) \(remedy)"
  #if DEBUG
    scheduledThread?.willTrap(sentence)
  #endif
  fatalError(sentence)
}
