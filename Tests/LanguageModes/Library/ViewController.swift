/// A substitute for UIKit's view controller, which is isolated to the main actor like this one.
@MainActor
open class ViewController {
  /// Creates a view controller.
  public init() {}

  /// Does its work when the view has been loaded.
  open func viewDidLoad() {}
}
