// The declarations of Darwin that differ from Glibc. The signatures are Apple's, and Glibc provides the
// implementation.
import Dispatch
@_exported import Glibc

public typealias tcflag_t = UInt

public let SOCK_STREAM: Int32 = 1
public let SO_NOSIGPIPE: Int32 = 0x1022
public let F_FULLFSYNC: Int32 = 51

/// On Apple's systems, Foundation declares this constant.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

public func pthread_key_create(
  _ key: UnsafeMutablePointer<pthread_key_t>!,
  _ destructor: (@convention(c) (UnsafeMutableRawPointer) -> Void)?
) -> Int32 {
  typealias Destructor = @convention(c) (UnsafeMutableRawPointer?) -> Void
  return Glibc.pthread_key_create(key, unsafeBitCast(destructor, to: Destructor?.self))
}

extension DispatchSource {
  /// Returns a source without events, because no test follows a folder with these substitutes.
  public class func makeFileSystemObjectSource(
    fileDescriptor: Int32,
    eventMask: FileSystemEvent,
    queue: DispatchQueue? = nil
  ) -> any DispatchSourceProtocol {
    makeUserDataAddSource(queue: queue)
  }
}
