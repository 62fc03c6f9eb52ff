import Dispatch

/// Runs a body on a thread outside any task, and waits until the body has ended.
package func offTheTask(_ body: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { continuation in
    DispatchQueue.global().async {
      body()
      continuation.resume()
    }
  }
}
