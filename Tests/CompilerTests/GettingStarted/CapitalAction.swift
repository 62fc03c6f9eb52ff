import FluxCapacitor

final class CapitalAction: Actionable {
  typealias DispatchStateType = Dispatcher.Capital

  private let service: any CapitalService
  private let newest = DustBuster()

  init(service: any CapitalService) {
    self.service = service
  }

  @discardableResult
  func findCapital(of country: String) -> Task<Void, Never> {
    Task(replacing: newest) {
      invokeUnlessCancelled(.loading(country: country))
      do {
        let capital = try await service.capital(of: country)
        invokeUnlessCancelled(.loaded(capital: capital))
      } catch {
        invokeUnlessCancelled(.failed(reason: "\(error)"))
      }
    }
  }
}
