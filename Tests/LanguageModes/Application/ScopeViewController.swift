import FluxCapacitor
import LanguageModesLibrary

/// Binds to a signal, and observes changes and states during the scope of a view controller and of a model.
final class ScopeViewController: ViewController {
  let label = Label()
  private(set) var counts: [Int] = []

  let sink = Sink<Int>()
  let count = Variable(0)
  private let model = Model()

  override func viewDidLoad() {
    super.viewDidLoad()
    sink.signal.map { "\($0)" }.bind(to: label, \.text)
    sink.signal.bind(to: model, \.count)
    sink.signal.bind(to: self) { me, count in
      me.counts.append(count)
    }
    sink.signal.observe(duringScopeOf: model, on: .main) { [weak self] in
      self?.counts.append($0)
    }
    count.observeChanges(duringScopeOf: self, on: .main) { [weak self] old, new in
      self?.counts.append(new - old)
    }
    Dispatcher.shared.observe(Dispatcher.User.self, duringScopeOf: self, on: .main) {
      [weak self] _ in self?.counts.append(100)
    }
  }
}

/// A model without any annotation.
final class Model {
  var count = 0
}
