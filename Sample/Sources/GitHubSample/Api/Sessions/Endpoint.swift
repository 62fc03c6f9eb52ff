import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The address of GraphQL requests, and the token that they carry.
struct Endpoint: Sendable {
  /// The host, and the port if the address contains one.
  let place: String

  let token: AccessToken
  private let url: URL

  /// Creates an endpoint from the options and the environment variables.
  ///
  /// The host comes from `--hostname`, `GITHUB_GRAPHQL_URL` or `GH_HOST`, in this order; the
  /// default is github.com. Plain http is for loopback only. On the way to other hosts, the token
  /// could be read.
  init(options: ConnectionOptions, variables: [String: String]) throws(ApiError) {
    let address = try Endpoint.address(options: options, variables: variables)
    guard
      let components = URLComponents(string: address.text),
      let scheme = components.scheme?.lowercased(), ["http", "https"].contains(scheme),
      let host = components.host, !host.isEmpty,
      components.user == nil, components.password == nil,
      (components.port ?? 443) <= 65_535, let url = components.url
    else {
      throw ApiError(.unusableEndpoint(Endpoint.shown(address.text)), at: address.source)
    }
    // URLSession on Linux fails with IPv6 addresses, and gives no reason.
    if host.contains(":") {
      throw ApiError(.unusableEndpoint("IPv6 addresses are not supported"), at: address.source)
    }
    let place = components.port.map { "\(host):\($0)" } ?? host
    guard scheme == "https" || Endpoint.isLoopback(host) else {
      throw ApiError(.insecureEndpoint, at: place)
    }
    self.url = url
    self.place = place
    token = try Endpoint.token(
      options: options,
      variables: variables,
      names: Endpoint.tokenVariables(for: host, isGivenURL: address.isGivenURL),
      place: place
    )
  }

  /// Returns a POST request with a GraphQL body.
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
}

// MARK: - The address

extension Endpoint {
  private struct Address {
    let text: String

    /// The option or the variable that contains the address, for messages.
    let source: String

    /// Whether the address was given as a URL, and not made from the name of a host.
    var isGivenURL = false
  }

  private static func address(
    options: ConnectionOptions,
    variables: [String: String]
  ) throws(ApiError) -> Address {
    if let host = options.hostname {
      return try Address(text: address(of: host, from: "--hostname"), source: "--hostname")
    }
    if let address = value(of: "GITHUB_GRAPHQL_URL", in: variables) {
      return Address(text: address, source: "GITHUB_GRAPHQL_URL", isGivenURL: true)
    }
    let host = value(of: "GH_HOST", in: variables) ?? "github.com"
    return try Address(text: address(of: host, from: "GH_HOST"), source: "GH_HOST")
  }

  /// Returns the URL of a host's GraphQL API.
  private static func address(
    of host: String,
    from source: String
  ) throws(ApiError) -> String {
    guard host.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || ".-:[]".contains($0)) })
    else { throw ApiError(.unusableEndpoint(shown(host)), at: source) }
    return isOfGitHub(host) ? "https://api.\(host)/graphql" : "https://\(host)/api/graphql"
  }

  /// Returns the address for messages. An address with a user name may contain a password, so it is
  /// not shown.
  private static func shown(_ address: String) -> String {
    address.contains("@") ? "it contains a user name" : address
  }

  /// Returns whether GitHub itself runs the host, and not an enterprise.
  private static func isOfGitHub(_ host: String) -> Bool {
    let host = host.lowercased()
    return host == "github.com" || host.hasSuffix(".ghe.com")
  }

  private static func isLoopback(_ host: String) -> Bool {
    if host.lowercased() == "localhost" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}

// MARK: - The token

extension Endpoint {
  /// Returns the names of the variables that may contain the token for a host, as `gh` reads
  /// them.
  ///
  /// A token for github.com is not sent to an enterprise host, unless `GITHUB_GRAPHQL_URL` names
  /// that host. In a workflow on an enterprise host, `GITHUB_TOKEN` is the token for that host.
  private static func tokenVariables(for host: String, isGivenURL: Bool) -> [String] {
    let usual = ["GH_TOKEN", "GITHUB_TOKEN"]
    let ofEnterprise = ["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"]
    let owner = host.lowercased().hasPrefix("api.") ? String(host.dropFirst(4)) : host
    if isOfGitHub(owner) { return usual }
    return isGivenURL ? ofEnterprise + usual : ofEnterprise
  }

  private static func token(
    options: ConnectionOptions,
    variables: [String: String],
    names: [String],
    place: String
  ) throws(ApiError) -> AccessToken {
    if let token = options.token { return token }
    for name in names {
      guard let text = value(of: name, in: variables) else { continue }
      guard let token = AccessToken(text) else {
        throw ApiError(.malformedToken(source: name), at: place)
      }
      return token
    }
    throw ApiError(.missingToken(variables: names), at: place)
  }

  /// Returns the value of a variable without the line break that often ends it; nil if the value is
  /// empty.
  private static func value(of name: String, in variables: [String: String]) -> String? {
    let value = variables[name]?.trimmingCharacters(in: .whitespacesAndNewlines)
    return value?.isEmpty == false ? value : nil
  }
}
