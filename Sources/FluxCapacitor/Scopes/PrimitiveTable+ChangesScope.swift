extension PrimitiveTable {
  /// Calls a closure with the changes of each transaction, for a list on a screen, while an object exists.
  ///
  /// ```swift
  /// @MainActor
  /// final class ListView {
  ///   private var ids: [String] = []
  ///
  ///   init(cards: ConstantTable<Card>) {
  ///     cards.observeChanges(duringScopeOf: self, on: .main) { [weak self] changes in
  ///       guard let self else { return }
  ///       ids = ids.applying(changes.difference) ?? []
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// ``observeChanges(on:changes:)-(ExecuteQueue,_)`` describes the order of the calls and the guarantees.
  ///
  /// > Warning: Don't capture the object strongly in the closure. The closure would keep the object alive, so the
  /// observation wouldn't end by itself.
  ///
  /// - Parameters:
  ///   - object: The object, which the observation holds weakly. After the object's deallocation, no call starts. The next
  ///     change, or a later observation of an object, ends the observation and releases the closure.
  ///   - queue: The queue on which `changes` is called.
  ///   - changes: Receives the changes. The first call inserts all rows.
  /// - Returns: The observation. To end it before the object is deallocated, clean the Dust.
  /// - Complexity: O(n) in the number of rows.
  @_disfavoredOverload @discardableResult public func observeChanges(
    duringScopeOf object: some AnyObject & Sendable,
    on queue: ExecuteQueue = .current,
    changes: @escaping @Sendable (TableChanges<Row.ID>) -> Void
  ) -> Dust {
    transactions.observe(duringScopeOf: object, on: queue, changes: changes)
  }

  /// Calls a closure on the main actor with the changes of each transaction, while a `Sendable` object exists.
  ///
  /// See ``observeChanges(duringScopeOf:on:changes:)-(_,ExecuteQueue,_)`` for the lifetime. Don't capture the object
  /// strongly in the closure.
  @discardableResult public func observeChanges(
    duringScopeOf object: some AnyObject & Sendable,
    on queue: ExecuteQueue.Main,
    changes: @escaping @MainActor @Sendable (TableChanges<Row.ID>) -> Void
  ) -> Dust {
    transactions.observe(duringScopeOf: object, on: queue, changes: changes)
  }

  /// Calls a closure on the main actor with the changes of each transaction, while an object of the main actor exists.
  ///
  /// See ``observeChanges(duringScopeOf:on:changes:)-(_,ExecuteQueue,_)`` for the lifetime. Don't capture the object
  /// strongly in the closure.
  @MainActor @discardableResult public func observeChanges(
    duringScopeOf object: some AnyObject,
    on queue: ExecuteQueue.Main,
    changes: @escaping @MainActor @Sendable (TableChanges<Row.ID>) -> Void
  ) -> Dust {
    transactions.observe(duringScopeOf: object, on: queue, changes: changes)
  }

  private var transactions: Signal<TableChanges<Row.ID>> {
    Signal { queue, changes in self.observeChanges(on: queue, changes: changes) }
  }
}
