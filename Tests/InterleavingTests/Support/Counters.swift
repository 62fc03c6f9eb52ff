import FluxCapacitor
import FluxCapacitorTestSupport

extension Dispatcher.Counter {
  var number: Int {
    switch self {
    case .add(let number), .set(let number): number
    case .leaveAlone: 0
    }
  }
}

/// A store that logs the numbers that it reduces.
final class LogStore: Storable {
  typealias DispatchStateType = Dispatcher.Counter

  let log = Log<Int>()

  func reduce(with state: Dispatcher.Counter) { log.append(state.number) }
}
