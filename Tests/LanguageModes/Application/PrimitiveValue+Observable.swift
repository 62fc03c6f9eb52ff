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

/// Prints what a variable or a constant holds, now and later.
func trace<Trait, Element>(_ value: PrimitiveValue<Trait, Element>, as name: String) -> Dust {
  return value.observe { print("\(name): \($0)") }
}

/// The last of a variable's or a constant's elements.
func last<Trait, Element>(of value: PrimitiveValue<Trait, [Element]>) -> Element? {
  return value.value.last
}
