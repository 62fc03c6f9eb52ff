/// Stands in for UIKit's view controller, which is isolated to the main actor like this one.
@MainActor
open class ViewController {
  /// A view controller.
  public init() {}

  /// Called when the view is there.
  open func viewDidLoad() {}
}
