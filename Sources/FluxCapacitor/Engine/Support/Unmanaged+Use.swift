extension Unmanaged {
  /// Calls a closure with the object, without retaining the object.
  ///
  /// Another reference must keep the object alive during the call. Retaining and releasing a node of the
  /// graph of derived constants takes longer than all other work for the node.
  @inlinable @inline(__always) func use<Result>(_ body: (Instance) -> Result) -> Result {
    _withUnsafeGuaranteedRef(body)
  }
}
