/// Ends the process over a mistake of the programmer's, with a sentence that names the types.
///
/// A `precondition` loses its sentence in optimised builds, where such a mistake is the hardest to
/// find; this keeps it.
@usableFromInline
func trap(_ sentence: @autoclosure () -> String) -> Never {
  fatalError(sentence())
}

/// The full name of a type as it stands in the source; that of a private one has an address in it.
func sourceName(of type: any Any.Type) -> String {
  String(reflecting: type)
    .replacing(/\(unknown context at \$[0-9a-f]+\)\.|\(extension in [^)]+\):/, with: "")
}
