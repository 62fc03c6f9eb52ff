// The parts of AppKit that the documents use.

@_exported import Foundation

@MainActor
open class NSView {
  public init() {}

  public func addSubview(_: NSView) {}
}

@MainActor
open class NSViewController {
  open var view = NSView()

  public init() {}

  open func loadView() {}

  open func viewDidLoad() {}
}

open class NSTextField: NSView {
  open var stringValue = ""

  public convenience init(labelWithString text: String) {
    self.init()
    stringValue = text
  }
}
