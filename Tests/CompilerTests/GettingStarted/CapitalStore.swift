import FluxCapacitor

final class CapitalStore: Storable {
  enum Phase: Equatable {
    case idle
    case loading(country: String)
    case loaded(capital: String)
    case failed(reason: String)
  }

  let phase: Constant<Phase>
  private let _phase = Variable(Phase.idle)

  init() {
    phase = Constant(_phase)
  }

  func reduce(with state: Dispatcher.Capital) {
    switch state {
    case .loading(let country): _phase.value = .loading(country: country)
    case .loaded(let capital): _phase.value = .loaded(capital: capital)
    case .failed(let reason): _phase.value = .failed(reason: reason)
    }
  }
}
