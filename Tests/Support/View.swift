import Dispatch
import FluxCapacitor
import Observation

/// A view that draws its body on the main queue, and again there after each change that Observation reports.
package final class View<Value: Sendable>: @unchecked Sendable {
  private let body: @Sendable () -> Value

  // Only the main queue uses the properties below.
  package private(set) var shown: Value?
  package private(set) var drawings = 0

  package init(_ body: @escaping @Sendable () -> Value) { self.body = body }

  package func draw() {
    drawings += 1
    shown = withObservationTracking(body) { DispatchQueue.main.send { self.draw() } }
  }
}
