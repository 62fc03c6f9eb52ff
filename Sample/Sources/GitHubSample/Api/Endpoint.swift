import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Where GraphQL requests go, and the token that they carry there.
struct Endpoint: Sendable {
  /// The host, and the port if it isn't the usual one.
  let place: String

  private let url: URL
  private let token: AccessToken

  /// Reads `GITHUB_GRAPHQL_URL`, and `GH_TOKEN` or else `GITHUB_TOKEN`.
  ///
  /// Plain http is for loopback only: anywhere else the token could be read on the way.
  init(variables: [String: String]) throws(ApiError) {
    let address = Endpoint.value(of: "GITHUB_GRAPHQL_URL", in: variables)
    guard
      let components = URLComponents(string: address ?? "https://api.github.com/graphql"),
      let scheme = components.scheme?.lowercased(), ["http", "https"].contains(scheme),
      let host = components.host, !host.isEmpty,
      components.user == nil, components.password == nil,
      let url = components.url
    else {
      // An address with a user name may hold a password too, and is not shown.
      let shown = address.map { $0.contains("@") ? "it holds a user name" : $0 } ?? ""
      throw ApiError(.unusableEndpoint(shown), at: "GITHUB_GRAPHQL_URL")
    }
    let place = components.port.map { "\(host):\($0)" } ?? host
    guard scheme == "https" || Endpoint.isLoopback(host) else {
      throw ApiError(.insecureEndpoint, at: place)
    }
    self.url = url
    self.place = place
    token = try Endpoint.token(in: variables, for: place)
  }

  /// A POST of a GraphQL body.
  func urlRequest(body: Data) -> URLRequest {
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.httpBody = body
    request.setValue("bearer \(token.secret)", forHTTPHeaderField: "Authorization")
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue("application/json", forHTTPHeaderField: "Accept")
    request.setValue("github-repos (FluxCapacitor sample)", forHTTPHeaderField: "User-Agent")
    return request
  }

  /// The answer without the token, should the server have sent it back.
  ///
  /// Every token of GitHub's is long. A short one, for a server at hand, may be an ordinary
  /// word, and in the answer for other reasons.
  func redact(_ answer: HTTPAnswer) -> HTTPAnswer {
    guard token.secret.utf8.count >= 8 else { return answer }
    return answer.replacing(token.secret, with: "\(token)")
  }

  private static func token(
    in variables: [String: String],
    for place: String
  ) throws(ApiError) -> AccessToken {
    for name in ["GH_TOKEN", "GITHUB_TOKEN"] {
      guard let text = value(of: name, in: variables) else { continue }
      guard let token = AccessToken(text) else {
        throw ApiError(.malformedToken(variable: name), at: place)
      }
      return token
    }
    throw ApiError(.missingToken, at: place)
  }

  /// A variable without the line break that often ends it; an empty one counts as none.
  private static func value(of name: String, in variables: [String: String]) -> String? {
    let value = variables[name]?.trimmingCharacters(in: .whitespacesAndNewlines)
    return value?.isEmpty == false ? value : nil
  }

  private static func isLoopback(_ host: String) -> Bool {
    if ["localhost", "::1", "[::1]"].contains(host.lowercased()) { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}
