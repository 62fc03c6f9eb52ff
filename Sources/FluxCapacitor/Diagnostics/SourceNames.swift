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
