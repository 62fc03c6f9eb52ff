import FluxCapacitor

/// A row of the measured tables.
struct Item: Identifiable, Equatable, Sendable {
  let id: Int
  var number = 0
}

/// Returns a table with the ids from 0, each of which has an observer.
private func observedTable(_ count: Int, _ sum: Sum) -> VariableTable<Item> {
  let table = VariableTable((0..<count).map { Item(id: $0) })
  for id in 0..<count { _ = table.row(id).observe(ignoreFirst: true) { sum.add($0?.number ?? 0) } }
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

  let floorArray = Workload(n / 100) {
    var rows: [Item] = []
    return {
      for id in 0..<n / 100 { rows.append(Item(id: id)) }
      blackHole(rows)
    }
  }

  return [
    Row(
      "one of 10,000 observed rows of a table, set in place",
      atMost: .ratio(4),
      floor: floorSet,
      ours: Workload(n) {
        let table = observedTable(10_000, sum)
        return { for value in 0..<n { table[5_000]?.number = value } }
      }
    ),
    Row(
      "one of 10,000 observed rows of a table, replaced",
      atMost: .ratio(4),
      floor: floorSet,
      ours: Workload(n) {
        let table = observedTable(10_000, sum)
        return { for value in 0..<n { table[5_000] = Item(id: 5_000, number: value) } }
      }
    ),
    Row(
      "append to a table",
      atMost: .absolute(300),
      floor: floorArray,
      ours: Workload(n / 100) {
        let table = VariableTable<Item>()
        return { for id in 0..<n / 100 { table.append(Item(id: id)) } }
      }
    ),
    Row(
      "replace 10,000 rows, 10 of them new",
      atMost: .absolute(2_000_000),
      floor: replacing(observers: 0, sum),
      ours: replacing(observers: 10_000, sum)
    ),
    Row(bytes: "bytes per row of a table", atMost: 100, floor: .floorRow, ours: .row),
    Row(bytes: "bytes per observed row", atMost: 400, floor: .floorObserver, ours: .observedRow),
  ]
}

/// Returns a workload that replaces all rows again and again. Each time, 10 of 10,000 rows have new ids.
private func replacing(observers: Int, _ sum: Sum) -> Workload {
  Workload(20) {
    let table = VariableTable((0..<10_000).map { Item(id: $0) })
    for id in 0..<observers {
      _ = table.row(id).observe(ignoreFirst: true) { sum.add($0?.number ?? 0) }
    }
    let versions = (0..<20).map { version in
      (0..<10_000).map { Item(id: $0 % 1_000 == 0 ? 20_000 + version * 10_000 + $0 : $0) }
    }
    return { for rows in versions { table.replaceAll(with: rows) } }
  }
}

/// Returns the growths for tables.
func tableGrowths(scale: Int) -> [Growth] {
  let sum = Sum()
  return [
    Growth(name: "set an observed row, by rows", sizes: [100, 1_000, 10_000, 100_000]) { size in
      Workload(scale * 100) {
        let table = observedTable(size, sum)
        return { for value in 0..<scale * 100 { table[size / 2]?.number = value } }
      }
    },
    Growth(name: "append a row, by rows", sizes: [10_000, 20_000, 40_000]) { size in
      Workload(size) {
        let table = VariableTable<Item>()
        return { for id in 0..<size { table.append(Item(id: id)) } }
      }
    },
  ]
}
