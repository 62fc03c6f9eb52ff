import Observation
import Synchronization

/// A handwritten variable with a `Mutex` around a value and an array of observers.
///
/// A write calls the observers outside the mutex.
final class FloorVariable<Element: Sendable>: Sendable {
  typealias Observer = @Sendable (Element) -> Void

  private struct State {
    var value: Element
    var observers: [Observer] = []
  }

  private let state: Mutex<State>

  init(_ value: Element) {
    state = Mutex(State(value: value))
  }

  var value: Element {
    get { state.withLock { $0.value } }
    set {
      let observers = state.withLock { state in
        state.value = newValue
        return state.observers
      }
      for observer in observers { observer(newValue) }
    }
  }

  func modify(_ body: (inout Element) -> Void) {
    let (value, observers) = state.withLock { state in
      body(&state.value)
      return (state.value, state.observers)
    }
    for observer in observers { observer(value) }
  }

  func observe(_ observer: @escaping Observer) {
    state.withLock { $0.observers.append(observer) }
  }
}

/// A handwritten signal with a `Mutex` around an array of observers.
final class FloorSink<Event: Sendable>: Sendable {
  private let observers = Mutex<[@Sendable (Event) -> Void]>([])

  func send(_ event: Event) {
    let observers = observers.withLock { $0 }
    for observer in observers { observer(event) }
  }

  func observe(_ observer: @escaping @Sendable (Event) -> Void) {
    observers.withLock { $0.append(observer) }
  }
}

/// A handwritten list without observers. Appending an element does not copy the list.
final class FloorList: Sendable {
  private let elements = Mutex<[Int]>([])

  func append(_ element: Int) {
    elements.withLock { $0.append(element) }
  }
}

/// A handwritten dispatcher that loads a weak reference to its store once per dispatch.
final class FloorDispatcher: Sendable {
  private weak let store: FloorStore?

  init(to store: FloorStore) {
    self.store = store
  }

  func dispatch(_ state: FloorStore.State) {
    store?.dispatch(state)
  }
}

/// A handwritten store with a `Mutex` and a `switch` over its states.
final class FloorStore: Sendable {
  enum State: Sendable {
    case add(Int)
    case set(Int)
  }

  private struct Contents {
    var count = 0
    var observers: [@Sendable (Int) -> Void] = []
  }

  private let contents = Mutex(Contents())

  func dispatch(_ state: State) {
    let (count, observers) = contents.withLock { contents in
      switch state {
      case .add(let amount): contents.count += amount
      case .set(let value): contents.count = value
      }
      return (contents.count, contents.observers)
    }
    for observer in observers { observer(count) }
  }

  func observe(_ observer: @escaping @Sendable (Int) -> Void) {
    contents.withLock { $0.observers.append(observer) }
  }
}

/// Handwritten observations. Observing appends a token to an array, and cleaning removes the token.
final class FloorTokens: Sendable {
  final class Token: Sendable {
    let observer: @Sendable (Int) -> Void

    init(_ observer: @escaping @Sendable (Int) -> Void) {
      self.observer = observer
    }
  }

  private let tokens = Mutex<[Token]>([])

  func observe(_ observer: @escaping @Sendable (Int) -> Void) -> Token {
    let token = Token(observer)
    tokens.withLock { $0.append(token) }
    return token
  }

  func remove(_ token: Token) {
    tokens.withLock { tokens in
      if let index = tokens.lastIndex(where: { $0 === token }) { tokens.remove(at: index) }
    }
  }
}

extension Workload {
  /// Reads a handwritten variable.
  static func floorGet(_ count: Int) -> Workload {
    Workload(count) {
      let variable = FloorVariable(1)
      return {
        var total = 0
        for _ in 0..<count { total &+= variable.value }
        blackHole(total)
      }
    }
  }
}

/// A counter that a view can read, without a lock.
@Observable final class FloorObservable: @unchecked Sendable {
  var value = 0
}
