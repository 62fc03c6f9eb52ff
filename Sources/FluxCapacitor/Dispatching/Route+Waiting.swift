extension Route {
  /// Has the stores of a type reduce the state that is being reduced, unless they have; the
  /// dispatcher's turn is held.
  ///
  /// Who comes before the current one in the chain has reduced it. Who comes after it, and reduces it
  /// early, is marked, until the reduce passes by.
  func reduceEarly<S: Storable>(in _: S.Type) where S.DispatchStateType == State {
    guard let state, let current else { return }
    var next: Unmanaged<Registration<State>>? = current
    while let registration = next?.takeUnretainedValue() {
      next = registration.next
      guard registration.type == S.self || registration.type is S.Type else { continue }
      trapIfReducing(registration)
      guard !registration.isEarly, registration.isRegistered, let store = registration.store
      else { continue }
      registration.isEarly = true
      awaited.append(registration)
      store.reduce(with: state.pointee)
      awaited.removeLast()
      early.append(
        (store, during: current.takeUnretainedValue().store.map { ObjectIdentifier($0) })
      )
    }
  }

  /// Traps if a store that is waited for is in the midst of its reduce, and so waits for this very one.
  private func trapIfReducing(_ registration: Registration<State>) {
    let reducing = [current?.takeUnretainedValue()].compactMap(\.self) + awaited
    guard let start = reducing.firstIndex(where: { $0 === registration }) else { return }
    let cycle = (reducing[start...] + [registration]).map { sourceName(of: $0.type) }
    trap(
      """
      The reduces of these stores wait for each other: \(cycle.joined(separator: " → ")). Let one of \
      them do without it, and read what it needs after the reduce.
      """
    )
  }

  /// Hands over the stores that have reduced the state early, with those that haven't, now that it has
  /// been reduced: in the order in which their reduces have ended.
  @usableFromInline
  func takeEarly(with others: [AnyObject]?) -> [AnyObject] {
    let early = early
    self.early = []
    var stores: [AnyObject] = []
    var taken = 0
    for store in others ?? [] {
      while taken < early.count, early[taken].during == ObjectIdentifier(store) {
        stores.append(early[taken].store)
        taken += 1
      }
      stores.append(store)
    }
    return stores + early[taken...].map(\.store)
  }
}

extension Registration {
  /// Passes by; answers whether its store has reduced the state early, which counts no longer.
  @usableFromInline
  func pass() -> Bool {
    guard isEarly else { return false }
    isEarly = false
    return true
  }
}
