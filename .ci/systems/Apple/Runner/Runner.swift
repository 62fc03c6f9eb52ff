import Testing

/// Runs the tests of this executable: the package manager's own runner takes Darwin for Apple's.
@main
struct Runner {
  static func main() async { await __swiftPMEntryPoint() as Never }
}
