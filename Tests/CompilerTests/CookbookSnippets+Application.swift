import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorTesting
import Foundation
import Testing

// The cookbook's recipes for logins, services and servers, and tests of these recipes.

struct Token: Secret, Equatable {
  let text: String
}

extension Dispatcher {
  enum Account: DispatchState {
    typealias RelatedStoreType = AccountStore
    typealias RelatedActionType = AccountAction

    case logIn(Token)
    case fail(String)
    case logOut
  }
}

final class AccountStore: Storable {
  let logins = Effects(.latest)
  let renewals = Effects(.first)
  let requests = Effects(.concurrent(.max))
  var token: Constant<Token?> { _token.constant }
  var failure: Constant<String?> { _failure.constant }
  private let _token = Variable<Token?>(nil)
  private let _failure = Variable<String?>(nil)

  func reduce(with state: Dispatcher.Account) {
    _failure.value = nil
    switch state {
    case .logIn(let token): _token.value = token
    case .fail(let reason): _failure.value = reason
    case .logOut: _token.value = nil
    }
  }
}

enum AccountError: Error {
  /// The server refuses the token.
  case unauthorized
}

struct AccountAction: Actionable {
  typealias DispatchStateType = Dispatcher.Account

  let token: @Sendable (_ name: String, _ password: String) async throws -> Token
  let renewed: @Sendable (Token) async throws -> Token
  private var store: AccountStore { .instantiate() }

  func logIn(_ name: String, password: String) {
    store.logins.run { effect in
      do {
        invoke(.logIn(try await token(name, password)), as: effect)
      } catch {
        invoke(.fail(String(explaining: error)), as: effect)
      }
    }
  }

  func logOut() {
    dispatcher.transaction {
      for effects in [store.logins, store.renewals, store.requests] { effects.supersede() }
      invoke(.logOut)
    }
  }

  /// Makes a request with the token. If the server refuses the token, renews it and tries once more. After a logout, throws
  /// `.unauthorized`.
  func authorized<Answer: Sendable>(
    _ request: @escaping @Sendable (Token) async throws -> Answer
  ) async throws -> Answer {
    let answer = try await store.requests.perform { effect in
      // After a logout, the token in the store can belong to someone else.
      func token() throws -> Token {
        guard let token = store.token.value, !effect.isSuperseded else {
          throw AccountError.unauthorized
        }
        return token
      }
      let old = try token()
      do { return try await request(old) } catch AccountError.unauthorized {}
      try await store.renewals.perform { renewal in
        // Another request may have renewed the token meanwhile.
        if store.token.value == old { invoke(.logIn(try await renewed(old)), as: renewal) }
      }
      return try await request(try token())
    }
    guard let answer else { throw AccountError.unauthorized }
    return answer
  }
}

struct WeatherService: Sendable {
  var temperature: @Sendable (_ city: String) async throws -> Double
  var now: @Sendable () -> Date = { Date() }
}

extension Dispatcher {
  enum Weather: DispatchState {
    typealias RelatedStoreType = WeatherStore
    typealias RelatedActionType = WeatherAction

    case show(Double, at: Date)
    case fail(String)
  }
}

final class WeatherStore: Storable {
  let effects = Effects(.latest)
  var report: Constant<String> { _report.constant }
  private let _report = Variable("")

  func reduce(with state: Dispatcher.Weather) {
    switch state {
    case .show(let temperature, let date): _report.value = "\(temperature) °C at \(date)"
    case .fail(let reason): _report.value = reason
    }
  }
}

struct WeatherAction: Actionable {
  typealias DispatchStateType = Dispatcher.Weather

  let service: WeatherService
  private var effects: Effects { WeatherStore.instantiate().effects }

  func refresh(_ city: String) {
    effects.run { effect in
      do {
        let temperature = try await service.temperature(city)
        invoke(.show(temperature, at: service.now()), as: effect)
      } catch {
        invoke(.fail(String(explaining: error)), as: effect)
      }
    }
  }
}

struct ForecastAction: Actionable {
  typealias DispatchStateType = Dispatcher.Weather

  let service: WeatherService
  var clock: any Clock<Duration> = ContinuousClock()
  private var effects: Effects { WeatherStore.instantiate().effects }

  func refresh(_ city: String) {
    effects.run { effect in await load(city, as: effect) }
  }

  /// Refreshes every minute, until `stop`, a later call, or the end of the store.
  func poll(_ city: String) {
    effects.run { effect in
      while !Task.isCancelled {
        await load(city, as: effect)
        try? await clock.sleep(for: .seconds(60))
      }
    }
  }

  func stop() { effects.supersede() }

  /// Tries five times.
  private func load(_ city: String, as effect: Effect) async {
    for attempt in 1...5 where !Task.isCancelled {
      do {
        let temperature = try await service.temperature(city)
        invoke(.show(temperature, at: service.now()), as: effect)
        return
      } catch  where attempt == 5 {
        invoke(.fail(String(explaining: error)), as: effect)
      } catch {
        try? await clock.sleep(for: pause(afterAttempt: attempt))
      }
    }
  }
}

