// The parts of UIKit that the documents use.

@_exported import Foundation

@MainActor
open class UIView {
  open var frame = CGRect.zero

  open var bounds = CGRect.zero

  public init() {}

  public func addSubview(_: UIView) {}
}

@MainActor
open class UIViewController {
  open var view: UIView! = UIView()

  public init() {}

  open func viewDidLoad() {}
}

open class UILabel: UIView {
  open var text: String?
}

@MainActor
public final class UIAction {
  public init(title _: String, handler _: @escaping @MainActor (UIAction) -> Void) {}
}

open class UIStackView: UIView {
  public enum Axis { case horizontal, vertical }

  open var axis = Axis.horizontal

  public convenience init(arrangedSubviews _: [UIView]) { self.init() }
}

open class UIButton: UIView {
  public convenience init(primaryAction _: UIAction?) { self.init() }
}

// MARK: - Table views

open class UITableView: UIView {
  open func register(_: AnyClass?, forCellReuseIdentifier _: String) {}

  open func dequeueReusableCell(withIdentifier _: String, for _: IndexPath) -> UITableViewCell {
    UITableViewCell()
  }
}

open class UITableViewCell: UIView {
  open var textLabel: UILabel? = UILabel()
}

open class UITableViewController: UIViewController {
  open var tableView: UITableView! = UITableView()
}

public struct NSDiffableDataSourceSnapshot<
  Section: Hashable & Sendable,
  Item: Hashable & Sendable
>: Sendable {
  public init() {}

  public mutating func appendSections(_: [Section]) {}

  public mutating func appendItems(_: [Item], toSection _: Section? = nil) {}

  public mutating func reconfigureItems(_: [Item]) {}
}

@MainActor
open class UITableViewDiffableDataSource<Section: Hashable & Sendable, Item: Hashable & Sendable> {
  public typealias CellProvider = (UITableView, IndexPath, Item) -> UITableViewCell?

  public init(tableView _: UITableView, cellProvider _: @escaping CellProvider) {}

  open func apply(
    _: NSDiffableDataSourceSnapshot<Section, Item>,
    animatingDifferences _: Bool = true
  ) {}
}
