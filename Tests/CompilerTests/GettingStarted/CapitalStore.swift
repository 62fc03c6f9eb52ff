import FluxCapacitor

final class CapitalStore: Storable {
  enum Phase: Equatable {
    case idle
    case loading(country: String)
    case loaded(capital: String)
    case failed(reason: String)
  }

  let effects = Effects(.latest)
  var phase: Constant<Phase> { _phase.constant }
  private let _phase = Variable(Phase.idle)

  func reduce(with state: Dispatcher.Capital) {
    switch state {
    case .loading(let country): _phase.value = .loading(country: country)
    case .loaded(let capital): _phase.value = .loaded(capital: capital)
    case .failed(let reason): _phase.value = .failed(reason: reason)
    }
  }
}
