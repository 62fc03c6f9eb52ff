import FluxCapacitor
import FluxCapacitorTesting
import Dispatch
import Testing
import Synchronization

#if DEBUG
final class Box<T: Sendable>: Sendable { let m: Mutex<T>; init(_ v: T) { m = Mutex(v) }; var v: T { get { m.withLock { $0 } } set { m.withLock { $0 = newValue } } } }
struct TryTests {
  @Test func secondClean() {
    let clock = ContinuousClock()
    for reduced in [true, false] { for p in 0...2 {
    let e = Exploration(preemptions: p, isReduced: reduced)
    var f: String?
    let t = clock.measure { f = e.run { scenario in
      let v = Variable(0)
      let cleaned = Box(false), late = Box(false)
      let queue = DispatchQueue(label: "q")
      let dust = v.observe(on: .queue(queue), ignoreFirst: true) { _ in if cleaned.v { late.v = true } }
      scenario.thread { v.value = 1 }
      scenario.thread { dust.clean() }
      scenario.thread { dust.clean(); cleaned.v = true }
      scenario.check { if late.v { throw Late() } }
    } }
    print(reduced, p, e.schedules, t, f?.prefix(3000) ?? "fine")
    } }
  }
  struct Late: Error {}
}
#endif
