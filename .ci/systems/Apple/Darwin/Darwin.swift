// The declarations of Darwin that differ from Glibc. The signatures are Apple's, and Glibc provides the
// implementation.
@_exported import Glibc

public typealias tcflag_t = UInt

public let SOCK_STREAM: Int32 = 1
public let SO_NOSIGPIPE: Int32 = 0x1022

/// On Apple's systems, Foundation declares this constant.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

public func pthread_key_create(
  _ key: UnsafeMutablePointer<pthread_key_t>!,
  _ destructor: (@convention(c) (UnsafeMutableRawPointer) -> Void)?
) -> Int32 {
  typealias Destructor = @convention(c) (UnsafeMutableRawPointer?) -> Void
  return Glibc.pthread_key_create(key, unsafeBitCast(destructor, to: Destructor?.self))
}
