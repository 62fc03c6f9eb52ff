import FluxCapacitor

/// A store that a ``Keeper`` saves to a file, and restores from it.
///
/// Declare a `Codable` type for the part of the store that you want to save:
///
/// ```swift
/// extension NotesStore: Persistable {
///   struct Saved: Codable {
///     var notes: [String]
///     var draft: String
///   }
///
///   static let archive = Archive(Saved.self, named: "notes", version: 1)
///
///   var saved: Saved { Saved(notes: _notes.value, draft: _draft.value) }
///
///   func restore(_ saved: Saved) {
///     _notes.value = saved.notes
///     _draft.value = saved.draft
///   }
/// }
/// ```
///
/// Don't wait for another thread in ``saved`` or in ``restore(_:)``: while the keeper reads ``saved``, the dispatcher runs
/// no reduce.
public protocol Persistable: Storable {
  /// The saved part of the store.
  associatedtype Saved: Codable & Sendable

  /// The name, the version and the migrations of the store's file.
  static var archive: Archive<Saved> { get }

  /// The part of the store to save.
  ///
  /// The keeper reads this property on a background thread, between two reduces. Reduces don't wait until the result is
  /// encoded. `open` also reads the property, on the calling thread.
  ///
  /// Compute it from the store's own properties: the keeper doesn't notice the changes of a store that you look up here. If
  /// a variable's value is an object, a change inside this object might be saved only after the store has reduced a state.
  var saved: Saved { get }

  /// Sets the store's variables to saved values.
  ///
  /// A keeper calls this method before any other code can use the store, so don't begin a transaction here. If it follows
  /// another process, it also calls the method later, in a transaction on a background thread.
  ///
  /// A file can be edited by hand, so it can contain a value that the store never has, such as a list in which an id occurs
  /// twice. Check what the store relies on, and throw an error before you set a variable. `open` then fails with
  /// ``KeeperFailure/Cause/refused(_:)``, from which an application can recover as from a damaged file.
  ///
  /// - Parameter saved: The saved part of the store, in the newest version.
  /// - Throws: An error with a description of the problem. `open` then releases the store, but the states that its
  ///   initializer has invoked are reduced, also by a store that replaces it.
  func restore(_ saved: Saved) throws
}
