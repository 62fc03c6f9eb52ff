import Foundation

/// The hosts that requests reach without a proxy.
package enum ProxyExceptions {
  /// Returns the value of `no_proxy` that keeps the token from a proxy, or nil if the variables need no change.
  ///
  /// A proxy could read the token in a request over plain http. Only `GITHUB_GRAPHQL_URL` can name a host that
  /// receives such requests, and the host must be a loopback host; see `Endpoint`. The value names exactly this
  /// host, because libcurl compares ranges of addresses only since version 7.86.
  package static func hosts(in variables: [String: String]) -> String? {
    guard let address = Endpoint.value(of: "GITHUB_GRAPHQL_URL", in: variables),
      let url = URLComponents(string: address), url.scheme?.lowercased() == "http",
      let host = url.host, !host.isEmpty
    else { return nil }
    // libcurl reads the second variable only if the first one is empty.
    let exceptions =
      ["no_proxy", "NO_PROXY"].compactMap { variables[$0] }.first { !$0.isEmpty } ?? ""
    if exceptions == "*" { return nil }
    return exceptions.isEmpty ? host : "\(exceptions),\(host)"
  }
}
