// A node that becomes active during a transaction can await the transaction's end; see `Node.awaited`. The caller of these
// methods must hold the region's lock.

extension Region {
  /// Lets an activated node take part in the changes after a version, or after the open transactions that it awaits.
  func admit(_ node: Node, from version: Version) {
    let isJoining = !node.awaited.isEmpty
    node.since = isJoining ? .never : version
    if isJoining { joining[ObjectIdentifier(node)] = node }
  }

  /// Lets the nodes take part in a change that have awaited the transaction that this thread commits.
  @usableFromInline func admitJoining(to version: Version, on thread: CurrentThread) {
    joining = joining.filter { _, node in
      // The nodes of a variable's region await nothing but this variable.
      node.awaited.removeAll {
        channel.toOpaque() == Unmanaged.passUnretained($0).toOpaque() || thread.hasPlace(for: $0)
      }
      if node.awaited.isEmpty { (node.since, node.isJoining) = (version.previous, true) }
      return !node.awaited.isEmpty
    }
  }
}
