// The declarations of Android's C library that the core uses, with Android's signatures.
import Glibc

public typealias pthread_key_t = Int32
public typealias timespec = Glibc.timespec
public let CLOCK_REALTIME: Int32 = 0

@discardableResult
public func pthread_key_create(
  _ key: UnsafeMutablePointer<pthread_key_t>,
  _ destructor: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
) -> Int32 {
  key.withMemoryRebound(to: UInt32.self, capacity: 1) { Glibc.pthread_key_create($0, destructor) }
}

public func pthread_getspecific(_ key: pthread_key_t) -> UnsafeMutableRawPointer? {
  Glibc.pthread_getspecific(UInt32(key))
}

@discardableResult
public func pthread_setspecific(_ key: pthread_key_t, _ value: UnsafeRawPointer?) -> Int32 {
  Glibc.pthread_setspecific(UInt32(key), value)
}

@discardableResult
public func clock_gettime(_ clock: Int32, _ time: UnsafeMutablePointer<timespec>) -> Int32 {
  Glibc.clock_gettime(clock, time)
}

@discardableResult
public func sched_yield() -> Int32 { Glibc.sched_yield() }

@discardableResult
public func write(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  Glibc.write(file, bytes, count)
}
