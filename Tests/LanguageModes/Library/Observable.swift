/// A substitute for the observable sequence of a reactive library.
public struct Observable<Element: Sendable>: Sendable {
  private let onSubscribe: @Sendable (Observer<Element>) -> Disposable

  /// Creates a sequence that calls a closure for each subscription.
  public static func create(
    _ subscribe: @escaping @Sendable (Observer<Element>) -> Disposable
  ) -> Observable {
    Observable(onSubscribe: subscribe)
  }

  /// Subscribes to the events.
  public func subscribe(onNext: @escaping @Sendable (Element) -> Void) -> Disposable {
    onSubscribe(Observer(onNext: onNext))
  }
}

/// The receiver of a sequence's events.
public struct Observer<Element: Sendable>: Sendable {
  /// Receives one event.
  public let onNext: @Sendable (Element) -> Void
}

/// A subscription.
public struct Disposable: Sendable {
  /// Ends the subscription.
  public let dispose: @Sendable () -> Void
}

/// A namespace for creating subscriptions.
public enum Disposables {
  /// Creates a subscription that calls a closure when the subscription ends.
  public static func create(with dispose: @escaping @Sendable () -> Void) -> Disposable {
    Disposable(dispose: dispose)
  }
}
