// The function of Windows that writes to standard error.
import Glibc

@discardableResult
public func _write(_ file: Int32, _ bytes: UnsafeRawPointer!, _ count: UInt32) -> Int32 {
  Int32(Glibc.write(file, bytes, Int(count)))
}
