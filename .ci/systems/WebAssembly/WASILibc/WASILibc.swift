import Glibc

@discardableResult
public func sched_yield() -> Int32 { Glibc.sched_yield() }
