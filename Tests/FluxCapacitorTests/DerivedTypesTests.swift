import FluxCapacitor
import FluxCapacitorTestSupport
import Testing

/// V1, B1: a derived constant passes on a value of any type as it is, on each way on which a value is computed.
struct DerivedTypesTests {
  private protocol Shape: Sendable {}
  private struct Square: Shape {}

  @Test func optionalsKeepTheirDepth() {
    check(Int?.none, .some(1)) { "\(String(reflecting: $0))" }
    check(Int??.none, .some(nil), .some(.some(1))) { "\(String(reflecting: $0))" }
    check(Int???.none, .some(nil), .some(.some(nil)), 1) { "\(String(reflecting: $0))" }
    check(Void?.none, ()) { "\(String(reflecting: $0))" }
  }

  @Test func existentialsAreNotWrapped() {
    check(1 as any Sendable, "a", Int?.none, Int?.some(1)) { "\($0)" }
    check((any Sendable)?.none, .some(1), .some(Int?.none as any Sendable)) {
      "\($0 == nil) \($0 as Any)"
    }
    check((any AnyObject & Sendable)?.none, Token()) { "\($0 == nil)" }
    check(1 as any CustomDebugStringConvertible & Sendable, "a") { $0.debugDescription }
    check(1 as any CustomReflectable & Sendable, [1]) { "\($0)" }
    check(1 as any Hashable & Sendable, "a", Int?.none) { "\($0)" }
    check((any Shape)?.none, Square()) { "\($0 == nil)" }
    check((any Error)?.none, CancellationError()) { "\($0 == nil)" }
    check([Int?.none as any Sendable], [1]) { "\($0)" }
  }

  @Test func otherTypesKeepTheirValues() {
    check((1, Int?.none), (2, 3)) { "\($0)" }
    check(Int.self as any Any.Type, String.self) { "\($0)" }
    let closures: [@Sendable () -> Int] = [{ 1 }, { 2 }]
    for closure in closures { check(closure) { "\($0())" } }
    check(()) { "\($0)" }
    check(Result<Int?, CancellationError>.success(nil), .failure(CancellationError())) { "\($0)" }
  }

  private final class Token: Sendable {}

  private func check<Value: Sendable>(
    _ values: Value...,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ text: @escaping @Sendable (Value) -> String
  ) {
    for value in values {
      let (variable, right) = (Variable(value), text(value))
      let chain = variable.map { $0 }.map { $0 }
      let texts = chain.map(text)
      let both = Constant.combine(variable.map { $0 }, Variable(0)).map { text($0.0) }
      let all = [texts.value, both.value, chain.map(text).value, text(chain.value)]
      #expect(all.allSatisfy { $0 == right }, sourceLocation: sourceLocation)
      let log = Log<String>()
      let dusts = [texts, both].map { $0.observe { log.append($0) } }
      variable.value = value
      let all2 = log.entries + [texts.value, both.value]
      #expect(all2.count == 6 && all2.allSatisfy { $0 == right }, sourceLocation: sourceLocation)
      for dust in dusts { dust.clean() }

      // The first value, changes of the other source, and further changes.
      let (first, other) = (Log<String>(), Variable(0))
      let observed: [Dust] = [
        variable.map { $0 }.observe { first.append(text($0)) },
        variable.removeDuplicates { _, _ in false }.observe { first.append(text($0)) },
        Constant.combine(variable, other).observe { first.append(text($0.0)) },
        Constant.combine(variable.map { $0 }, other).observe { first.append(text($0.0)) },
      ]
      other.value = 1
      for last in values { variable.value = last }
      let rights = [right] * 4 + [right] * 2 + values.flatMap { [text($0)] * 4 }
      #expect(first.entries == rights, sourceLocation: sourceLocation)
      for dust in observed { dust.clean() }
    }
  }
}

private func * (texts: [String], count: Int) -> [String] { (0..<count).flatMap { _ in texts } }
