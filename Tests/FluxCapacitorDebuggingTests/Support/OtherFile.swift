import FluxCapacitor
import FluxCapacitorDebugging

/// State types with the same names as state types in other files.
enum OtherFile {
  static var list: any RecordedFlow.CodableState.Type { List.self }

  static func dispatchItsList() { Invoker<List>().invoke(.only) }

  static func dispatchItsPublicState() { Dispatcher.shared.dispatch(Dispatcher.Published.only) }
}

private enum List: DispatchState, Codable {
  typealias RelatedStoreType = ListStore

  case only
}

private final class ListStore: Storable {
  func reduce(with _: List) {}
}

extension Dispatcher {
  enum Published: DispatchState, Codable {
    typealias RelatedStoreType = PublishedStore

    case only
  }
}

final class PublishedStore: Storable {
  func reduce(with _: Dispatcher.Published) {}
}
