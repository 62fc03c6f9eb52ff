import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

@Suite(.isolatedDispatcher)
struct ChangedPathTests {
  private let paths = Log<[ChangedPath]>()

  @Test func changeListsTheChangedPartsWithBothTexts() {
    let store = TagsStore.instantiate()
    let dust = Dispatcher.shared.intercept { [paths] event in
      paths.append(event.changes.flatMap(\.paths))
    }

    Dispatcher.shared.dispatch(Dispatcher.ManyTags.set([[1], [2]]))
    Dispatcher.shared.dispatch(Dispatcher.ManyTags.set([[1], [3]]))

    #expect(paths.entries[1].map(\.path) == ["tags[1][0]"])
    #expect(paths.entries[1].map(\.oldText) == ["2"])
    #expect(paths.entries[1].map(\.newText) == ["3"])
    dust.clean()
    withExtendedLifetime(store) {}
  }

  @Test func longListsAreCutToTheBudget() {
    let store = TagsStore.instantiate()
    let dust = Dispatcher.shared.intercept { [paths] event in
      paths.append(event.changes.flatMap(\.paths))
    }

    Dispatcher.shared.dispatch(Dispatcher.ManyTags.set((1...500).map { [$0] }))

    #expect(paths.entries[0].count == 100)
    #expect(paths.entries[0][1].path.hasPrefix("tags["))
    dust.clean()
    withExtendedLifetime(store) {}
  }
}

extension Dispatcher {
  fileprivate enum ManyTags: DispatchState {
    typealias RelatedStoreType = TagsStore

    case set([[Int]])
  }
}

private final class TagsStore: Storable {
  var tags: Constant<[[Int]]> { _tags.constant }
  private let _tags = Variable<[[Int]]>([])

  func reduce(with state: Dispatcher.ManyTags) {
    switch state {
    case .set(let tags): _tags.value = tags
    }
  }
}
