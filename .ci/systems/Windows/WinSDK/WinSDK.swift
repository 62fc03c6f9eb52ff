// The declarations of WinSDK that the core uses, with the signatures of Windows.
import Glibc

public typealias DWORD = UInt32
public let FLS_OUT_OF_INDEXES: DWORD = 0xFFFF_FFFF

public func FlsAlloc(_ callback: (@convention(c) (UnsafeMutableRawPointer?) -> Void)!) -> DWORD {
  var key = pthread_key_t()
  return pthread_key_create(&key, callback) == 0 ? key : FLS_OUT_OF_INDEXES
}

public func FlsGetValue(_ index: DWORD) -> UnsafeMutableRawPointer! { pthread_getspecific(index) }

@discardableResult
public func FlsSetValue(_ index: DWORD, _ data: UnsafeMutableRawPointer!) -> Bool {
  pthread_setspecific(index, data) == 0
}

@discardableResult
public func SwitchToThread() -> Bool { sched_yield() == 0 }
