extension PrimitiveValue {
  /// Returns a constant whose value a closure computes from this value.
  ///
  /// ```swift
  /// let names = Variable(["Emmett", "Marty"])
  /// let title = names.map { "\($0.count) people" }
  /// let dust = title.observe { print($0) }  // 2 people
  /// names.value.append("Jennifer")  // 3 people
  /// dust.clean()
  /// ```
  ///
  /// You can read, observe and derive from the result, as from any constant.
  ///
  /// - Without observers, the constant computes its value when you read it, and keeps the result for later reads.
  /// - With observers, it computes each change once, and delivers it after the reduce or transaction that made the change.
  ///   If you read the constant before this delivery, your read computes the new value, possibly before observers receive
  ///   it. A thread that reads in an observer, or while another thread delivers, may compute a value a second time.
  /// - A change that is in progress when you clean the last observation might still be computed.
  /// - However you compose derived constants, each change to the variables is delivered once, and each delivered value is
  ///   computed from values that belong together. The exception: if you observe during another thread's reduce, the
  ///   observer may receive values from the middle of this reduce until the reduce has ended.
  /// - An observation keeps the constant alive until you clean its Dust. The constant keeps its variables alive, but no
  ///   store.
  ///
  /// - Precondition: The result of `transform` depends only on its argument.
  /// - Parameter transform: Computes the constant's value, on a thread that reads the constant or delivers the change. The
  ///   library holds no lock meanwhile, except for the locks of code that reads the constant, such as a reduce or the body
  ///   of a `modify`. If two threads read an unobserved constant at the same time, both may call this closure.
  @inlinable public func map<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) -> Result
  ) -> Constant<Result> {
    let source = Edge(from: channel, keptBy: self)
    return Constant(
      sharing: DerivedChannel(from: [source]) { transform(source.sourceValue(for: $0)) }
    )
  }

  /// Returns a constant that skips a value if a predicate considers it equal to the previous value.
  ///
  /// A skipped value is not delivered, and constants that derive from the result don't compute it.
  ///
  /// Before there are observers, nothing has been delivered to compare with, so the constant has its source's value. If the
  /// predicate treats different values as equal, a read, or a new observer's first value, may be either of two such values:
  /// while a change waits for delivery, and after the last observer has left. An observer that you add inside a transaction
  /// keeps its first value if the transaction's result is equal to it. A combination that starts with either value may show
  /// the other one with a later change.
  ///
  /// - Parameter areEquivalent: Returns whether two values are equal. Like the closure of ``map(_:)``, it is called on any
  ///   thread.
  @inlinable public func removeDuplicates(
    by areEquivalent: @escaping @Sendable (Element, Element) -> Bool
  ) -> Constant<Element> {
    let source = Edge(from: channel, keptBy: self)
    return Constant(
      sharing: DerivedChannel(from: [source], isSame: areEquivalent) {
        source.sourceValue(for: $0)
      }
    )
  }
}

extension PrimitiveValue where Element: Equatable {
  /// Returns a constant that skips a value if it equals the previous value.
  ///
  /// ```swift
  /// let count = Variable(0)
  /// let dust = count.map { $0 > 0 }.removeDuplicates().observe { print($0) }  // false
  /// count.value = 1  // true
  /// count.value = 2
  /// dust.clean()
  /// ```
  ///
  /// Values are compared with `==`. A NaN doesn't equal itself, so it is never skipped. To skip it, pass a predicate to
  /// ``removeDuplicates(by:)``.
  @inlinable public func removeDuplicates() -> Constant<Element> { removeDuplicates(by: ==) }
}

// Overloads with parameter packs crash the compiler, or match a tuple with labels as an empty tuple.
extension PrimitiveValue {
  /// Returns a constant that skips a tuple if its elements equal those of the previous tuple.
  ///
  /// ```swift
  /// let (seconds, isRunning) = (Variable(0), Variable(true))
  /// let clock = Constant.combine(seconds.map { $0 / 60 }, isRunning).removeDuplicates()
  /// let dust = clock.observe { print("\($0) min, \($1)") }  // 0 min, true
  /// seconds.value = 59
  /// seconds.value = 60  // 1 min, true
  /// dust.clean()
  /// ```
  @inlinable public func removeDuplicates<A: Equatable, B: Equatable>() -> Constant<Element>
  where Element == (A, B) { removeDuplicates(by: ==) }

