import Glibc

@discardableResult
public func sched_yield() -> Int32 { Glibc.sched_yield() }

@discardableResult
public func write(_ file: Int32, _ bytes: UnsafeRawPointer!, _ count: Int) -> Int {
  Glibc.write(file, bytes, count)
}
