import FluxCapacitor
import Observation
import Testing

/// B5 and B12: a row that is read inside `withObservationTracking` is tracked by itself.
struct TableTrackingTests {
  /// A view in the manner of SwiftUI, which evaluates its body again after each change.
  private final class View: Sendable {
    let bodies = Tally()
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
      draw()
    }

    private func draw() {
      withObservationTracking {
        bodies.add()
        body()
      } onChange: { [weak self] in
        self?.draw()
      }
    }
  }

  @Test func changeOfOneRowRedrawsOneRowOfAList() {
    let variable = table("abc")
    let cards = variable.constant
    let list = View { _ = cards.ids.value }
    let rows = ["a", "b", "c"].map { id in View { _ = cards.row(id: id).value } }

    variable[id: "b"]?.title = "1"
    #expect(list.bodies.value == 1)
    #expect(rows.map(\.bodies.value) == [1, 2, 1])

    variable[id: "b"]?.title = "2"
    variable[id: "c"]?.title = "2"
    variable.append(Card("d"))
    #expect(list.bodies.value == 2)
    #expect(rows.map(\.bodies.value) == [1, 3, 2])
  }

  @Test func rowReadBySubscriptIsTracked() {
    let cards = table("ab")
    let view = View { _ = cards.constant[id: "a"] }

    cards[id: "b"]?.title = "1"
    #expect(view.bodies.value == 1)
    cards[id: "a"]?.title = "1"
    cards[id: "a"] = nil
    cards.append(Card("a"))
    #expect(view.bodies.value == 4)
  }
}
