/// Ends the process because of a programmer's mistake. The first sentence of the message names the types,
/// and the second one suggests a remedy.
///
/// A `precondition` loses its message in optimized builds, where such a mistake is hardest to find.
@usableFromInline
func trap(_ mistake: @autoclosure () -> String, _ remedy: @autoclosure () -> String = "") -> Never {
  #if DEBUG
    scheduledThread?.willTrap()
  #endif
  fatalError("\(mistake()) \(remedy())")
}

/// Returns the full name of a type as it is written in the source.
func sourceName(of type: any Any.Type) -> String { String(reflecting: type).withSourceNames }

extension String {
  /// This string with all type names as they are written in the source.
  ///
  /// The runtime's names of private types contain addresses, and its names of nested
  /// types may contain modules.
  package var withSourceNames: String {
    // Most strings contain no such name, and replacing is slow.
    guard utf8.contains(UInt8(ascii: "(")),
      contains("(unknown context at $") || contains("(extension in ")
    else { return self }
    return replacing(/\(unknown context at \$[0-9a-f]+\)\.|\(extension in [^)]+\):/, with: "")
  }
}
