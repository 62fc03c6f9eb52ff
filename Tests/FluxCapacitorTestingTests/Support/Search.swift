import FluxCapacitor

// A small application that runs one search at a time and shows the results.

extension Dispatcher {
  enum Search: DispatchState {
    typealias RelatedStoreType = SearchStore
    typealias RelatedActionType = SearchAction

    case isSearching(Bool)
    case found([String])
    case run(@Sendable () -> Void)
  }
}

final class SearchStore: Storable {
  var isSearching: Constant<Bool> { _isSearching.constant }
  var results: Constant<[String]> { _results.constant }
  let count: Constant<Int>
  private let _isSearching = Variable(false)
  private let _results = Variable<[String]>([])
  private let searches = Variable(0)

  init() {
    count = _results.map(\.count)
  }

  func reduce(with state: Dispatcher.Search) {
    switch state {
    case .isSearching(let isSearching):
      _isSearching.value = isSearching
      if isSearching { searches.value += 1 }
    case .found(let results):
      _results.value = results
      _isSearching.value = false
    case .run(let body):
      body()
    }
  }
}

struct SearchAction: Actionable {
  typealias DispatchStateType = Dispatcher.Search

  func search(_ find: () async -> [String]) async {
    invoke(.isSearching(true))
    let results = await find()
    invoke(.found(results))
  }
}

/// An action that stores the shared dispatcher when the action is created.
struct KeepingAction: Actionable {
  typealias DispatchStateType = Dispatcher.Note

  let dispatcher = Dispatcher.shared
}

struct LosingAction: Actionable {
  typealias DispatchStateType = Dispatcher.Message

  func callBack() { invoke(.sent) }
}

extension Dispatcher {
  enum Note: DispatchState {
    typealias RelatedStoreType = NoteStore
    typealias RelatedActionType = KeepingAction

    case write(String)
  }

  enum Message: DispatchState {
    typealias RelatedStoreType = MessageStore
    typealias RelatedActionType = LosingAction

    case sent
  }
}

final class NoteStore: Storable {
  let text = Variable("")

  func reduce(with state: Dispatcher.Note) {
    switch state {
    case .write(let text): self.text.value = text
    }
  }
}

final class MessageStore: Storable {
  let count = Variable(0)

  func reduce(with _: Dispatcher.Message) { count.value += 1 }
}
