import FluxCapacitor
import FluxCapacitorTesting
import Testing

// The cookbook's recipe for a web socket, and tests of this recipe.

private enum Recipes {
  struct ChatAction: Actionable {
    typealias DispatchStateType = Dispatcher.Chat

    let messages: @Sendable () -> any AsyncSequence<String, any Error>
    var clock: any Clock<Duration> = ContinuousClock()
    private let effects = Effects(.first)

    func connect() {
      effects.run { effect in
        while !Task.isCancelled {
          do {
            for try await message in messages() { invoke(.receive(message), as: effect) }
          } catch {
            invoke(.interrupt("\(error)"), as: effect)
          }
          try? await clock.sleep(for: .seconds(1))
        }
      }
    }

    func disconnect() {
      effects.cancel()
    }
  }
}

extension CookbookSnippets {
  // MARK: - Messages

  @Test func chatReconnectsOneSecondAfterAConnectionEnds() async {
    let clock = ManualClock()
    let connections = Variable<[AsyncThrowingStream<String, any Error>.Continuation]>([])
    let states = DispatchRecorder()
    let action = Recipes.ChatAction(
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
    #expect(await clock.sleeping() == [.seconds(1)])
    await clock.advance(by: .seconds(1))
    await states.next(2)
    connections.value.last?.finish()
    #expect(await clock.sleeping() == [.seconds(1)])
    await clock.advance(by: .seconds(1))
    await states.next()
    action.disconnect()
    await Dispatcher.shared.settled()

    #expect(connections.value.count == 3)
    #expect(
      states.states(of: Dispatcher.Chat.self) == [
        .receive("Message 1"), .interrupt("Failure()"), .receive("Message 2"),
        .receive("Message 3"),
      ]
    )
  }

  @Test func chatConnectAfterDisconnectOpensANewConnection() async {
    let states = DispatchRecorder()
    let action = Recipes.ChatAction {
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

// The states and the store of the recipe's action.

extension Dispatcher {
  fileprivate enum Chat: DispatchState, Equatable {
    typealias RelatedStoreType = ChatStore
    typealias RelatedActionType = Recipes.ChatAction

    case receive(String)
    case interrupt(String)
  }
}

private final class ChatStore: Storable {
  func reduce(with _: Dispatcher.Chat) {}
}
