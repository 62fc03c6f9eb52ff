import FluxCapacitor
import FluxCapacitorTestSupport
import Testing

struct DustBusterTests {
  private let variable = Variable(0)
  private let dusts = DustBuster()

  @Test func cleanOfADustBusterEndsAllItsObservationsAndAllowsItsReuse() {
    let log = Log<String>()
    variable.observe(ignoreFirst: true) { log.append("a \($0)") }.cleaned(by: dusts)
    dusts.insert(
      variable.observe(ignoreFirst: true) { log.append("b \($0)") },
      variable.observe(ignoreFirst: true) { log.append("c \($0)") }
    )
    variable.value = 1

    dusts.clean()
    variable.value = 2
    dusts.insert([variable.observe(ignoreFirst: true) { log.append("d \($0)") }])
    variable.value = 3
    dusts.clean()
    variable.value = 4

    #expect(log.entries == ["a 1", "b 1", "c 1", "d 3"])
  }

  @Test func dustBusterEndsItsObservationsInItsDeinit() {
    let log = Log<Int>()
    var dusts: DustBuster? = DustBuster()
    if let dusts { variable.observe { log.append($0) }.cleaned(by: dusts) }

    dusts = nil
    variable.value = 1

    #expect(log.entries == [0])
  }

  @Test func dustBusterReleasesDustThatTheCallerHasAlreadyCleaned() {
    var observations: [Weakly<Dust>] = []

    for _ in 0..<10_000 {
      let dust = variable.observe { _ in }
      dust.cleaned(by: dusts)
      dust.clean()
      observations.append(Weakly(dust))
    }

    #expect(observations.count { $0.object != nil } < 20)
  }

  @Test func dustBusterReleasesTheDustOfAFreedVariable() {
    var observations: [Weakly<Dust>] = []

    for _ in 0..<10_000 {
      let dust = Variable(0).observe { _ in }
      dust.cleaned(by: dusts)
      observations.append(Weakly(dust))
    }

    #expect(observations.count { $0.object != nil } < 40)
  }

  @Test func dustBusterCleansEveryActiveDustAfterMostOfItsDustWasCleanedSeparately() {
    let log = Log<Int>()
    for index in 0..<1_000 {
      let dust = variable.observe(ignoreFirst: true) { _ in log.append(index) }
      dusts.insert(dust)
      if !index.isMultiple(of: 10) { dust.clean() }
    }
    variable.value = 1

    dusts.clean()
    variable.value = 2

    #expect(log.entries == Array(stride(from: 0, to: 1_000, by: 10)))
  }
}

private struct Weakly<Object: AnyObject> {
  weak var object: Object?

  init(_ object: Object) {
    self.object = object
  }
}
