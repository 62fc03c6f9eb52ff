extension PrimitiveTable {
  /// Calls a closure with the changes of each transaction, for a list on a screen.
  ///
  /// ```swift
  /// let cards = VariableTable([Card(id: "milk", title: "Buy milk")])
  /// let dust = cards.observeChanges { changes in
  ///   print(changes.difference.count, changes.updated)
  /// }  // 1 []
  /// cards[id: "milk"]?.title = "Buy oat milk"  // 0 ["milk"]
  /// dust.clean()
  /// ```
  ///
  /// - The first call inserts all rows. On `.current`, it happens before this method returns.
  /// - A reduce or a ``Dispatcher/transaction(_:)`` makes at most one call, and none if its changes of the rows' order
  ///   cancel each other out. A row that is written counts as updated, even if its value is the same again.
  /// - Apply the difference to the ids that you show, and then show the rows in ``TableChanges/updated`` again. A row that
  ///   you read from the table can be newer than the changes, and can be gone.
  /// - Calls to one observer never overlap. No lock is held during a call, except during a first call inside a transaction
  ///   or a store's `init`. See <doc:Promises> for threads and order.
  ///
  /// - Parameters:
  ///   - queue: The queue on which `changes` is called.
  ///   - changes: Receives the changes. The observation retains this closure until you clean the Dust.
  /// - Returns: The observation, which lasts until you clean it, or until the table is deallocated. It doesn't keep the
  ///   table alive.
  /// - Complexity: O(n) in the number of rows. Each call takes O(k √k) for k changed rows.
  @_disfavoredOverload @inlinable public func observeChanges(
    on queue: ExecuteQueue = .current,
    changes: @escaping @Sendable (TableChanges<Row.ID>) -> Void
  ) -> Dust {
    let (edits, ids, latest) = table.withLock {
      let part = table.partOfEdits()
      part.addHandle()
      return (Constant(sharing: part), table.stored.map(\.id), part.stored)
    }
    // No lock guards these variables, because calls of one observer never overlap. Each call sees the
    // effects of the previous call.
    nonisolated(unsafe) var received = latest
    nonisolated(unsafe) var first: TableDifference? = TableDifference(inserting: ids)
    return edits.observe(on: queue) { latest in
      let isFirst = first != nil
      var difference = first.take() ?? TableDifference()
      difference.apply(after: &received, through: latest)
      if let sum = difference.changes {
        changes(sum)
      } else if isFirst, let none = CollectionDifference<Row.ID>([]) {
        changes(TableChanges(difference: none, updated: []))
      }
    }
  }

  /// Calls a closure on the main actor with the changes of each transaction, for a list on a screen.
  ///
  /// The first call inserts all rows. The closure is isolated to the main actor. If a change is made on the main queue and
  /// no earlier change is still waiting, the closure is called immediately. See <doc:Promises> for order, re-entrancy and
  /// the other guarantees.
  ///
  /// - Parameters:
  ///   - queue: The main queue, `.main`.
  ///   - changes: Receives the changes. The observation retains this closure until you clean the Dust.
  /// - Returns: The observation, which lasts until you clean it, or until the table is deallocated. It doesn't keep the
  ///   table alive.
  /// - Complexity: O(n) in the number of rows. Each call takes O(k √k) for k changed rows.
  @inlinable public func observeChanges(
    on queue: ExecuteQueue.Main,
    changes: @escaping @MainActor @Sendable (TableChanges<Row.ID>) -> Void
  ) -> Dust {
    observeChanges(on: ExecuteQueue.main) { sum in
      MainActor.assumeIsolated { changes(sum) }
    }
  }
}
