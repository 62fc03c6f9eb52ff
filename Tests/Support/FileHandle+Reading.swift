import Foundation

// The methods of Foundation end the process, or lose bytes, if a signal interrupts a wait. These methods wait again.
extension FileHandle {
  /// Waits for bytes. The result is empty at the end of the file.
  package func nextBytes() -> Data {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Foundation.read(fileDescriptor, &buffer, buffer.count)
      if count >= 0 || errno != EINTR { return Data(buffer.prefix(max(0, count))) }
    }
  }

  /// Waits for the end of the file, and returns all bytes.
  package func allBytes() -> Data {
    var all = Data()
    while case let bytes = nextBytes(), !bytes.isEmpty { all += bytes }
    return all
  }
}
