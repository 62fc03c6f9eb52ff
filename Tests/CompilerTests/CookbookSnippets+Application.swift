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
  let effects = Effects(.latest)
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

struct AccountAction: Actionable {
  typealias DispatchStateType = Dispatcher.Account

  let token: @Sendable (_ name: String, _ password: String) async throws -> Token
  private var effects: Effects { AccountStore.instantiate().effects }

  func logIn(_ name: String, password: String) {
    effects.run { effect in
      do {
        invoke(.logIn(try await token(name, password)), as: effect)
      } catch {
        invoke(.fail("\(error)"), as: effect)
      }
    }
  }

  func logOut() {
    effects.run { _ in }  // Supersedes a login that is in progress.
    invoke(.logOut)
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
        invoke(.fail("\(error)"), as: effect)
      }
    }
  }
}

struct ForecastAction: Actionable {
  typealias DispatchStateType = Dispatcher.Weather

  let service: WeatherService
  var clock: any Clock<Duration> = ContinuousClock()
  private var effects: Effects { WeatherStore.instantiate().effects }

  /// Tries three times, with pauses of one and two seconds.
  func refresh(_ city: String) {
    effects.run { effect in await load(city, attempts: 3, as: effect) }
  }

  /// Refreshes every minute, until a later call of `refresh`, `poll` or `stop`.
  func poll(_ city: String) {
    effects.run { effect in
      while !Task.isCancelled {
        await load(city, attempts: 1, as: effect)
        try? await clock.sleep(for: .seconds(60))
      }
    }
  }

  func stop() { effects.run { _ in } }  // Supersedes the poll.

  private func load(_ city: String, attempts: Int, as effect: Effect) async {
    for attempt in 1...attempts where !Task.isCancelled {
      do {
        let temperature = try await service.temperature(city)
        invoke(.show(temperature, at: service.now()), as: effect)
        return
      } catch {
        if Task.isCancelled { return }
        if attempt == attempts {
          invoke(.fail("\(error)"), as: effect)
        } else {
          try? await clock.sleep(for: .seconds(attempt))
        }
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

  @Test func successfulLoginStoresTheTokenAndRemovesTheFailure() async {
    let store = AccountStore.instantiate()
    let action = AccountAction { name, password in
      guard password == "1.21 GW" else { throw Failure() }
      return Token(text: name)
    }

    action.logIn("emmett", password: "wrong")
    await Dispatcher.shared.settled()
    #expect(store.token.value == nil)
    #expect(store.failure.value == "Failure()")

    action.logIn("emmett", password: "1.21 GW")
    await Dispatcher.shared.settled()
    #expect(store.token.value == Token(text: "emmett"))
    #expect(store.failure.value == nil)
  }

  @Test func logoutSupersedesALoginInProgress() async {
    let store = AccountStore.instantiate()
    defer { withExtendedLifetime(store) {} }
    let gate = FluxCapacitorTesting.Gate()
    let action = AccountAction { name, _ in
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
    let action = AccountAction { _, _ in throw Failure() }

    action.invoke(.logIn(Token(text: "emmett")))
    action.logOut()
    #expect(store.token.value == nil)
    action.logIn("marty", password: "")
    await Dispatcher.shared.settled()

    #expect(store.token.value == nil)
  }

  @Test func descriptionOfAStateHidesASecretToken() {
    let events = Variable<[DispatchEvent]>([])
    let store = AccountStore.instantiate()
    let dust = Dispatcher.shared.intercept { event in events.value.append(event) }
    let action = AccountAction { name, _ in Token(text: name) }

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
      Dispatcher.Weather.fail("Failure()")
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
      Dispatcher.Weather.fail("Failure()")
    } when: {
      action.refresh("Hill Valley")
      await Dispatcher.shared.settled(advancing: clock)
      action.refresh("Atlantis")
      await Dispatcher.shared.settled(advancing: clock)
    }
    #expect(requests.value == 6)
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
