import FluxCapacitor

/// A row of the measured tables.
struct Item: Identifiable, Equatable, Sendable {
  let id: Int
  var number = 0
}

/// Returns a table with the ids from 0, each of which has an observer.
private func observedTable(_ count: Int, _ sum: Sum) -> VariableTable<Item> {
  let table = VariableTable((0..<count).map { Item(id: $0) })
  for id in 0..<count {
    _ = table.row(id: id).observe(ignoreFirst: true) { sum.add($0?.number ?? 0) }
  }
  return table
}

/// Returns the rows for tables.
func tableRows(scale: Int) -> [Row] {
  let sum = Sum()
  let n = 1_000 * scale

  let floorSet = Workload(n) {
    let variable = FloorVariable(0)
    variable.observe { sum.add($0) }
    return { for value in 0..<n { variable.value = value } }
  }

  return [
    Row(
      "one of 10,000 observed rows of a table, set in place",
      atMost: .ratio(4),
      floor: floorSet,
      ours: Workload(n) {
        let table = observedTable(10_000, sum)
        return { for value in 0..<n { table[id: 5_000]?.number = value } }
      }
    ),
    Row(
      "one of 10,000 observed rows of a table, replaced",
      atMost: .ratio(4),
      floor: floorSet,
      ours: Workload(n) {
        let table = observedTable(10_000, sum)
        return { for value in 0..<n { table[id: 5_000] = Item(id: 5_000, number: value) } }
      }
    ),
  ]
}

/// Returns the growths for tables.
func tableGrowths(scale: Int) -> [Growth] {
  let sum = Sum()
  return [
    Growth(name: "set an observed row, by rows", sizes: [100, 1_000, 10_000, 100_000]) { size in
      Workload(scale * 100) {
        let table = observedTable(size, sum)
        return { for value in 0..<scale * 100 { table[id: size / 2]?.number = value } }
      }
    },
    Growth(name: "remove a row of a transaction, by rows", sizes: [100, 1_000, 10_000]) { size in
      Workload(size) {
        let table = VariableTable((0..<size).map { Item(id: $0) })
        let dust = table.observeChanges { sum.add($0.difference.count) }
        let ids = (0..<size).shuffled()
        return {
          Dispatcher.shared.transaction { for id in ids { table.remove(id: id) } }
          dust.clean()
        }
      }
    },
  ]
}
