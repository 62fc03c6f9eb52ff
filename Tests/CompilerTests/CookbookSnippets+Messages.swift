import FluxCapacitor
import FluxCapacitorTesting
import Testing

// The cookbook's recipe for a web socket, and tests of this recipe.

extension Dispatcher {
  enum Chat: DispatchState {
    typealias RelatedStoreType = ChatStore
    typealias RelatedActionType = ChatAction

    case receive(String)
    case interrupt(String)
  }
}

final class ChatStore: Storable {
  let effects = Effects(.first)
  var messages: Constant<[String]> { _messages.constant }
  var interruption: Constant<String?> { _interruption.constant }
  private let _messages = Variable<[String]>([])
  private let _interruption = Variable<String?>(nil)

  func reduce(with state: Dispatcher.Chat) {
    switch state {
    case .receive(let message):
      _messages.value.append(message)
      _interruption.value = nil
    case .interrupt(let reason):
      _interruption.value = reason
    }
  }
}

struct ChatAction: Actionable {
  typealias DispatchStateType = Dispatcher.Chat

  let messages: @Sendable () -> any AsyncSequence<String, any Error>
  var clock: any Clock<Duration> = ContinuousClock()
  private var effects: Effects { ChatStore.instantiate().effects }

  func connect() {
    effects.run { effect in
      var attempt = 0
      while !Task.isCancelled {
        do {
          for try await message in messages() {
            attempt = 0
            invoke(.receive(message), as: effect)
          }
        } catch {
          invoke(.interrupt(String(explaining: error)), as: effect)
        }
        attempt += 1
        try? await clock.sleep(for: pause(afterAttempt: attempt))
      }
    }
  }

  func disconnect() {
    effects.supersede()
  }
}

extension Dispatcher.Chat: Equatable {}

extension CookbookSnippets {
  // MARK: - Messages

  @Test func chatReconnectsAfterAConnectionEnds() async {
    let store = ChatStore.instantiate()
    defer { withExtendedLifetime(store) {} }
    let clock = ManualClock()
    let connections = Variable<[AsyncThrowingStream<String, any Error>.Continuation]>([])
    let states = DispatchRecorder()
    let action = ChatAction(
      messages: {
        let (messages, continuation) = AsyncThrowingStream<String, any Error>.makeStream()
        connections.value.append(continuation)
        continuation.yield("Message \(connections.value.count)")
        return messages
      },
      clock: clock
    )

    action.connect()
    await states.next()
    action.connect()
    connections.value.last?.finish(throwing: Failure())
    #expect(await clock.sleeping().count == 1)
    await clock.advance(by: .seconds(1))
    await states.next(2)
    connections.value.last?.finish()
    #expect(await clock.sleeping().count == 1)
    await clock.advance(by: .seconds(1))
    await states.next()
    action.disconnect()
    await Dispatcher.shared.settled()

    #expect(connections.value.count == 3)
    #expect(
      states.states(of: Dispatcher.Chat.self) == [
        .receive("Message 1"), .interrupt("That didn’t work. Please try again."),
        .receive("Message 2"), .receive("Message 3"),
      ]
    )
  }

  @Test func disconnectedChatReportsNoInterruption() async {
    let store = ChatStore.instantiate()
    defer { withExtendedLifetime(store) {} }
    let gate = FluxCapacitorTesting.Gate()
    let action = ChatAction {
      AsyncThrowingStream<String, any Error>(unfolding: {
        await gate.pass()
        try Task.checkCancellation()
        return "Hello"
      })
    }
    let states = DispatchRecorder()

    action.connect()
    await gate.reached()
    action.disconnect()
    gate.open()
    await Dispatcher.shared.settled()

    #expect(states.states(of: Dispatcher.Chat.self).isEmpty)
  }

  @Test func chatConnectAfterDisconnectOpensANewConnection() async {
    let store = ChatStore.instantiate()
    defer { withExtendedLifetime(store) {} }
    let states = DispatchRecorder()
    let action = ChatAction {
      AsyncThrowingStream { continuation in continuation.yield("Hello") }
    }

    action.connect()
    await states.next()
    action.disconnect()
    action.connect()
    await states.next()
    action.disconnect()
    await Dispatcher.shared.settled()

    #expect(states.states(of: Dispatcher.Chat.self) == [.receive("Hello"), .receive("Hello")])
  }
}
