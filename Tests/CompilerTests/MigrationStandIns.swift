// Substitutes for the parts of UIKit, SwiftUI and RxSwift that the code of the migration guides uses.

#if !canImport(UIKit) || os(watchOS)
  @MainActor
  class UIViewController {
    func viewDidLoad() {}
  }

  @MainActor
  final class UILabel {
    var text: String?
  }
#endif

// MARK: - SwiftUI

#if !canImport(SwiftUI)
  @MainActor
  @preconcurrency
  protocol View {
    associatedtype Body: View

    @ViewBuilder
    var body: Body { get }
  }

  protocol Leaf: View {}

  extension Leaf {
    var body: Self { self }
  }

  struct Views: Leaf {
    let all: [any View]
  }

  @MainActor
  @resultBuilder
  enum ViewBuilder {
    static func buildBlock(_ views: any View...) -> Views { Views(all: views) }
  }

  struct Text: Leaf {
    let text: String

    init(_ text: String) { self.text = text }
  }

  struct Button: Leaf {
    let title: String
    let action: @MainActor () -> Void

    init(_ title: String, action: @escaping @MainActor () -> Void) {
      self.title = title
      self.action = action
    }
  }

  @propertyWrapper
  struct State<Value> {
    var wrappedValue: Value
  }

  extension View {
    private var parts: [any View] { (body as? Views)?.all ?? [] }

    var texts: [String] { parts.compactMap { ($0 as? Text)?.text } }

    func button(_ title: String) -> Button? {
      parts.lazy.compactMap { $0 as? Button }.first { $0.title == title }
    }
  }
#endif

// MARK: - RxSwift

// As in RxSwift, `Observable` isn't `Sendable`.

final class Observable<Element> {
  private let onSubscribe: (AnyObserver<Element>) -> any Disposable

  private init(_ onSubscribe: @escaping (AnyObserver<Element>) -> any Disposable) {
    self.onSubscribe = onSubscribe
  }

  static func create(_ subscribe: @escaping (AnyObserver<Element>) -> any Disposable) -> Observable
  {
    Observable(subscribe)
  }

  func subscribe(onNext: @escaping (Element) -> Void) -> any Disposable {
    onSubscribe(AnyObserver(next: onNext))
  }
}

struct AnyObserver<Element> {
  fileprivate let next: (Element) -> Void

  func onNext(_ element: Element) { next(element) }
}

protocol Disposable {
  func dispose()
}

enum Disposables {
  static func create(with dispose: @escaping () -> Void) -> any Disposable {
    AnonymousDisposable(onDispose: dispose)
  }
}

private final class AnonymousDisposable: Disposable {
  private var onDispose: (() -> Void)?

  init(onDispose: @escaping () -> Void) { self.onDispose = onDispose }

  func dispose() {
    onDispose?()
    onDispose = nil
  }
}
