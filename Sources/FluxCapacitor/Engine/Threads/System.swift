// The operating system's functions that the engine calls. Only this file and `Diagnostics/System+Events.swift` distinguish
// operating systems.

#if canImport(WinSDK)
  import CRT
  import WinSDK
#elseif canImport(WASILibc)
  import WASILibc
#elseif canImport(Android)
  import Android
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

extension ThreadState {
  #if !_runtime(_multithreaded)
    /// The state of the process's only thread, so this variable needs no synchronization.
    nonisolated(unsafe) private static var ofOnlyThread: UnsafeMutableRawPointer?

    static func makeKey() -> UInt? { 0 }

    static func ofThread(under key: UInt) -> UnsafeMutableRawPointer? { ofOnlyThread }

    static func setOfThread(_ state: UnsafeMutableRawPointer, under key: UInt) {
      ofOnlyThread = state
    }
  #elseif canImport(WinSDK)
    /// Creates the thread-local storage key for the threads' states. The system frees a state when its
    /// thread ends.
    ///
    /// - Returns: The key, or `nil` if the process has no more keys.
    static func makeKey() -> UInt? {
      let key = FlsAlloc { ThreadState.free($0) }
      return key == FLS_OUT_OF_INDEXES ? nil : UInt(key)
    }

    /// Returns the current thread's state, or `nil` if the thread has no state yet.
    static func ofThread(under key: UInt) -> UnsafeMutableRawPointer? {
      FlsGetValue(DWORD(truncatingIfNeeded: key))
    }

    static func setOfThread(_ state: UnsafeMutableRawPointer, under key: UInt) {
      FlsSetValue(DWORD(truncatingIfNeeded: key), state)
    }
  #else
    /// Creates the thread-local storage key for the threads' states. The system frees a state when its
    /// thread ends.
    ///
    /// - Returns: The key, or `nil` if the process has no more keys.
    static func makeKey() -> UInt? {
      var key = pthread_key_t()
      return pthread_key_create(&key) { ThreadState.free($0) } == 0 ? UInt(key) : nil
    }

    /// Returns the current thread's state, or `nil` if the thread has no state yet.
    static func ofThread(under key: UInt) -> UnsafeMutableRawPointer? {
      pthread_getspecific(pthread_key_t(truncatingIfNeeded: key))
    }

    static func setOfThread(_ state: UnsafeMutableRawPointer, under key: UInt) {
      pthread_setspecific(pthread_key_t(truncatingIfNeeded: key), state)
    }
  #endif
}

/// Lets another thread run if one is ready.
func yieldToOtherThreads() {
  #if canImport(WinSDK)
    SwitchToThread()
  #else
    sched_yield()
  #endif
}
