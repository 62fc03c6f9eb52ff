import FluxCapacitor

// The code of the article on UIKit and AppKit. `.ci/platforms` compiles this file with substitutes for both.

#if canImport(UIKit) && !os(watchOS)
  import UIKit

  final class CounterViewController: UIViewController {
    private let store = CounterStore.instantiate()
    private let action = Invoker<Dispatcher.Counter>()

    override func viewDidLoad() {
      super.viewDidLoad()
      let label = UILabel()
      store.count.map { "Count: \($0)" }.bind(to: label, \.text)
      let addOne = UIAction(title: "Add one") { [action] _ in action.invoke(.add(1)) }
      let stack = UIStackView(arrangedSubviews: [label, UIButton(primaryAction: addOne)])
      stack.axis = .vertical
      stack.frame = view.bounds
      view.addSubview(stack)
    }
  }

  final class CardTableViewController: UITableViewController {
    private let store = CardStore.instantiate()
    private let dustBuster = DustBuster()
    private var ids: [Card.ID] = []

    override func viewDidLoad() {
      super.viewDidLoad()
      tableView.register(UITableViewCell.self, forCellReuseIdentifier: "card")
      let source = UITableViewDiffableDataSource<Int, Card.ID>(tableView: tableView) {
        [store] tableView, indexPath, id in
        let cell = tableView.dequeueReusableCell(withIdentifier: "card", for: indexPath)
        cell.textLabel?.text = store.cards[id: id]?.title
        return cell
      }
      store.cards
        .observeChanges(on: .main) { [weak self] changes in
          guard let self, let ids = self.ids.applying(changes.difference) else { return }
          self.ids = ids
          var snapshot = NSDiffableDataSourceSnapshot<Int, Card.ID>()
          snapshot.appendSections([0])
          snapshot.appendItems(ids)
          snapshot.reconfigureItems(changes.updated)
          source.apply(snapshot)
        }
        .cleaned(by: dustBuster)
    }
  }
#endif

#if canImport(AppKit)
  import AppKit

  final class CounterPaneController: NSViewController {
    private let store = CounterStore.instantiate()

    override func loadView() {
      let label = NSTextField(labelWithString: "")
      store.count.map { "Count: \($0)" }.bind(to: label, \.stringValue)
      view = label
    }
  }
#endif
