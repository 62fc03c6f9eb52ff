/// A substitute for `UIViewController`, which UIKit also isolates to the main actor.
@MainActor
open class ViewController {
  /// Creates a view controller.
  public init() {}

  /// Sets up the view after the controller has loaded the view.
  open func viewDidLoad() {}
}
