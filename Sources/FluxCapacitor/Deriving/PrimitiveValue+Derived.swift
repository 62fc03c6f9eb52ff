extension PrimitiveValue {
  /// Returns a constant of the transformed value.
  ///
  /// Derived constants are constants: you read, observe and derive from them in the same way.
  ///
  /// - While they aren't observed, they compute when they are read, and only if a source has
  ///   changed since. While they are observed, they compute each change once, and deliver it after
  ///   the reduce or transaction that made it. Reading a change before it is delivered computes it
  ///   then, possibly ahead of others. What is on its way when the last observation ends may still
  ///   be computed.
  /// - However they are composed, one change of the variables is delivered once, and computed from
  ///   values that belong together.
  /// - You don't have to keep them: an observation does so until its Dust is cleaned. They keep the
  ///   variables that they derive from alive, but no store.
  ///
  /// ```swift
  /// let names = Variable(["Emmett", "Marty"])
  /// let title = names.map { "\($0.count) people" }
  /// let dust = title.observe { print($0) }  // 2 people
  /// names.value.append("Jennifer")  // 3 people
  /// dust.clean()
  /// ```
  ///
  /// - Parameter transform: Called on the thread that reads or that delivers the change, with no lock
  ///   held. Two threads that read an unobserved constant at the same time may both call it. It
  ///   should depend on nothing but its argument.
  @inlinable public func map<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) -> Result
  ) -> Constant<Result> {
    let source = Source(self, isOnly: true)
    return Constant(sharing: DerivedChannel(from: [source]) { transform(source.value(for: $0)) })
  }

  /// Returns a constant that skips consecutive values that a predicate considers equal.
  ///
  /// A value that is equal to the one before is not delivered, and nothing derived from this
  /// constant computes because of it.
  ///
  /// An observer that subscribes while a change is being delivered may start with a value that the predicate
  /// considers equal to that of the constant, and keep it until the next change.
  ///
  /// - Parameter areEquivalent: Returns whether two values are equal. Called like the transform of
  ///   ``map(_:)``, on any thread, with no lock held.
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
  /// A reduce that changes several of them is delivered once. The constants may belong to several
  /// dispatchers: what changes in one reduce of one of them changes together. Transactions of several
  /// dispatchers that write the same variable while they are open are delivered as one change.
  ///
  /// Every change that observers are called with is whole. A read is not always whole, and the
  /// first value of an observation is a read: while another thread's reduce is in progress, it may
  /// be a value from the middle of that reduce, as when two constants are read one by one.
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

  /// There is nothing to combine.
  @available(*, unavailable, message: "Combine at least one constant.")
  public static func combine() -> Constant<()> where Element == () {
    trap("Constant.combine was called without constants.")
  }

  /// Returns a constant of two constants' values, which change together.
  ///
  /// It is the same as the other `combine`, but the compiler specializes it for the two types,
  /// which makes it three times as fast.
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
