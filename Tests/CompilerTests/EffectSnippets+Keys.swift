import FluxCapacitor
import FluxCapacitorTesting
import Testing

// Code of the documents on effects of keys and on superseding, with tests of these examples.

private enum Examples {
  struct PhotoAction: Actionable {
    typealias DispatchStateType = Dispatcher.Photos

    let load: @Sendable (_ id: Int) async -> Photo

    func show(_ id: Int) {
      PhotoStore.instantiate().loads[id].run { effect in
        invoke(.loaded(await load(id)), as: effect)
      }
    }
  }

  struct VaultAction: Actionable {
    typealias DispatchStateType = Dispatcher.Vault

    let decrypt: @Sendable (_ password: String) async -> [String]

    func unlock(_ password: String) {
      VaultStore.instantiate().unlocking.run { effect in
        invoke(.unlocked(await decrypt(password)), as: effect)
      }
    }

    func lock() {
      VaultStore.instantiate().unlocking.supersede()
      invoke(.locked)
    }
  }
}

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct KeyedEffectSnippets {
  private let gate = FluxCapacitorTesting.Gate()

  @Test func eachPhotoIsLoadedOnceAtATime() async {
    let store = PhotoStore.instantiate()
    let action = Examples.PhotoAction { id in
      await gate.pass()
      return Photo(id: id)
    }
    for id in [1, 2, 1] { action.show(id) }
    await gate.reached(2)
    gate.open()
    await Dispatcher.shared.settled()

    #expect(store.photos.value.map(\.id).sorted() == [1, 2])
  }

  @Test func lockedVaultStaysLocked() async {
    let store = VaultStore.instantiate()
    let action = Examples.VaultAction { _ in
      await gate.pass()
      return ["secret"]
    }
    action.unlock("1234")
    action.unlock("1234")
    await gate.reached()
    action.lock()
    gate.open()
    await Dispatcher.shared.settled()

    #expect(store.passwords.value == [])
  }
}

struct Photo: Identifiable, Sendable {
  let id: Int
}

extension Dispatcher {
  fileprivate enum Photos: DispatchState {
    typealias RelatedStoreType = PhotoStore
    typealias RelatedActionType = Examples.PhotoAction

    case loaded(Photo)
  }

  fileprivate enum Vault: DispatchState {
    typealias RelatedStoreType = VaultStore
    typealias RelatedActionType = Examples.VaultAction

    case unlocked([String])
    case locked
  }
}

private final class PhotoStore: Storable {
  let photos = Variable<[Photo]>([])
  let loads = KeyedEffects<Int>(.first)

  func reduce(with state: Dispatcher.Photos) {
    switch state {
    case .loaded(let photo): photos.value.append(photo)
    }
  }
}

private final class VaultStore: Storable {
  let passwords = Variable<[String]>([])
  let unlocking = Effects(.serial)

  func reduce(with state: Dispatcher.Vault) {
    switch state {
    case .unlocked(let passwords): self.passwords.value = passwords
    case .locked: passwords.value = []
    }
  }
}
