/// A first-in-first-out queue; appending and taking are O(1), amortised.
@usableFromInline
struct FIFO<Element> {
  @usableFromInline var elements: [Element?] = []
  @usableFromInline var head = 0

  @inlinable
  init() {}

  @inlinable
  var isEmpty: Bool { head == elements.count }

  @inlinable
  var first: Element? { isEmpty ? nil : elements[head] }

  @inlinable
  mutating func append(_ element: Element) {
    elements.append(element)
  }

  @inlinable
  mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    let element = elements[head].take()
    head += 1
    if head == elements.count {
      // A burst must not keep its memory for good.
      elements.removeAll(keepingCapacity: head <= 64)
      head = 0
    } else if head >= 64, head * 2 >= elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }

  /// Takes out the first element that satisfies the predicate.
  @inlinable
  mutating func remove(where predicate: (Element) -> Bool) -> Element? {
    guard let index = index(where: predicate) else { return nil }
    return elements.remove(at: index)
  }

  /// Changes the first element that satisfies the predicate; answers whether there was one.
  @inlinable
  mutating func update(
    where predicate: (Element) -> Bool,
    _ change: (inout Element) -> Void
  ) -> Bool {
    guard let index = index(where: predicate), var element = elements[index].take() else {
      return false
    }
    change(&element)
    elements[index] = element
    return true
  }

  @inlinable
  func index(where predicate: (Element) -> Bool) -> Int? {
    elements[head...].firstIndex { $0.map(predicate) ?? false }
  }
}
