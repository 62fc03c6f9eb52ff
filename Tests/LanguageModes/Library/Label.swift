/// A substitute for UIKit's label.
@MainActor
public final class Label {
  /// The text that the label shows.
  public var text: String?

  /// Creates an empty label.
  public init() {}
}
