extension PrimitiveValue {
  /// Returns a constant whose value a closure computes from this value.
  ///
  /// You can read and observe a derived constant, and derive further constants from it, like any other
  /// constant.
  ///
  /// - Without observers, a derived constant computes its value when you read it. If no source has
  ///   changed since the last computation, the constant returns the stored value.
  /// - An observed constant computes each change once. The constant delivers the change after the reduce
  ///   or transaction that made the change. If you read the constant before this delivery, your read
  ///   computes the new value, possibly before observers receive it. A thread that reads while another one delivers,
  ///   or that reads in an observer, may compute a value a second time.
  /// - A change that is already in progress when the last observation ends might still be computed.
  /// - However you compose derived constants, each change to the variables is delivered once. Each
  ///   delivered value is computed from values that belong together. But an observer that subscribes during
  ///   another thread's reduce may receive values from the middle of this reduce until the reduce has ended.
  /// - You don't have to keep a reference to a derived constant that you observe. The observation keeps
  ///   the constant alive until you clean the observation's Dust.
  /// - A derived constant keeps its variables alive, but no store.
  ///
  /// ```swift
  /// let names = Variable(["Emmett", "Marty"])
  /// let title = names.map { "\($0.count) people" }
  /// let dust = title.observe { print($0) }  // 2 people
  /// names.value.append("Jennifer")  // 3 people
  /// dust.clean()
  /// ```
  ///
  /// - Precondition: The result of `transform` depends only on its argument.
  /// - Parameter transform: Computes the constant's value. The thread that reads the constant or
  ///   delivers the change calls this closure. The library holds no lock during the call, except for the locks of
  ///   code that reads the constant, such as a reduce or the body of a `modify`. If two threads read an unobserved
  ///   constant at the same time, both threads may call this closure.
  @inlinable public func map<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) -> Result
  ) -> Constant<Result> {
    let source = Edge(from: channel, keptBy: self)
    return Constant(
      sharing: DerivedChannel(from: [source]) { transform(source.sourceValue(for: $0)) }
    )
  }

  /// Returns a constant that skips each value that a predicate considers equal to the previous value.
  ///
  /// A skipped value is not delivered, and no derived constant is computed because of a skipped value.
  ///
  /// All observers receive the same values. An observer that joins others starts with the value that they
  /// received last. Before there are observers, the constant has the value of its source, because nothing has been
  /// delivered to compare it with. If the predicate lets different values count as equal, a read before the delivery and
  /// a read after the last observer has left may return either of two such values.
  ///
  /// - Parameter areEquivalent: Returns whether two values are equal. Like the transform of ``map(_:)``,
  ///   this predicate is called on any thread.
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
  /// Returns a constant that skips each value that is equal to the previous value.
  ///
  /// Values are compared with `==`. So a NaN, which isn't equal to itself, is never skipped. To skip it, pass a
  /// predicate to ``removeDuplicates(by:)``.
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

// Overloads with parameter packs crash the compiler, or match a tuple with labels as an empty tuple.
extension PrimitiveValue {
  /// Returns a constant that skips each tuple whose elements are equal to the previous tuple's elements.
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

  /// Returns a constant that skips each tuple of three elements that equal the previous tuple's elements.
  @inlinable public func removeDuplicates<A: Equatable, B: Equatable, C: Equatable>() -> Constant<
    Element
  > where Element == (A, B, C) { removeDuplicates(by: ==) }

  /// Returns a constant that skips each tuple of four elements that equal the previous tuple's elements.
  @inlinable public func removeDuplicates<A: Equatable, B: Equatable, C: Equatable, D: Equatable>()
    -> Constant<Element> where Element == (A, B, C, D)
  { removeDuplicates(by: ==) }

  /// Returns a constant that skips each tuple of five elements that equal the previous tuple's elements.
  @inlinable
  public func removeDuplicates<
    A: Equatable,
    B: Equatable,
    C: Equatable,
    D: Equatable,
    E: Equatable
  >() -> Constant<Element> where Element == (A, B, C, D, E) { removeDuplicates(by: ==) }

  /// Returns a constant that skips each tuple of six elements that equal the previous tuple's elements.
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
  /// If a reduce changes several of the values, the combined constant delivers one change, even if
  /// the values belong to several dispatchers. The change has only values of whole reduces and transactions.
  ///
  /// There are two exceptions. If open transactions under different locks write the same variable, a change can
  /// have values from the middle of one; see <doc:Promises>. And an observer that
  /// subscribes during another thread's reduce may receive values from the middle of this reduce until the
  /// reduce has ended.
  ///
  /// > Warning: A read can return values from the middle of another thread's reduce, as if you read the
  /// > values one by one. The first value that the first observer receives is the result of such a read. To
  /// > read several values with no reduce in between, use ``Dispatcher/read(_:)``.
  ///
  /// ```swift
  /// let first = Variable("Emmett")
  /// let last = Variable("Brown")
  /// let name = Constant.combine(first, last).map { "\($0) \($1)" }
  /// print(name.value)  // Emmett Brown
  /// ```
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
  /// See ``combine(_:)`` for the guarantees, and for values from the middle of a reduce.
  ///
  /// The compiler's specialization for two types makes this overload three times as fast as the overload
  /// for any number of values.
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
