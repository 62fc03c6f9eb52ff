import FluxCapacitor

func trace<Trait, Element>(
  _ value: PrimitiveValue<Trait, Element>,
  into log: Variable<[String]>
) -> Dust {
  return value.observe { log.value.append("\($0)") }
}

func last<Trait, Element>(of value: PrimitiveValue<Trait, [Element]>) -> Element? {
  return value.value.last
}
