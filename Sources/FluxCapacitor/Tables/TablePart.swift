/// A part of a table: a variable that the table writes together with its rows.
///
/// A part isn't closed when its last handle is dropped, because a view or an observer might wait for the next
/// change. The table releases a part that has neither handles nor observers. A tracker counts as an
/// observer only while a tracked read waits for its change.
@usableFromInline
final class TablePart<Row: Identifiable & Sendable, Element: Sendable>: ValueChannel<Element>,
  @unchecked Sendable
where Row.ID: Sendable {
  /// The id of the row if the part has the value of a row.
  private let id: Row.ID?

  /// The number of parts that the table created before this one.
  let number: Int

  /// The table, or `nil` after its end. This property is set once, before other threads know the part.
  private weak var table: TableChannel<Row>?

  /// The table's address, which another object can have after the table's end.
  private let address: ObjectIdentifier

  /// Creates a part. The caller must hold the table's lock.
  @usableFromInline
  init(_ value: Element, ofRow id: Row.ID? = nil, of table: TableChannel<Row>) {
    self.id = id
    self.table = table
    address = ObjectIdentifier(table)
    number = table.createdParts
    table.createdParts += 1
    super.init(value, handles: table.hasEnded ? 0 : AnyChannel.owned)
  }

  override var description: String { "A part of a VariableTable<\(Row.self)>" }

  // A strong reference, as a use of `table` takes it, might be the last one, and the caller holds a lock.
  override func isPart(of other: AnyChannel) -> Bool {
    isOwned && ObjectIdentifier(other) == address
  }

  override func close() {
    if isClosed { super.close() } else { observersMayHaveLeft() }
  }

  override func observersMayHaveLeft() {
    let thread = currentThread()
    guard thread.pointee.openMutations == 0 else {
      return deferUntilUnlocked(on: thread) { $0.observersMayHaveLeft() }
    }
    // Meanwhile, other threads might have released their references to the table.
    let table = table
    releaseAfterUnlocking(table)
    table?.releaseIfUnused(self, ofRow: id)
  }
}

// This method belongs to `AnyChannel`, because a table uses parts of several types.
extension AnyChannel {
  /// Whether no code uses this part.
  ///
  /// - Parameter tracker: The observation of the part's tracker, if the part is unused and has a tracker.
  final func isUnused(except tracker: inout Dust?) -> Bool {
    lock.withLock {
      guard !AnyChannel.hasHandles(handles.read { $0.load(ordering: .acquiring) }) else {
        return false
      }
      guard let first = firstObservation else { return true }
      guard let own = self.tracker?.takeUnretainedValue(), !own.isAwaited,
        first.use({ $0 === own.dust && $0.next?.toOpaque() == first.toOpaque() })
      else { return false }
      tracker = own.dust
      return true
    }
  }
}
