// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "FluxCapacitor",
  platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "FluxCapacitor", targets: ["FluxCapacitor"]),
    .library(name: "FluxCapacitorTesting", targets: ["FluxCapacitorTesting"]),
    .library(name: "FluxCapacitorDebugging", targets: ["FluxCapacitorDebugging"]),
    .executable(name: "github-repos", targets: ["github-repos"]),
  ],
  targets: [
    .target(name: "FluxCapacitor"),
    .testTarget(
      name: "FluxCapacitorTests",
      dependencies: ["FluxCapacitor", "FluxCapacitorTesting"]
    ),

    // What the data flow has done, for people to see.
    .target(
      name: "FluxCapacitorDebugging",
      dependencies: ["FluxCapacitor"],
      // In the code, so that the page needs no files beside it.
      resources: [.embedInCode("Resources/Explorer.html")]
    ),
    .testTarget(
      name: "FluxCapacitorDebuggingTests",
      dependencies: ["FluxCapacitor", "FluxCapacitorDebugging", "FluxCapacitorTesting"]
    ),

    // For the tests of applications; it imports Testing and XCTest, so no application may link it.
    .target(name: "FluxCapacitorTesting", dependencies: ["FluxCapacitor"]),
    .testTarget(
      name: "FluxCapacitorTestingTests",
      dependencies: ["FluxCapacitor", "FluxCapacitorTesting"]
    ),
    // Every promise under every order of the steps of a few threads.
    .testTarget(
      name: "InterleavingTests",
      dependencies: ["FluxCapacitor", "FluxCapacitorTesting"]
    ),
    // The same from XCTest, and nothing of Swift Testing.
    .testTarget(
      name: "FluxCapacitorTestingXCTests",
      dependencies: ["FluxCapacitor", "FluxCapacitorTesting"]
    ),

    .executableTarget(
      name: "FluxCapacitorBenchmarks",
      dependencies: ["FluxCapacitor", "FluxCapacitorDebugging"],
      path: "Tests/FluxCapacitorBenchmarks"
    ),

    // What the compiler refuses, and the documents, whose code it accepts.
    .testTarget(
      name: "CompilerTests",
      dependencies: ["FluxCapacitor", "FluxCapacitorDebugging", "FluxCapacitorTesting"],
      exclude: ["PublicAPI.txt"]
    ),

    // One application, written for the original's API, in each language mode: the folder
    // `Application` is the same one in all three. The library stands in for those it imports.
    .target(name: "LanguageModesLibrary", path: "Tests/LanguageModes/Library"),
    .testTarget(
      name: "Swift5Tests",
      dependencies: ["FluxCapacitor", "FluxCapacitorTesting", "LanguageModesLibrary"],
      path: "Tests/LanguageModes/Swift5Tests",
      swiftSettings: [.swiftLanguageMode(.v5)]
    ),
    .testTarget(
      name: "Swift6Tests",
      dependencies: ["FluxCapacitor", "FluxCapacitorTesting", "LanguageModesLibrary"],
      path: "Tests/LanguageModes/Swift6Tests"
    ),
    .testTarget(
      name: "MainActorTests",
      dependencies: ["FluxCapacitor", "FluxCapacitorTesting", "LanguageModesLibrary"],
      path: "Tests/LanguageModes/MainActorTests",
      swiftSettings: [.defaultIsolation(MainActor.self)]
    ),

    // The sample: a library with the application, and the command that wires it.
    .target(
      name: "GitHubSample",
      dependencies: ["FluxCapacitor", "FluxCapacitorDebugging"],
      path: "Sample/Sources/GitHubSample",
      // In the code, so that the command needs no files beside it.
      resources: [.embedInCode("Recordings")]
    ),
    .executableTarget(
      name: "github-repos",
      dependencies: ["GitHubSample"],
      path: "Sample/Sources/github-repos"
    ),
    .testTarget(
      name: "GitHubSampleTests",
      dependencies: ["GitHubSample", "github-repos", "FluxCapacitorTesting"],
      path: "Sample/Tests/GitHubSampleTests"
    ),
  ],
  swiftLanguageModes: [.v6]
)

// SwiftPM ignores this setting where the package is fetched as a dependency of another.
for target in package.targets {
  target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
}

// For the long races, which are all in the libraries' tests: half as much to build.
if Context.environment["LIBRARIES_ONLY"] != nil {
  package.products.removeAll { !$0.name.hasPrefix("FluxCapacitor") }
  package.targets.removeAll { !$0.name.hasPrefix("FluxCapacitor") || $0.type == .executable }
}
