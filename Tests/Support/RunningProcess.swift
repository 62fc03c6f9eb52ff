import Foundation

/// A process that a test has started.
package struct RunningProcess: Sendable {
  package let id: Int32
  private let ends: AsyncStream<Never>

  /// Starts a process.
  package init(_ process: Process) throws {
    let (ends, end) = AsyncStream<Never>.makeStream()
    process.terminationHandler = { _ in end.finish() }
    try process.run()
    (id, self.ends) = (process.processIdentifier, ends)
  }

  package func kill() { Foundation.kill(id, SIGKILL) }

  /// Waits for the end of the process. If the task is cancelled, the process is killed.
  ///
  /// The wait lasts until the end even in a cancelled task, because a running process has no exit code yet:
  /// `terminationStatus` would trap.
  package func waitForEnd() async {
    await withTaskCancellationHandler {
      // This task isn't cancelled with the test.
      await Task { for await _ in ends {} }.value
    } onCancel: {
      kill()
    }
  }
}
