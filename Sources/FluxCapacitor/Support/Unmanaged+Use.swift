extension Unmanaged {
  /// Calls a closure with the object, without counting a reference.
  ///
  /// Another reference must keep the object alive during the call. Counting references takes longer than
  /// all other work for one node of the graph of derived constants.
  @inlinable @inline(__always) func use<Result>(_ body: (Instance) -> Result) -> Result {
    _withUnsafeGuaranteedRef(body)
  }
}
