// `timespec` as on Windows and WebAssembly, with 32 bits for nanoseconds.
import Glibc

public struct timespec {
  public var tv_sec: Int64 = 0
  public var tv_nsec: Int32 = 0

  public init() {}
}

public let TIME_UTC: Int32 = 1

@discardableResult
public func timespec_get(_ time: UnsafeMutablePointer<timespec>!, _ base: Int32) -> Int32 {
  var now = Glibc.timespec()
  let result = Glibc.timespec_get(&now, base)
  (time.pointee.tv_sec, time.pointee.tv_nsec) = (Int64(now.tv_sec), Int32(now.tv_nsec))
  return result
}
