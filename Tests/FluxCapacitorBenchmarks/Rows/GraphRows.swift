import FluxCapacitor

/// Returns the rows of constants that derive from one variable in several steps, or along several paths.
func graphRows(scale: Int) -> [Row] {
  let sum = Sum()
  let n = 1_000 * scale

  /// Returns a workload that sets a handwritten variable. With a step of zero, all values are equal.
  func floorSet(step: Int = 1, observer: @escaping @Sendable (Int) -> Void) -> Workload {
    Workload(n) {
      let variable = FloorVariable(0)
      variable.observe(observer)
      return { for value in 0..<n { variable.value = value &* step } }
    }
  }

  func ourSet(step: Int = 1, observing observe: @escaping (Constant<Int>) -> Dust) -> Workload {
    Workload(n) {
      let variable = Variable(0)
      let dust = observe(Constant(variable))
      return {
        for value in 0..<n { variable.value = value &* step }
        dust.clean()
      }
    }
  }

  /// Returns a variable and the last constant of a chain of maps.
  func chain(of maps: Int) -> (start: Variable<Int>, end: Constant<Int>) {
    let start = Variable(0)
    return (start, (0..<maps).reduce(Constant(start)) { end, _ in end.map { $0 &+ 1 } })
  }

  /// Returns a workload that observes the last constants of `count` chains of maps.
  ///
  /// The workload counts each map as one operation.
  func observing(_ count: Int, of maps: Int) -> Workload {
    Workload(count * maps) {
      let ends = (0..<count).map { _ in chain(of: maps).end }
      let dusts = DustBuster()
      return { for end in ends { end.observe { sum.add($0) }.cleaned(by: dusts) } }
    }
  }

  return [
    Row(
      "diamond of two maps, set and deliver",
      atMost: .ratio(20),
      floor: floorSet { sum.add(($0 &+ 1) &+ ($0 &* 2)) },
      ours: ourSet { source in
        Constant.combine(source.map { $0 &+ 1 }, source.map { $0 &* 2 }).observe {
          sum.add($0.0 &+ $0.1)
        }
      }
    ),
    Row(
      "removeDuplicates, set an equal value",
      atMost: .ratio(5),
      floor: floorSet(step: 0) { sum.addIfChanged($0) },
      ours: ourSet(step: 0) { $0.removeDuplicates().observe { sum.add($0) } }
    ),
    Row(
      "removeDuplicates, set another value",
      atMost: .ratio(6),
      floor: floorSet { sum.addIfChanged($0) },
      ours: ourSet { $0.removeDuplicates().observe { sum.add($0) } }
    ),
    Row(
      "chain of 1,000 maps, set and deliver, per map",
      atMost: .ratio(2),
      floor: Workload(n) {
        let start = FloorVariable(0)
        let end = (0..<1_000).reduce(start) { last, _ in
          let next = FloorVariable(0)
          last.observe { next.value = $0 &+ 1 }
          return next
        }
        end.observe { sum.add($0) }
        return { for value in 0..<n / 1_000 { start.value = value } }
      },
      ours: Workload(n) {
        let (start, end) = chain(of: 1_000)
        let dust = end.observe { sum.add($0) }
        return {
          for value in 0..<n / 1_000 { start.value = value }
          withExtendedLifetime(dust) {}
        }
      }
    ),
    Row(
      "observe a chain, per map, 4,000 maps against 500",
      atMost: .ratio(1.1),
      .absolute(1_000),
      floor: observing(8, of: 500),
      ours: observing(1, of: 4_000)
    ),
  ]
}