extension Dispatcher {
  enum Cart: DispatchState {
    typealias RelatedStoreType = CartStore
    typealias RelatedActionType = CartAction

    case add(Int)
  }
}

final class CartStore: Storable {
  var total: Constant<Int> { _total.constant }
  private let _total = Variable(0)

  func reduce(with state: Dispatcher.Cart) {
    switch state {
    case .add(let price): _total.value += price
    }
  }
}

struct CartAction: Actionable {
  typealias DispatchStateType = Dispatcher.Cart

  let price: @Sendable (_ product: String) async throws -> Int

  func add(_ product: String) async throws {
    invoke(.add(try await price(product)))
  }
}

struct CartHandler: Sendable {
  let price: @Sendable (_ product: String) async throws -> Int

  func total(of products: [String]) async throws -> Int {
    try await withDispatcher(Dispatcher()) {
      let store = CartStore.instantiate()
      let action = CartAction(price: price)
      try await withThrowingDiscardingTaskGroup { group in
        for product in products {
          group.addTask { try await action.add(product) }
        }
      }
      return store.total.value
    }
  }
}

extension CookbookSnippets {
  // MARK: - Account

  private func accountAction(
    token: @escaping @Sendable (_ name: String, _ password: String) async throws -> Token
  ) -> AccountAction {
    AccountAction(token: token, renewed: { $0 })
  }

  @Test func successfulLoginStoresTheTokenAndRemovesTheFailure() async {
    let store = AccountStore.instantiate()
    let action = accountAction { name, password in
      guard password == "1.21 GW" else { throw Failure() }
      return Token(text: name)
    }

    action.logIn("emmett", password: "wrong")
    await Dispatcher.shared.settled()
    #expect(store.token.value == nil)
    #expect(store.failure.value == "That didn’t work. Please try again.")

    action.logIn("emmett", password: "1.21 GW")
    await Dispatcher.shared.settled()
    #expect(store.token.value == Token(text: "emmett"))
    #expect(store.failure.value == nil)
  }

  @Test func logoutSupersedesALoginInProgress() async {
    let store = AccountStore.instantiate()
    defer { withExtendedLifetime(store) {} }
    let gate = FluxCapacitorTesting.Gate()
    let action = accountAction { name, _ in
      await gate.pass()
      return Token(text: name)
    }

    await expectStates {
      Dispatcher.Account.logOut
    } when: {
      action.logIn("emmett", password: "")
      await gate.reached()
      action.logOut()
      gate.open()
      await Dispatcher.shared.settled()
    }
  }

  @Test func storeHasNoTokenAfterALogoutAndAFailedLogin() async {
    let store = AccountStore.instantiate()
    let action = accountAction { _, _ in throw Failure() }

    action.invoke(.logIn(Token(text: "emmett")))
    action.logOut()
    #expect(store.token.value == nil)
    action.logIn("marty", password: "")
    await Dispatcher.shared.settled()

    #expect(store.token.value == nil)
  }

