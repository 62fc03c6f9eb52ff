import Foundation
import Synchronization

/// Counts the objects that the Swift runtime allocates, including arrays, boxes and closure contexts.
///
/// Count in an exit test, because the counter replaces a hook of the runtime for the process.
enum Allocations {
  private typealias Allocate =
    @convention(c) (UnsafeRawPointer?, Int, Int) -> UnsafeMutableRawPointer?

  private struct Hook: @unchecked Sendable {
    let allocate: UnsafeMutablePointer<Allocate>
    let original: Allocate
    let isEnabled: UnsafeMutablePointer<Bool>

    init?() {
      let process = dlopen(nil, RTLD_NOW)
      guard
        let allocate = dlsym(process, "_swift_allocObject"),
        let isEnabled = dlsym(
          process,
          "_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly"
        )
      else { return nil }
      self.allocate = allocate.assumingMemoryBound(to: Allocate.self)
      self.isEnabled = isEnabled.assumingMemoryBound(to: Bool.self)
      original = self.allocate.pointee
    }
  }

  private static let hook = Hook()
  private static let allocated = Atomic(0)

  /// Whether this build is optimized and the runtime has the hook.
  static var canBeCounted: Bool {
    #if DEBUG
      false
    #else
      hook != nil
    #endif
  }

  /// Returns the number of objects that the process allocates while the closure runs.
  static func count(_ body: () -> Void) -> Int {
    guard let hook else { return -1 }
    allocated.store(0, ordering: .relaxed)
    hook.allocate.pointee = { metadata, size, alignment in
      Allocations.allocated.add(1, ordering: .relaxed)
      return Allocations.hook?.original(metadata, size, alignment)
    }
    hook.isEnabled.pointee = true
    body()
    hook.isEnabled.pointee = false
    hook.allocate.pointee = hook.original
    return allocated.load(ordering: .relaxed)
  }
}
