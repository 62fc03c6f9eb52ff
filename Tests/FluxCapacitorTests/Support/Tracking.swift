import FluxCapacitor
import Observation

/// Makes and reads a constant as a view's body does, and calls a closure when the constant changes.
func track<Element>(
  _ constant: @autoclosure () -> Constant<Element>,
  onChange: @escaping @Sendable () -> Void = {}
) {
  withObservationTracking({ _ = constant().value }, onChange: onChange)
}
