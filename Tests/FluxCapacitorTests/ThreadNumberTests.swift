#if DEBUG && canImport(Glibc)
  import Glibc
  import Testing

  @testable import FluxCapacitor

  /// Locks and channels identify a thread by a number of 30 bits.
  @Suite(.timeLimit(.minutes(20)))
  struct ThreadNumberTests {
    @Test func laterThreadReceivesTheNumberOfAnEndedThread() async {
      await #expect(processExitsWith: .success) {
        let own = currentThread().pointee.id
        let numbers = Variable<[UInt32]>([])
        for _ in 1...100 {
          onNewThread { numbers.value.append(currentThread().pointee.id) }
        }

        precondition(Set(numbers.value).count == 1)
        precondition(!numbers.value.contains(own))
      }
    }

    @Test func numberOfAThreadThatEndsInsideATransactionIsNotReused() async {
      await #expect(processExitsWith: .success) {
        let numbers = Variable<[UInt32]>([])
        for _ in 1...2 {
          onNewThread {
            numbers.value.append(currentThread().pointee.id)
            currentThread().pointee.openTransactions += 1
          }
        }

        precondition(Set(numbers.value).count == 2)
      }
    }
  }

  /// Runs a body on a new thread, and waits until the system has freed the thread's state.
  private func onNewThread(_ body: @escaping @Sendable () -> Void) {
    let context = Unmanaged.passRetained(Body(call: body))
    var thread = pthread_t()
    pthread_create(
      &thread,
      nil,
      { context in
        if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().call() }
        return nil
      },
      context.toOpaque()
    )
    pthread_join(thread, nil)
  }

  private final class Body: Sendable {
    let call: @Sendable () -> Void

    init(call: @escaping @Sendable () -> Void) { self.call = call }
  }
#endif
