// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import FluxCapacitor
import FluxCapacitorTesting
import Testing

// The code of the articles on the structure of an application and on troubleshooting, and its tests.

extension Dispatcher {
  public enum Membership: DispatchState {
    public typealias RelatedStoreType = MembershipStore

    case logIn(name: String)
    case logOut
  }
}

public final class MembershipStore: Storable {
  public var name: Constant<String?> { _name.constant }
  private let _name = Variable<String?>(nil)

  public init() {}

  public func reduce(with state: Dispatcher.Membership) {
    switch state {
    case .logIn(let name): _name.value = name
    case .logOut: _name.value = nil
    }
  }
}

public final class Member: Sendable {
  public var name: Constant<String?> { store.name }
  private let store = MembershipStore.instantiate()

  public init() {}

  public func logOut() { Invoker<Dispatcher.Membership>().invoke(.logOut) }
}

final class DraftsStore: Storable {
  var drafts: Constant<[String]> { _drafts.constant }
  private let _drafts = Variable(["Dear Marty"])

  func reduce(with state: Dispatcher.Membership) {
    if case .logOut = state { _drafts.value = [] }
  }
}

@MainActor
final class BadgeController {
  private(set) var title = ""
  private(set) var isHidden = true

  init(_ store: CounterStore) {
    store.count.bind(to: self) { controller, count in
      controller.title = "\(count)"
      controller.isHidden = count == 0
    }
  }
}

@MainActor
final class TickerScreen {
  private(set) var title = ""
  private let dustBuster = DustBuster()

  init(_ store: CounterStore) {
    Task { [weak self, counts = store.count.values] in
      for await count in counts { self?.title = "Count: \(count)" }
    }
    .cleaned(by: dustBuster)
  }
}

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct StructureSnippets {
  @Test func logoutChangesTheStoresOfTwoFeaturesInOneDispatch() {
    let member = Member()
    let drafts = DraftsStore.instantiate()
    Invoker<Dispatcher.Membership>().invoke(.logIn(name: "Emmett"))
    let both = ValueRecorder(
      Constant.combine(member.name, drafts.drafts).map { "\($0 ?? "-") \($1)" }
    )

    member.logOut()

    #expect(both.values == [#"Emmett ["Dear Marty"]"#, "- []"])
  }

  @MainActor
  @Test func badgeIsHiddenWhileTheCountIsZero() {
    let store = CounterStore.instantiate()
    let badge = BadgeController(store)
    #expect(badge.isHidden)

    CounterAction().increment()

    #expect(badge.title == "1")
    #expect(!badge.isHidden)
  }

  @MainActor
  @Test func screenWithALoopIsReleased() async {
    let store = CounterStore.instantiate()
    var screen: TickerScreen? = TickerScreen(store)
    let isReleased = { [weak screen] in screen == nil }

    withExtendedLifetime(screen) {}
    screen = nil
    await Dispatcher.shared.settled()

    #expect(isReleased())
  }

  @Test func interceptorReceivesTheStoresAndTheChangesOfADispatch() {
    let log = Variable<[String]>([])
    let print = {
      @Sendable (state: any DispatchState, stores: [any Storable.Type], changes: [String]) in
      log.value.append("\(state) \(stores) \(changes)")
    }
    let store = CounterStore.instantiate()

    let dust = Dispatcher.shared.intercept { event in
      print(event.state, event.stores, event.changes.map { "\($0.name) = \($0.newValue)" })
    }
    CounterAction().increment()
    dust.clean()

    #expect(log.value == [#"add(1) [CompilerTests.CounterStore] ["count = 1"]"#])
    withExtendedLifetime(store) {}
  }
}
