/// The identity of a task while the task lives.
///
/// A `Task` and an `UnsafeCurrentTask` hash the address of the same task, so their hash values are equal. If
/// they ever differed, a suspended task would count as running, and `settled()` would wait for the task.
package struct TaskID: Hashable, Sendable {
  private let hash: Int

  package init<Success, Failure>(_ task: Task<Success, Failure>) { hash = task.hashValue }

  /// The identity of the task that runs the calling code, or nil outside tasks.
  package init?() {
    guard let hash = withUnsafeCurrentTask(body: { $0?.hashValue }) else { return nil }
    self.hash = hash
  }
}
