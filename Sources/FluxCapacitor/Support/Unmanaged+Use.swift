extension Unmanaged {
  /// Calls a closure with the object, without counting a reference: something else must own it for
  /// as long as the call takes.
  ///
  /// To count references takes longer than all else that is done for one node of a graph.
  @inlinable @inline(__always) func use<Result>(_ body: (Instance) -> Result) -> Result {
    _withUnsafeGuaranteedRef(body)
  }
}
