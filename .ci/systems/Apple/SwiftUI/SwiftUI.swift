// The parts of SwiftUI that the documents use.

@_exported import Foundation

@MainActor
@preconcurrency
public protocol View {
  associatedtype Body: View

  @ViewBuilder
  @MainActor
  @preconcurrency
  var body: Body { get }
}

extension View where Body == Never {
  public var body: Never { fatalError("This has no body.") }
}

extension View {
  @MainActor
  @preconcurrency
  public func alert<Title: StringProtocol, Actions: View>(
    _: Title,
    isPresented _: Binding<Bool>,
    @ViewBuilder actions _: () -> Actions
  ) -> some View { self }

  @MainActor
  @preconcurrency
  public func onAppear(perform _: (() -> Void)? = nil) -> some View { self }

  @MainActor
  @preconcurrency
  public func onChange<Value: Equatable>(
    of _: Value,
    initial _: Bool = false,
    _: @escaping () -> Void
  ) -> some View { self }

  @MainActor
  @preconcurrency
  public func onDisappear(perform _: (() -> Void)? = nil) -> some View { self }

  @MainActor
  @preconcurrency
  public func task(
    priority _: TaskPriority = .userInitiated,
    @_inheritActorContext _: @escaping @isolated(any) @Sendable () async -> Void
  ) -> some View { self }

  @MainActor
  @preconcurrency
  public func task<ID: Equatable>(
    id _: ID,
    priority _: TaskPriority = .userInitiated,
    @_inheritActorContext _: @escaping @isolated(any) @Sendable () async -> Void
  ) -> some View { self }

  @MainActor
  @preconcurrency
  public func refreshable(action _: @escaping @Sendable () async -> Void) -> some View { self }

  @MainActor
  @preconcurrency
  public func disabled(_: Bool) -> some View { self }
}

extension Never: View {
  public typealias Body = Never
}

@resultBuilder
public enum ViewBuilder {
  public static func buildBlock<each Content: View>(
    _ content: repeat each Content
  ) -> TupleView<(repeat each Content)> { TupleView() }

  public static func buildIf<Content: View>(_: Content?) -> OptionalContent<Content> {
    OptionalContent()
  }

  public static func buildEither<First: View, Second: View>(
    first _: First
  ) -> ConditionalContent<First, Second> { ConditionalContent() }

  public static func buildEither<First: View, Second: View>(
    second _: Second
  ) -> ConditionalContent<First, Second> { ConditionalContent() }
}

public struct ConditionalContent<First, Second>: View {
  public typealias Body = Never
}

public struct OptionalContent<Content>: View {
  public typealias Body = Never
}

public struct TupleView<Content>: View {
  public typealias Body = Never
}

public struct Text: View {
  public typealias Body = Never

  public init<Content: StringProtocol>(_: Content) {}
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: View {
  public typealias Body = Never

  public init(
    _: Data,
    id _: KeyPath<Data.Element, ID>,
    @ViewBuilder content _: @escaping (Data.Element) -> Content
  ) {}
}

extension ForEach {
  @MainActor
  @preconcurrency
  public func onDelete(perform _: ((IndexSet) -> Void)?) -> some View { self }
}

public struct List<Content: View>: View {
  public typealias Body = Never

  public init(@ViewBuilder content _: () -> Content) {}
}

public struct HStack<Content: View>: View {
  public typealias Body = Never

  public init(@ViewBuilder content _: () -> Content) {}
}

public struct NavigationStack<Path, Root: View>: View {
  public typealias Body = Never

  public init(path _: Binding<Path>, @ViewBuilder root _: () -> Root)
  where
    Path: MutableCollection & RandomAccessCollection & RangeReplaceableCollection,
    Path.Element: Hashable
  {}
}

extension View {
  @MainActor
  @preconcurrency
  public func navigationDestination<Value: Hashable, Destination: View>(
    for _: Value.Type,
    @ViewBuilder destination _: @escaping (Value) -> Destination
  ) -> some View { self }
}

public struct TextField<Label: View>: View {
  public typealias Body = Never

  public init<Title: StringProtocol>(_: Title, text _: Binding<String>) where Label == Text {}
}

public struct Button<Label: View>: View {
  public typealias Body = Never

  public init<Title: StringProtocol>(_: Title, action _: @escaping @MainActor () -> Void)
  where Label == Text {}
}

public struct Toggle<Label: View>: View {
  public typealias Body = Never

  public init<Title: StringProtocol>(_: Title, isOn _: Binding<Bool>) where Label == Text {}
}

@propertyWrapper
public struct Binding<Value> {
  private let get: @isolated(any) @Sendable () -> Value
  private let set: @isolated(any) @Sendable (Value) -> Void

  @preconcurrency
  public init(
    @_inheritActorContext get: @escaping @isolated(any) @Sendable () -> Value,
    @_inheritActorContext set: @escaping @isolated(any) @Sendable (Value) -> Void
  ) {
    self.get = get
    self.set = set
  }

  public var wrappedValue: Value {
    get { fatalError("Nobody shows it.") }
    nonmutating set { _ = newValue }
  }
}

extension Binding: Sendable where Value: Sendable {
  /// Sets the value for a test, as a control does.
  public func change(to value: Value) async { await set(value) }
}

@propertyWrapper
public struct State<Value> {
  private let initialValue: Value

  public init(wrappedValue: Value) {
    initialValue = wrappedValue
  }

  public init(initialValue: Value) {
    self.initialValue = initialValue
  }

  public var wrappedValue: Value {
    get { initialValue }
    nonmutating set { _ = newValue }
  }

  public var projectedValue: Binding<Value> {
    Binding(get: { fatalError("No view shows it.") }, set: { _ in })
  }
}

extension State: Sendable where Value: Sendable {}
