import Testing

/// Runs the tests of this executable.
///
/// The package manager's runner doesn't compile here, because it expects Apple's Darwin module.
@main
struct Runner {
  static func main() async { await __swiftPMEntryPoint() as Never }
}
