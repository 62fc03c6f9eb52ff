// On systems without SwiftUI, `.ci/platforms` compiles this file with a substitute for SwiftUI.
#if canImport(SwiftUI)
  import FluxCapacitor
  import SwiftUI

  struct CapitalScreen: View {
    @State private var store = CapitalStore.instantiate()
    private let action = CapitalAction(service: OfflineCapitalService())

    var body: some View {
      Button("France") { action.findCapital(of: "France") }
      switch store.phase.value {
      case .idle: Text("Ask me for a capital.")
      case .loading(let country): Text("The capital of \(country) …")
      case .loaded(let capital): Text(capital)
      case .failed(let reason): Text(reason)
      }
    }
  }
#endif
