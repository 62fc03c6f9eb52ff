extension PrimitiveValue {
  /// Returns a constant of the transformed value.
  ///
  /// You read, observe and derive from a derived constant like any other constant.
  ///
  /// - Without observers, a derived constant computes its value when you read it, and only if a
  ///   source has changed since.
  /// - While it is observed, it computes each change once, and delivers it after the reduce or
  ///   transaction that made it. A read before the delivery computes the change then, possibly
  ///   ahead of the observers. After the last observation ends, a change that is on its way may
  ///   still be computed.
  /// - However you compose derived constants, each change of the variables is delivered once, and
  ///   computed from values that belong together.
  /// - You don't have to keep derived constants: an observation keeps them until its Dust is
  ///   cleaned. They keep the variables that they derive from alive, but no store.
  ///
  /// ```swift
  /// let names = Variable(["Emmett", "Marty"])
  /// let title = names.map { "\($0.count) people" }
  /// let dust = title.observe { print($0) }  // 2 people
  /// names.value.append("Jennifer")  // 3 people
  /// dust.clean()
  /// ```
  ///
  /// - Parameter transform: Called on the thread that reads the constant or delivers the change,
  ///   with no lock held. It should depend on nothing but its argument. Two threads that read an
  ///   unobserved constant at the same time may both call it.
  @inlinable public func map<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) -> Result
  ) -> Constant<Result> {
    let source = Source(self, isOnly: true)
    return Constant(sharing: DerivedChannel(from: [source]) { transform(source.value(for: $0)) })
  }

  /// Returns a constant that skips consecutive values that a predicate considers equal.
  ///
  /// If a value is equal to the previous one, it isn't delivered, and no constant that derives from
  /// this one computes because of it.
  ///
  /// An observer that subscribes while a change is being delivered may start with another value than
  /// the constant's, if the two count as equal. The observer keeps that value until the next change.
  ///
  /// - Parameter areEquivalent: Returns whether two values are equal. It is called like the
  ///   transform of ``map(_:)``, on any thread, with no lock held.
  @inlinable public func removeDuplicates(
    by areEquivalent: @escaping @Sendable (Element, Element) -> Bool
  ) -> Constant<Element> {
    let source = Source(self, isOnly: true)
    return Constant(
      sharing: DerivedChannel(from: [source], isSame: areEquivalent) {
        source.value(for: $0)
      }
    )
  }
}

extension PrimitiveValue where Element: Equatable {
  /// Returns a constant that skips consecutive equal values.
  ///
  /// ```swift
  /// let count = Variable(0)
  /// let dust = count.map { $0 > 0 }.removeDuplicates().observe { print($0) }  // false
  /// count.value = 1  // true
  /// count.value = 2
  /// dust.clean()
  /// ```
  @inlinable public func removeDuplicates() -> Constant<Element> { removeDuplicates(by: ==) }
}

extension PrimitiveValue where Trait == ImmutableTrait {
  /// Returns a constant of several constants' values, which change together.
  ///
  /// A reduce that changes several of the constants is delivered as one change. The constants may
  /// belong to several dispatchers: the constants that a single reduce changes still change
  /// together. If transactions of several dispatchers are open at the same time and write the same
  /// variable, they are delivered as one change.
  ///
  /// Observers are called only with whole changes, unless this constant was created while another
  /// thread's reduce was in progress. A read is not always whole, and the first value
  /// of an observation is a read. While another thread's reduce is in progress, a read may return a
  /// value from the middle of it, as when you read two constants one by one.
  /// ``Dispatcher/read(_:)`` prevents this.
  ///
  /// ```swift
  /// let first = Variable("Emmett")
  /// let last = Variable("Brown")
  /// let name = Constant.combine(Constant(first), Constant(last)).map { "\($0) \($1)" }
  /// print(name.value)  // Emmett Brown
  /// ```
  @inlinable public static func combine<each Source: Sendable>(
    _ constants: repeat Constant<each Source>
  ) -> Constant<(repeat each Source)> where Element == (repeat each Source) {
    var count = 0
    for _ in repeat each constants { count += 1 }
    let sources = (repeat FluxCapacitor.Source(each constants, isOnly: count == 1))
    var list: [AnySource] = []
    repeat list.append(each sources)
    return Constant(
      sharing: DerivedChannel(from: list) { reading in
        (repeat (each sources).value(for: reading))
      }
    )
  }

  /// Unavailable, because `combine` needs at least one constant.
  @available(*, unavailable, message: "Combine at least one constant.")
  public static func combine() -> Constant<()> where Element == () {
    trap("Constant.combine was called without constants.")
  }

  /// Returns a constant of two constants' values, which change together.
  ///
  /// The compiler specializes this overload for the two types, which makes it three times as fast
  /// as the general one.
  @inlinable public static func combine<First: Sendable, Second: Sendable>(
    _ first: Constant<First>,
    _ second: Constant<Second>
  ) -> Constant<(First, Second)> where Element == (First, Second) {
    let first = Source(first, isOnly: false)
    let second = Source(second, isOnly: false)
    return Constant(
      sharing: DerivedChannel(from: [first, second]) { reading in
        (first.value(for: reading), second.value(for: reading))
      }
    )
  }
}
