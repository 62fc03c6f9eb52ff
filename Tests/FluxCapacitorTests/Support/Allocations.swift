import Foundation
import Synchronization

/// Counts the objects that the Swift runtime allocates, including arrays, boxes and the contexts of
/// closures.
///
/// The counter uses the runtime's hook for Instruments, which applies to the whole process. So count in an
/// exit test, which has its own process.
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

  /// Whether the counts are meaningful. Unoptimized builds allocate many objects that optimized builds
  /// don't.
  static var canBeCounted: Bool {
    #if DEBUG
      false
    #else
      hook != nil
    #endif
  }

  /// Returns the number of objects that are allocated while a closure runs.
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
