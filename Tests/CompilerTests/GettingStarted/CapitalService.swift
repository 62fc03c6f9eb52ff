/// A service that knows the capitals of countries.
protocol CapitalService: Sendable {
  func capital(of country: String) async throws -> String
}

/// A service that looks up capitals in a dictionary.
struct OfflineCapitalService: CapitalService {
  struct UnknownCountry: Error, CustomStringConvertible {
    let name: String
    var description: String { "No country is called \(name)." }
  }

  private let capitals = ["France": "Paris", "Japan": "Tokyo", "Peru": "Lima"]

  func capital(of country: String) async throws -> String {
    guard let capital = capitals[country] else { throw UnknownCountry(name: country) }
    return capital
  }
}
