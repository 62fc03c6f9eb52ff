import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The URL and the token for GraphQL requests.
struct Endpoint: Sendable {
  /// The host of the URL, with the port if the URL contains a port.
  let place: String

  let token: AccessToken
  private let url: URL

  /// Creates an endpoint from the options and the environment variables.
  ///
  /// The host comes from `--hostname`, `GITHUB_GRAPHQL_URL` or `GH_HOST`, in this order. The
  /// default is github.com. Plain http is allowed only for loopback hosts, because other computers
  /// could read the token.
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
    // On Linux, URLSession can't connect to IPv6 addresses, and reports no reason.
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

  /// Returns a POST request whose body is a GraphQL query.
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

    /// The name of the option or environment variable that contains the address, for error
    /// messages.
    let source: String

    /// Whether the user has given a complete URL instead of a host name.
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

  /// Returns the address for error messages. An address with a user name is not shown, and neither is a query, because they
  /// might contain a password or a token.
  private static func shown(_ address: String) -> String {
    address.contains("@")
      ? "it contains a user name" : address.replacing(/\?.+/.dotMatchesNewlines(), with: "?…")
  }

  /// Returns whether GitHub runs the host. Enterprises run other hosts themselves.
  private static func isOfGitHub(_ host: String) -> Bool {
    let host = ".\(host.lowercased())"
    // A complete name ends with a period.
    let name = host.last == "." ? String(host.dropLast()) : host
    return name.hasSuffix(".github.com") || name.hasSuffix(".ghe.com")
  }

  private static func isLoopback(_ host: String) -> Bool {
    if host.lowercased() == "localhost" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}

// MARK: - The token

extension Endpoint {
  private static let usualVariables = ["GH_TOKEN", "GITHUB_TOKEN"]
  private static let enterpriseVariables = ["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"]

  /// The names of the environment variables that can contain a token.
  static let tokenVariables = usualVariables + enterpriseVariables

  /// Returns the names of the environment variables that can contain the token for a host, as `gh`
  /// reads them.
  ///
  /// An enterprise host receives the value of `GITHUB_TOKEN` only if `GITHUB_GRAPHQL_URL` names the
  /// enterprise host. In a workflow on an enterprise host, `GITHUB_TOKEN` is the token for this
  /// enterprise host.
  private static func tokenVariables(for host: String, isGivenURL: Bool) -> [String] {
    let owner = host.lowercased().hasPrefix("api.") ? String(host.dropFirst(4)) : host
    if isOfGitHub(owner) { return usualVariables }
    return isGivenURL ? enterpriseVariables + usualVariables : enterpriseVariables
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

  /// Returns the trimmed value of an environment variable, or nil if the value is empty.
  static func value(of name: String, in variables: [String: String]) -> String? {
    let value = variables[name]?.trimmingCharacters(in: .whitespacesAndNewlines)
    return value?.isEmpty == false ? value : nil
  }
}
