/// A source of values or events that you can observe: a ``Variable``, a ``Constant`` or a ``Signal``.
///
/// Every source has `observe`, `bind(to:)` and `observe(duringScopeOf:)`. So code that only observes can accept any of
/// them:
///
/// ```swift
/// @MainActor
/// final class Toast {
///   var text = ""
///
///   init(messages: some ObservationSource<String>) {
///     messages.bind(to: self, \.text)
///   }
/// }
/// ```
public protocol ObservationSource<Element>: Sendable {
  /// The type of the values or events.
  associatedtype Element: Sendable

  /// Calls a closure with the current value, if there is one, and then with every change or event.
  ///
  /// Calls to one observer never overlap. <doc:Promises> describes the threads and locks, the order of the calls, and the
  /// calls that wait.
  ///
  /// - Parameters:
  ///   - queue: The queue on which `changes` is called.
  ///   - ignoreFirst: Whether to skip the current value. A signal has no current value.
  ///   - changes: Receives each value or event. The observation retains this closure until you clean the Dust.
  /// - Returns: The observation, which lasts until you clean it, or until the source is deallocated. It keeps a derived
  ///   constant alive.
  /// - Complexity: O(1). For a derived constant without observers, O(k · n) if it derives from k variables through n
  ///   constants.
  func observe(
    on queue: ExecuteQueue,
    ignoreFirst: Bool,
    changes: @escaping @Sendable (Element) -> Void
  ) -> Dust
}

extension PrimitiveValue: ObservationSource {}

extension Signal: ObservationSource {}
