import FluxCapacitor
import FluxCapacitorDebugging
import Foundation

/// Connections that a live explorer treats as pages in a browser.
enum Pages {
  /// Opens `count` pages that receive the dispatches, and one more page that never reads. Cleaning the Dust
  /// closes all pages.
  static func watching(_ count: Int) -> Dust? {
    guard let explorer = try? LiveExplorer(TimeCircuits()) else { return nil }
    let pages = (0...count).map { _ in connection(to: explorer.url) }
    for page in pages.dropFirst() {
      Thread.detachNewThread {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while recv(page, &buffer, buffer.count, 0) > 0 {}
      }
    }
    // The observer keeps the explorer alive until the Dust is cleaned.
    let end = Variable(false)
    return end.observe { _ in withExtendedLifetime((end, explorer)) {} }
  }

  private static func connection(to url: URL) -> Int32 {
    #if canImport(Glibc)
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(url.port ?? 0).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    let host = "127.0.0.1:\(url.port ?? 0)"
    let request = Array("GET \(url.path)/events HTTP/1.1\r\nHost: \(host)\r\n\r\n".utf8)
    send(descriptor, request, request.count, 0)
    return descriptor
  }
}
