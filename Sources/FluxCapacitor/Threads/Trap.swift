/// Ends the process over a mistake of the programmer's, with a sentence that names the types.
///
/// A `precondition` loses its sentence in optimised builds, where such a mistake is the hardest to
/// find; this keeps it.
@usableFromInline
func trap(_ sentence: @autoclosure () -> String) -> Never {
  #if DEBUG
    scheduledThread?.willTrap()
  #endif
  fatalError(sentence())
}

/// The full name of a type as it stands in the source.
func sourceName(of type: any Any.Type) -> String {
  String(reflecting: type).withSourceNames
}

extension String {
  /// The same with all names of types as they stand in the source; those of private ones have addresses
  /// in them, and nested ones may have modules.
  package var withSourceNames: String {
    // Most have none of it, and it takes long to look for.
    guard utf8.contains(UInt8(ascii: "(")),
      contains("(unknown context at $") || contains("(extension in ")
    else { return self }
    return replacing(/\(unknown context at \$[0-9a-f]+\)\.|\(extension in [^)]+\):/, with: "")
  }
}
