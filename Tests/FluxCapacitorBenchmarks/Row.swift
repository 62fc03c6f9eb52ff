/// One row of the table, which compares this library with equivalent handwritten code (the floor).
struct Row {
  enum Limit {
    /// A limit as a multiple of the floor's result.
    case ratio(Double)

    /// A limit in nanoseconds or bytes.
    case absolute(Double)
  }

  enum Contents {
    case time(floor: Workload, ours: Workload)
    case bytes(floor: Memory, ours: Memory)

    /// Numbers that the row measures itself.
    case samples(floor: () -> [Double], ours: () -> [Double])
  }

  let name: String
  let unit: String
  let limits: [Limit]
  let contents: Contents

  init(_ name: String, atMost limits: Limit..., floor: Workload, ours: Workload) {
    self.name = name
    unit = "ns"
    self.limits = limits
    contents = .time(floor: floor, ours: ours)
  }

  init(bytes name: String, atMost limit: Double, floor: Memory, ours: Memory) {
    self.name = name
    unit = "bytes"
    limits = [.absolute(limit)]
    contents = .bytes(floor: floor, ours: ours)
  }

  init(
    _ name: String,
    unit: String = "ns",
    atMost limit: Double,
    floor: @escaping () -> [Double],
    ours: @escaping () -> [Double]
  ) {
    self.name = name
    self.unit = unit
    limits = [.absolute(limit)]
    contents = .samples(floor: floor, ours: ours)
  }

  func result(repeats: Int) -> RowResult {
    let measurements =
      switch contents {
      case .time(let floor, let ours): measure([floor, ours], repeats: repeats)
      case .bytes(let floor, let ours):
        [floor, ours].map { memory in
          var measurement = Measurement()
          measurement.add(memory.bytes)
          return measurement
        }
      case .samples(let floor, let ours):
        [floor(), ours()].map { samples in
          var measurement = Measurement()
          samples.forEach { measurement.add($0) }
          return measurement
        }
      }
    return RowResult(row: self, floor: measurements[0], ours: measurements[1])
  }
}

/// The measurements of one row.
struct RowResult {
  let row: Row
  let floor: Measurement
  let ours: Measurement

  var ratio: Double { ours.median / floor.median }

  var isWithinLimit: Bool {
    row.limits.allSatisfy { limit in
      switch limit {
      case .ratio(let limit): ratio <= limit
      case .absolute(let limit): ours.median <= limit
      }
    }
  }
}
