import FluxCapacitor
import FluxCapacitorPersistence
import FluxCapacitorTestSupport

extension CounterStore: Persistable {
  package static let archive = Archive(Int.self, named: "counter", version: 1)

  package var saved: Int { count.value }

  package func restore(_ saved: Int) { reduce(with: .set(saved)) }
}

/// A store that lets `CounterStore` reduce each state first.
final class WaitingStore: Storable {
  func reduce(with _: Dispatcher.Counter) { waitFor(CounterStore.self) }
}
