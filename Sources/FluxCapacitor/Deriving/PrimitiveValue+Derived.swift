extension PrimitiveValue {
  /// A constant of the transformed value.
  ///
  /// Derived constants are constants: they are read, observed and derived from in the same way.
  ///
  /// - Unobserved, they compute when they are read, and only if a source has changed since. Observed,
  ///   they compute each change once, and tell it after the reduce or transaction that made it; who
  ///   reads a change before it is told computes it, and perhaps ahead of others.
  /// - However they are put together, one change of the variables is told once, and computed from
  ///   values that belong together.
  /// - Nobody has to keep them: an observation does so until its Dust is cleaned. They keep the
  ///   variables that they derive from, and no store.
  ///
  /// ```swift
  /// let names = Variable(["Emmett", "Marty"])
  /// let title = names.map { "\($0.count) people" }
  /// let dust = title.observe { print($0) }  // 2 people
  /// names.value.append("Jennifer")  // 3 people
  /// dust.clean()
  /// ```
  ///
  /// - Parameter transform: Called on the thread that reads or that made the change, with no lock held;
  ///   two threads that read an unobserved constant at the same time may both call it. It should
  ///   depend on nothing but its argument.
  @inlinable
  public func map<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) -> Result
  ) -> Constant<Result> {
    let source = Source(self, isOnly: true)
    return Constant(
      sharing: Derived(from: [source], isMap: true) { transform(source.value(for: $0)) }
    )
  }

  /// A constant that takes over those changes that are some, by a predicate.
  ///
  /// A value that is the same as the one before is not told, and nothing derived from this constant
  /// computes because of it.
  ///
  /// - Parameter areEquivalent: Whether two values are the same.
  @inlinable
  public func removeDuplicates(
    by areEquivalent: @escaping @Sendable (Element, Element) -> Bool
  ) -> Constant<Element> {
    let source = Source(self, isOnly: true)
    return Constant(
      sharing: Derived(from: [source], isMap: false, isSame: areEquivalent) {
        source.value(for: $0)
      }
    )
  }
}

extension PrimitiveValue where Element: Equatable {
  /// A constant that takes over those changes after which the value is another.
  ///
  /// ```swift
  /// let count = Variable(0)
  /// let dust = count.map { $0 > 0 }.removeDuplicates().observe { print($0) }  // false
  /// count.value = 1  // true
  /// count.value = 2
  /// dust.clean()
  /// ```
  @inlinable
  public func removeDuplicates() -> Constant<Element> {
    removeDuplicates(by: ==)
  }
}

extension PrimitiveValue where Trait == ImmutableTrait {
  /// A constant of several constants' values, which change together.
  ///
  /// A reduce that changes several of them is told once. The constants may belong to several
  /// dispatchers: what changes in one reduce of one of them changes together. Of reduces of several
  /// dispatchers, or transactions and sets, that are mixed up so that one is before the other here and
  /// behind it there, all are told as one, for nothing in between is whole.
  ///
  /// Every change that observers are called with is whole. A read is not always, and the first value of an
  /// observation is a read: while another thread is in the midst of a reduce, it may be of that midst, as
  /// when two constants are read one by one. ``Dispatcher/read(_:)`` prevents it.
  ///
  /// ```swift
  /// let first = Variable("Emmett")
  /// let last = Variable("Brown")
  /// let name = Constant.combine(Constant(first), Constant(last)).map { "\($0) \($1)" }
  /// print(name.value)  // Emmett Brown
  /// ```
  @inlinable
  public static func combine<each Source: Sendable>(
    _ constants: repeat Constant<each Source>
  ) -> Constant<(repeat each Source)> where Element == (repeat each Source) {
    let sources = (repeat FluxCapacitor.Source(each constants, isOnly: false))
    var list: [AnySource] = []
    repeat list.append(each sources)
    return Constant(
      sharing: Derived(from: list, isMap: false) { reading in
        (repeat (each sources).value(for: reading))
      }
    )
  }

  /// There is nothing to combine.
  @available(*, unavailable, message: "Combine one constant or more.")
  public static func combine() -> Constant<()> where Element == () {
    trap("Constant.combine was called without a constant.")
  }

  /// The same for two constants: the compiler specialises it for their types, as it does not for a
  /// list, which makes it three times as fast.
  @inlinable
  public static func combine<First: Sendable, Second: Sendable>(
    _ first: Constant<First>,
    _ second: Constant<Second>
  ) -> Constant<(First, Second)> where Element == (First, Second) {
    let first = Source(first, isOnly: false)
    let second = Source(second, isOnly: false)
    return Constant(
      sharing: Derived(from: [first, second], isMap: false) { reading in
        (first.value(for: reading), second.value(for: reading))
      }
    )
  }
}
