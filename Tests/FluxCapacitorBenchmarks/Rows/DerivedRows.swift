import FluxCapacitor
import Observation

/// Returns the rows of derived constants, signals and tracked reads.
func derivedRows(scale: Int) -> [Row] {
  let sum = Sum()
  let n = 1_000 * scale

  func ourGet(of makeConstant: @escaping () -> Constant<Int>) -> Workload {
    Workload(n) {
      let constant = makeConstant()
      return {
        var total = 0
        for _ in 0..<n { total &+= constant.value }
        blackHole(total)
      }
    }
  }

  func floorMap() -> Workload {
    Workload(n) {
      let variable = FloorVariable(0)
      variable.observe { sum.add($0 &* 2) }
      return { for value in 0..<n { variable.value = value } }
    }
  }

  func ourMap(setting set: @escaping (Dispatcher, () -> Void) -> Void) -> Workload {
    Workload(n) {
      let dispatcher = Dispatcher()
      let variable = Variable(0)
      let dust = variable.map { $0 &* 2 }.observe { sum.add($0) }
      return {
        for value in 0..<n { set(dispatcher) { variable.value = value } }
        dust.clean()
      }
    }
  }

  func floorCombine() -> Workload {
    Workload(n) {
      let pair = FloorVariable((0, 0))
      pair.observe { sum.add($0.0 &+ $0.1) }
      return { for value in 0..<n { pair.value = (value, value) } }
    }
  }

  // The write to `first` only stores a value. The write to `pair` calls the observer.
  func floorCombineOfBoth() -> Workload {
    Workload(n) {
      let (first, pair) = (FloorVariable(0), FloorVariable((0, 0)))
      pair.observe { sum.add($0.0 &+ $0.1) }
      return {
        for value in 0..<n {
          first.value = value
          pair.value = (value, value)
        }
      }
    }
  }

  func ourCombine(
    setting set: @escaping (Dispatcher, Variable<Int>, Variable<Int>, Int) -> Void
  ) -> Workload {
    Workload(n) {
      let dispatcher = Dispatcher()
      let (first, second) = (Variable(0), Variable(0))
      let dust = Constant.combine(Constant(first), Constant(second)).observe {
        sum.add($0.0 &+ $0.1)
      }
      return {
        for value in 0..<n { set(dispatcher, first, second, value) }
        dust.clean()
      }
    }
  }

  /// Reads a value as a view's body does, and sets it, again and again.
  func notifyingBodies(
    reading read: @escaping () -> Int,
    setting set: @escaping (Int) -> Void
  ) -> () -> Void {
    {
      for value in 0..<n / 10 {
        withObservationTracking {
          sum.add(read())
        } onChange: {
          sum.add(value)
        }
        set(value)
      }
    }
  }

  return [
    Row(
      "get of a constant, tracked by Observation",
      atMost: .ratio(4),
      floor: .floorGet(n),
      ours: ourGet { Constant(Variable(1)) }
    ),
    Row(
      "a body is tracked and notified",
      atMost: .ratio(2),
      floor: Workload(n / 10) {
        let counter = FloorObservable()
        return notifyingBodies(reading: { counter.value }, setting: { counter.value = $0 })
      },
      ours: Workload(n / 10) {
        let variable = Variable(0)
        let constant = variable.constant
        return notifyingBodies(reading: { constant.value }, setting: { variable.value = $0 })
      }
    ),
    Row(
      "map, set and deliver",
      atMost: .ratio(3),
      floor: floorMap(),
      ours: ourMap { _, set in set() }
    ),
    Row(
      "map, set and deliver in a transaction",
      atMost: .ratio(4),
      floor: floorMap(),
      ours: ourMap { $0.transaction($1) }
    ),
    Row(
      "map, get unchanged",
      atMost: .ratio(4),
      floor: Workload(n) {
        let variable = FloorVariable(1)
        return {
          var total = 0
          for _ in 0..<n { total &+= variable.value &* 2 }
          blackHole(total)
        }
      },
      ours: ourGet { Variable(1).map { $0 &* 2 } }
    ),
    Row(
      "map, set and get",
      atMost: .ratio(4),
      floor: Workload(n) {
        let variable = FloorVariable(1)
        return {
          var total = 0
          for value in 0..<n {
            variable.value = value
            total &+= variable.value &* 2
          }
          blackHole(total)
        }
      },
      ours: Workload(n) {
        let variable = Variable(1)
        let doubled = variable.map { $0 &* 2 }
        return {
          var total = 0
          for value in 0..<n {
            variable.value = value
            total &+= doubled.value
          }
          blackHole(total)
        }
      }
    ),
    Row(
      "combine of two, set one and deliver",
      atMost: .ratio(6),
      floor: floorCombine(),
      ours: ourCombine { _, first, _, value in first.value = value }
    ),
    Row(
      "combine of two, set both and deliver",
      atMost: .ratio(7),
      floor: floorCombineOfBoth(),
      ours: ourCombine { dispatcher, first, second, value in
        dispatcher.transaction {
          first.value = value
          second.value = value
        }
      }
    ),
    Row(
      "signal, send and deliver",
      atMost: .ratio(3),
      floor: Workload(n) {
        let sink = FloorSink<Int>()
        sink.observe { sum.add($0) }
        return { for event in 0..<n { sink.send(event) } }
      },
      ours: Workload(n) {
        let sink = Sink<Int>()
        let dust = sink.signal.observe { sum.add($0) }
        return {
          for event in 0..<n { sink.send(event) }
          dust.clean()
        }
      }
    ),
  ]
}
