import FluxCapacitor

final class CapitalAction: Actionable {
  typealias DispatchStateType = Dispatcher.Capital

  private let service: any CapitalService
  private var effects: Effects { CapitalStore.instantiate().effects }

  init(service: any CapitalService) {
    self.service = service
  }

  @discardableResult
  func findCapital(of country: String) -> Task<Void, Never> {
    effects.run { effect in
      invoke(.loading(country: country), as: effect)
      do {
        let capital = try await service.capital(of: country)
        invoke(.loaded(capital: capital), as: effect)
      } catch {
        invoke(.failed(reason: "\(error)"), as: effect)
      }
    }
  }
}
