/// Ends the process over a mistake of the programmer's, with a sentence that names the types.
///
/// A `precondition` loses its sentence in optimised builds, where such a mistake is the hardest to
/// find; this keeps it.
@usableFromInline
func trap(_ sentence: @autoclosure () -> String) -> Never {
  fatalError(sentence())
}