  @Test func oneRenewalServesAllRequestsThatTheServerRefuses() async throws {
    let store = AccountStore.instantiate()
    let renewals = Variable(0)
    let action = AccountAction(
      token: { name, _ in Token(text: name) },
      renewed: { [gate] old in
        renewals.value += 1
        await gate.pass()
        return Token(text: old.text + "!")
      }
    )
    action.invoke(.logIn(Token(text: "old")))
    let request: @Sendable (Token) async throws -> String = { [requests] token in
      requests.value.append(token.text)
      guard token.text == "old!" else { throw AccountError.unauthorized }
      return "answer"
    }

    let tasks = (1...3).map { _ in Task { try await action.authorized(request) } }
    await gate.reached()
    // All three are refused before the gate opens.
    for await requests in requests.values where requests.count == 3 { break }
    gate.open()

    for task in tasks { #expect(try await task.value == "answer") }
    #expect(renewals.value == 1)
    #expect(store.token.value?.text == "old!")
  }

  @Test func logoutEndsARenewalInProgress() async {
    let store = AccountStore.instantiate()
    let action = AccountAction(
      token: { name, _ in Token(text: name) },
      renewed: { [gate] old in
        await gate.pass()
        return Token(text: "new")
      }
    )
    action.invoke(.logIn(Token(text: "old")))

    let request = Task {
      try await action.authorized { _ in throw AccountError.unauthorized }
    }
    await gate.reached()
    action.logOut()
    gate.open()

    await #expect(throws: AccountError.unauthorized) { try await request.value }
    #expect(store.token.value == nil)
  }

  @Test func requestOfAnOlderLoginIsNotRepeatedWithANewToken() async {
    let store = AccountStore.instantiate()
    let action = accountAction { name, _ in Token(text: name) }
    action.invoke(.logIn(Token(text: "alice")))
    let request = Task { [gate, requests] in
      try await action.authorized { token in
        requests.value.append(token.text)
        await gate.pass()
        throw AccountError.unauthorized
      }
    }
    await gate.reached()
    action.logOut()
    action.invoke(.logIn(Token(text: "bob")))
    gate.open()

    await #expect(throws: AccountError.unauthorized) { try await request.value }
    await Dispatcher.shared.settled()
    #expect(requests.value == ["alice"])
    #expect(store.token.value?.text == "bob")
  }

  @Test func descriptionOfAStateHidesASecretToken() {
    let events = Variable<[DispatchEvent]>([])
    let store = AccountStore.instantiate()
    let dust = Dispatcher.shared.intercept { event in events.value.append(event) }
    let action = accountAction { name, _ in Token(text: name) }

    action.invoke(.logIn(Token(text: "1.21 GW")))
    dust.clean()

    #expect(events.value.map { "\($0.state)" } == ["logIn(•••)"])
    #expect(store.token.value?.text == "1.21 GW")
  }

  // MARK: - Weather

  @Test func weatherActionUsesTheServiceThatATestPasses() async {
    let store = WeatherStore.instantiate()
    defer { withExtendedLifetime(store) {} }
    let action = WeatherAction(
      service: WeatherService(
        temperature: { city in
          guard city == "Hill Valley" else { throw Failure() }
          return 21
        },
        now: { Date(timeIntervalSince1970: 499_162_500) }
      )
    )

    await expectStates {
      Dispatcher.Weather.show(21, at: Date(timeIntervalSince1970: 499_162_500))
      Dispatcher.Weather.fail("That didn’t work. Please try again.")
    } when: {
      action.refresh("Hill Valley")
      await Dispatcher.shared.settled()
      action.refresh("Atlantis")
      await Dispatcher.shared.settled()
    }
  }

  @Test func weatherActionShowsTheTemperature() async {
    let store = WeatherStore.instantiate()
    let action = WeatherAction(
      service: WeatherService(
        temperature: { _ in 21 },
        now: { Date(timeIntervalSince1970: 0) }
      )
    )

    action.refresh("Hill Valley")
    await Dispatcher.shared.settled()

    #expect(store.report.value == "21.0 °C at 1970-01-01 00:00:00 +0000")
  }

  @Test func forecastIsRequestedAgainAfterAFailure() async {
    let store = WeatherStore.instantiate()
    defer { withExtendedLifetime(store) {} }
    let clock = ManualClock()
    let requests = Variable(0)
    let action = ForecastAction(
      service: WeatherService(
        temperature: { city in
          requests.value += 1
          guard requests.value == 3, city == "Hill Valley" else { throw Failure() }
          return 21
        },
        now: { Date(timeIntervalSince1970: 0) }
      ),
      clock: clock
    )

    await expectStates {
      Dispatcher.Weather.show(21, at: Date(timeIntervalSince1970: 0))
      Dispatcher.Weather.fail("That didn’t work. Please try again.")
    } when: {
      action.refresh("Hill Valley")
      await Dispatcher.shared.settled(advancing: clock)
      action.refresh("Atlantis")
      await Dispatcher.shared.settled(advancing: clock)
    }
    #expect(requests.value == 8)
  }

  @Test func pollingRequestsTheForecastEveryMinuteUntilItIsStopped() async {
    let store = WeatherStore.instantiate()
    defer { withExtendedLifetime(store) {} }
    let clock = ManualClock()
    let requests = Variable(0)
    let action = ForecastAction(
      service: WeatherService(temperature: { _ in
        requests.value += 1
        return 21
      }),
      clock: clock
    )

    action.poll("Hill Valley")
    await clock.sleeping()
    await clock.advance(by: .seconds(120))
    action.stop()
    await Dispatcher.shared.settled()

    #expect(requests.value == 3)
  }

  @Test func stoppedPollShowsNoLateTemperature() async {
    let gate = FluxCapacitorTesting.Gate()
    let store = WeatherStore.instantiate()
    let action = ForecastAction(
      service: WeatherService(temperature: { _ in
        await gate.pass()
        return 21
      })
    )

    action.poll("Hill Valley")
    await gate.reached()
    action.stop()
    gate.open()
    await Dispatcher.shared.settled()

    #expect(store.report.value == "")
  }

  // MARK: - Requests

  @Test nonisolated func concurrentRequestsWithTheirOwnDispatchersShareNoStore() async throws {
    let gate = FluxCapacitorTesting.Gate()
    let handler = CartHandler { product in
      await gate.pass()
      return product.count
    }
    let states = DispatchRecorder()

    let totals = try await withThrowingTaskGroup(of: Int.self) { group in
      for count in 1...20 {
        group.addTask {
          try await handler.total(of: Array(repeating: "ab", count: count))
        }
      }
      await gate.reached(210)  // All requests are in progress now.
      gate.open()
      return try await group.reduce(into: []) { $0.append($1) }
    }

    #expect(totals.sorted() == (1...20).map { $0 * 2 })
    #expect(states.states.isEmpty)
  }

  @Test nonisolated func cartHandlerRethrowsTheErrorOfAPriceRequest() async {
    let handler = CartHandler { product in
      if product == "unknown" { throw Failure() }
      return 1
    }

    await #expect(throws: Failure.self) { try await handler.total(of: ["known", "unknown"]) }
  }
}
