// The parts of UIKit that the documents use.

@MainActor
open class UIViewController {
  public init() {}

  open func viewDidLoad() {}
}

@MainActor
open class UILabel {
  open var text: String?

  public init() {}
}
