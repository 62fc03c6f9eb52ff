import FluxCapacitor

@MainActor
final class CapitalPrinter {
  private let store = CapitalStore.instantiate()
  private let action: CapitalAction
  private let dustBuster = DustBuster()

  init(service: any CapitalService) {
    action = CapitalAction(service: service)
    store.phase
      .observe { phase in
        switch phase {
        case .idle: print("Ask me for a capital.")
        case .loading(let country): print("The capital of \(country) …")
        case .loaded(let capital): print("… is \(capital).")
        case .failed(let reason): print("… can't be found. \(reason)")
        }
      }
      .cleaned(by: dustBuster)
  }

  func ask(for country: String) async {
    await action.findCapital(of: country).value
  }
}
