/// A list that keeps the order in which its elements were added, and removes an element in amortized O(1).
struct OrderedList<Element: OrderedListElement> {
  /// The elements. A removed one leaves a gap.
  private var slots: [Element?] = []
  private var count = 0

  mutating func append(_ element: Element) {
    element.position = Int32(slots.count)
    slots.append(element)
    count += 1
  }

  /// Removes an element of the list.
  mutating func remove(_ element: Element) {
    slots[Int(element.position)] = nil
    count -= 1
    guard count < slots.count / 2 else { return }
    slots.removeAll { $0 == nil }
    for (position, element) in slots.enumerated() { element?.position = Int32(position) }
  }

  func forEach(_ body: (Element) -> Void) { for case let element? in slots { body(element) } }
}

/// An object that can be in one `OrderedList`.
protocol OrderedListElement: AnyObject {
  /// The object's index in the list, which only the list uses.
  var position: Int32 { get set }
}
