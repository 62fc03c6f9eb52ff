/// Stands in for UIKit's label.
@MainActor
public final class Label {
  /// What it shows.
  public var text: String?

  /// An empty label.
  public init() {}
}
