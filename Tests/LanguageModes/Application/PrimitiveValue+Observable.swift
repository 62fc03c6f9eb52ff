import FluxCapacitor
import LanguageModesLibrary

// Constant
extension PrimitiveValue where Trait == ImmutableTrait {
  func asObservable() -> Observable<Element> {
    return Observable.create { [weak self] observer in
      let dust = self?.observe { observer.onNext($0) }
      return Disposables.create { dust?.clean() }
    }
  }
}
