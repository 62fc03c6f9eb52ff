/// Stands in for a reactive library's sequence of events.
public struct Observable<Element: Sendable>: Sendable {
  private let onSubscribe: @Sendable (Observer<Element>) -> Disposable

  /// A sequence that does this whenever somebody subscribes.
  public static func create(
    _ subscribe: @escaping @Sendable (Observer<Element>) -> Disposable
  ) -> Observable {
    Observable(onSubscribe: subscribe)
  }

  /// Asks for the events.
  public func subscribe(onNext: @escaping @Sendable (Element) -> Void) -> Disposable {
    onSubscribe(Observer(onNext: onNext))
  }
}

/// Where a sequence's events go.
public struct Observer<Element: Sendable>: Sendable {
  /// Takes one event.
  public let onNext: @Sendable (Element) -> Void
}

/// A subscription.
public struct Disposable: Sendable {
  /// Ends the subscription.
  public let dispose: @Sendable () -> Void
}

/// Makes subscriptions.
public enum Disposables {
  /// A subscription that does this when it ends.
  public static func create(with dispose: @escaping @Sendable () -> Void) -> Disposable {
    Disposable(dispose: dispose)
  }
}
