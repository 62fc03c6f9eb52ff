/// Ends the process because of a programming error. The first sentence of the message names the types
/// involved, and the second sentence suggests a remedy.
///
/// A `precondition` loses its message in optimized builds, where such an error is hardest to find.
@usableFromInline
func trap(_ mistake: @autoclosure () -> String, _ remedy: @autoclosure () -> String = "") -> Never {
  let sentence = "\(mistake()) \(remedy())"
  #if DEBUG
    scheduledThread?.willTrap(sentence)
  #endif
  fatalError(sentence)
}

/// Returns the full name of a type as it is written in the source.
func sourceName(of type: any Any.Type) -> String { String(reflecting: type).withSourceNames }

extension String {
  /// This string, with all type names as they are written in the source.
  ///
  /// The runtime's names of private types contain addresses. The runtime's names of nested types can
  /// contain module names.
  package var withSourceNames: String {
    // Replacing is slow, and most strings contain no name to replace.
    guard utf8.contains(UInt8(ascii: "(")),
      contains("(unknown context at $") || contains("(extension in ")
    else { return self }
    return replacing(/\(unknown context at \$[0-9a-f]+\)\.|\(extension in [^)]+\):/, with: "")
  }
}
