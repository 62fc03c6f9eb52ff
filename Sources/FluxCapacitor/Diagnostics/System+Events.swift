// The operating system's functions that events and warnings need.

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

#if DEBUG
  /// Writes a text to standard error, if possible in one piece.
  func writeToStandardError(_ text: String) {
    Array(text.utf8).withUnsafeBytes { bytes in
      #if canImport(WinSDK)
        _ = _write(2, bytes.baseAddress, UInt32(bytes.count))
      #else
        _ = write(2, bytes.baseAddress, bytes.count)
      #endif
    }
  }
#endif

extension Duration {
  /// The wall-clock time since the beginning of 1970.
  static var sinceBeginningOf1970: Duration {
    var time = timespec()
    #if canImport(Android)
      // Older versions of Android lack `timespec_get`, which is in the C standard.
      clock_gettime(CLOCK_REALTIME, &time)
    #else
      timespec_get(&time, TIME_UTC)
    #endif
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
