import FluxCapacitor
import Testing

struct DustBusterTests {
  @Test func cleanEndsEverythingInTheBagWhichCanBeUsedAgain() {
    let variable = Variable(0)
    let log = Log<String>()
    let dusts = DustBuster()
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

  @Test func bagCleansWhenItGoesAway() {
    let variable = Variable(0)
    let log = Log<Int>()
    var dusts: DustBuster? = DustBuster()
    if let dusts { variable.observe { log.append($0) }.cleaned(by: dusts) }

    dusts = nil
    variable.value = 1

    #expect(log.entries == [0])
  }
}