  /// Returns a constant that skips a tuple of three elements if they equal those of the previous tuple.
  @inlinable public func removeDuplicates<A: Equatable, B: Equatable, C: Equatable>() -> Constant<
    Element
  > where Element == (A, B, C) { removeDuplicates(by: ==) }

  /// Returns a constant that skips a tuple of four elements if they equal those of the previous tuple.
  @inlinable public func removeDuplicates<A: Equatable, B: Equatable, C: Equatable, D: Equatable>()
    -> Constant<Element> where Element == (A, B, C, D)
  { removeDuplicates(by: ==) }

  /// Returns a constant that skips a tuple of five elements if they equal those of the previous tuple.
  @inlinable
  public func removeDuplicates<
    A: Equatable,
    B: Equatable,
    C: Equatable,
    D: Equatable,
    E: Equatable
  >() -> Constant<Element> where Element == (A, B, C, D, E) { removeDuplicates(by: ==) }

  /// Returns a constant that skips a tuple of six elements if they equal those of the previous tuple.
  @inlinable
  public func removeDuplicates<
    A: Equatable,
    B: Equatable,
    C: Equatable,
    D: Equatable,
    E: Equatable,
    F: Equatable
  >() -> Constant<Element> where Element == (A, B, C, D, E, F) { removeDuplicates(by: ==) }
}

extension PrimitiveValue where Trait == ImmutableTrait {
  /// Returns a constant whose value is a tuple of the values of several constants and variables.
  ///
  /// ```swift
  /// let first = Variable("Emmett")
  /// let last = Variable("Brown")
  /// let name = Constant.combine(first, last).map { "\($0) \($1)" }
  /// print(name.value)  // Emmett Brown
  /// ```
  ///
  /// If a reduce changes several of the values, even in stores of several dispatchers, the constant delivers one change.
  /// The change has only values of whole reduces and transactions, with two exceptions. If open transactions under
  /// different locks write the same variable, it can have values from the middle of one; see <doc:Promises>. If you observe
  /// during another thread's reduce, the observer may receive values from the middle of this reduce until the reduce has
  /// ended.
  ///
  /// > Warning: A read can return values from the middle of another thread's reduce, as if you read the values one by one,
  /// and the first observer's first value is such a read. To read several values with no reduce in between, use
  /// ``Dispatcher/read(_:)``.
  @inlinable public static func combine<each SourceTrait, each Source: Sendable>(
    _ values: repeat PrimitiveValue<each SourceTrait, each Source>
  ) -> Constant<(repeat each Source)> where Element == (repeat each Source) {
    let inputs = (repeat Input(from: (each values).channel, keptBy: each values))
    var edges: [Edge] = []
    repeat edges.append(each inputs)
    return Constant(
      sharing: DerivedChannel(from: edges) { reading in
        (repeat (each inputs).value(for: reading))
      }
    )
  }

  /// This overload is unavailable, because `combine` needs at least one value.
  @available(*, unavailable, message: "Combine at least one value.")
  public static func combine() -> Constant<()> where Element == () {
    trap("Constant.combine was called without values.")
  }

  /// Returns a constant whose value is a tuple of two values.
  ///
  /// See ``combine(_:)`` for the guarantees, and for values from the middle of a reduce. This overload is three times as
  /// fast as the one for any number of values, because the compiler specializes it for two types.
  @inlinable public static func combine<FirstTrait, First: Sendable, SecondTrait, Second: Sendable>(
    _ first: PrimitiveValue<FirstTrait, First>,
    _ second: PrimitiveValue<SecondTrait, Second>
  ) -> Constant<(First, Second)> where Element == (First, Second) {
    let first = Input(from: first.channel, keptBy: first)
    let second = Input(from: second.channel, keptBy: second)
    return Constant(
      sharing: DerivedChannel(from: [first, second]) { reading in
        (first.value(for: reading), second.value(for: reading))
      }
    )
  }
}
