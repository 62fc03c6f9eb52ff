#if canImport(SwiftUI)
  import SwiftUI

  extension PrimitiveValue where Trait == ImmutableTrait {
    /// Returns a SwiftUI binding that reads this constant, and passes each new value to a closure.
    ///
    /// ```swift
    /// struct SettingsView: View {
    ///   @State private var store = SettingsStore.instantiate()
    ///   private let action = SettingsAction()
    ///
    ///   var body: some View {
    ///     Toggle(
    ///       "Notifications",
    ///       isOn: store.isNotifying.binding { action.invoke(.setNotifying($0)) }
    ///     )
    ///   }
    /// }
    /// ```
    ///
    /// SwiftUI tracks the reads of the binding as it tracks those of ``value``. The binding keeps the constant alive, but
    /// no store.
    ///
    /// The method is available only on Apple platforms. On other platforms, the project compiles it with a substitute for
    /// SwiftUI.
    ///
    /// - Parameter set: Receives each value that a view sets, on the main actor. Usually, it invokes a state.
    /// - Complexity: O(1).
    @MainActor public func binding(
      _ set: @escaping @MainActor @Sendable (Element) -> Void
    ) -> Binding<Element> {
      let surroundings = Surroundings.current
      return Binding(
        get: { self.value },
        set: { value in Surroundings.call(in: surroundings) { set(value) } }
      )
    }
  }
#endif
