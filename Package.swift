// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "FluxCapacitor",
  platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "FluxCapacitor", targets: ["FluxCapacitor"]),
    .library(name: "FluxCapacitorTesting", targets: ["FluxCapacitorTesting"]),
    .library(name: "FluxCapacitorDebugging", targets: ["FluxCapacitorDebugging"]),
    .library(name: "FluxCapacitorPersistence", targets: ["FluxCapacitorPersistence"]),
    .executable(name: "github-repos", targets: ["github-repos"]),
    .executable(name: "board", targets: ["board"]),
  ],
  targets: [
    .target(name: "FluxCapacitor", exclude: ["Engine/README.md"]),
    .testTarget(
      name: "FluxCapacitorTests",
      dependencies: ["FluxCapacitor", "FluxCapacitorTesting", "FluxCapacitorTestSupport"]
    ),

    // FluxCapacitorDebugging shows the data flow of an application to its developers.
    .target(
      name: "FluxCapacitorDebugging",
      dependencies: ["FluxCapacitor"],
      // The explorer's page is embedded in the code, so an application needs no extra files for the page.
      resources: [.embedInCode("Resources")]
    ),
    .testTarget(
      name: "FluxCapacitorDebuggingTests",
      dependencies: [
        "FluxCapacitor", "FluxCapacitorDebugging", "FluxCapacitorTesting",
        "FluxCapacitorTestSupport",
      ]
    ),

    // FluxCapacitorPersistence saves stores to files, and restores them.
    .target(name: "FluxCapacitorPersistence", dependencies: ["FluxCapacitor"]),
    .testTarget(
      name: "FluxCapacitorPersistenceTests",
      dependencies: [
        "FluxCapacitor", "FluxCapacitorDebugging", "FluxCapacitorPersistence",
        "FluxCapacitorTesting", "FluxCapacitorTestSupport",
      ]
    ),

    // Link FluxCapacitorTesting only to test targets, because the library imports Testing and XCTest.
    .target(
      name: "FluxCapacitorTesting",
      dependencies: ["FluxCapacitor", "FluxCapacitorDebugging", "FluxCapacitorPersistence"]
    ),
    .testTarget(
      name: "FluxCapacitorTestingTests",
      dependencies: [
        "FluxCapacitor", "FluxCapacitorPersistence", "FluxCapacitorTesting",
        "FluxCapacitorTestSupport",
      ]
    ),
    // FluxCapacitorTestSupport has the helpers that several test targets share.
    .target(
      name: "FluxCapacitorTestSupport",
      dependencies: ["FluxCapacitor", "FluxCapacitorPersistence", "FluxCapacitorTesting"],
      path: "Tests/Support"
    ),
    // InterleavingTests run scenarios of a few threads in every order of the threads' steps.
    .testTarget(
      name: "InterleavingTests",
      dependencies: [
        "FluxCapacitor", "FluxCapacitorPersistence", "FluxCapacitorTesting",
        "FluxCapacitorTestSupport", "RandomInterleavings",
      ]
    ),
    // RandomInterleavings draws scenarios, and checks whether each schedule keeps the library's promises.
    .executableTarget(
      name: "RandomInterleavings",
      dependencies: [
        "FluxCapacitor", "FluxCapacitorPersistence", "FluxCapacitorTesting",
        "FluxCapacitorTestSupport",
      ],
      path: "Tests/RandomInterleavings"
    ),
    // FluxCapacitorTestingXCTests use FluxCapacitorTesting from XCTest, without Swift Testing.
    .testTarget(
      name: "FluxCapacitorTestingXCTests",
      dependencies: ["FluxCapacitor", "FluxCapacitorTesting", "FluxCapacitorTestSupport"]
    ),

    .executableTarget(
      name: "FluxCapacitorBenchmarks",
      dependencies: ["FluxCapacitor", "FluxCapacitorDebugging", "FluxCapacitorPersistence"],
      path: "Tests/FluxCapacitorBenchmarks"
    ),

    // CompilerTests check that the compiler rejects wrong code, and accepts the code in the documentation.
    .testTarget(
      name: "CompilerTests",
      dependencies: [
        "FluxCapacitor", "FluxCapacitorDebugging", "FluxCapacitorPersistence",
        "FluxCapacitorTesting",
      ],
      exclude: ["PublicAPI.txt"]
    ),

    // The three language-mode tests compile the same application, from the same `Application` folder, in
    // different language modes. LanguageModesLibrary stands in for the libraries that the application
    // imports.
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
      dependencies: [
        "FluxCapacitor", "FluxCapacitorPersistence", "FluxCapacitorTesting",
        "LanguageModesLibrary",
      ],
      path: "Tests/LanguageModes/MainActorTests",
      swiftSettings: [.defaultIsolation(MainActor.self)]
    ),

    // Each sample consists of a library and an executable: GitHubSample and github-repos, and BoardSample
    // and board.
    .target(
      name: "GitHubSample",
      dependencies: ["FluxCapacitor", "FluxCapacitorDebugging", "FluxCapacitorPersistence"],
      path: "Sample/Sources/GitHubSample",
      // The recordings are embedded in the code, so the command needs no extra files.
      resources: [.embedInCode("Recordings")]
    ),
    .executableTarget(
      name: "github-repos",
      dependencies: ["GitHubSample"],
      path: "Sample/Sources/github-repos"
    ),
    .testTarget(
      name: "GitHubSampleTests",
      dependencies: [
        "GitHubSample", "github-repos", "FluxCapacitorPersistence", "FluxCapacitorTesting",
        "FluxCapacitorTestSupport",
      ],
      path: "Sample/Tests/GitHubSampleTests"
    ),
    .target(
      name: "BoardSample",
      dependencies: ["FluxCapacitor", "FluxCapacitorPersistence"],
      path: "Sample/Sources/BoardSample"
    ),
    .executableTarget(
      name: "board",
      dependencies: ["BoardSample"],
      path: "Sample/Sources/board"
    ),
    .testTarget(
      name: "BoardSampleTests",
      dependencies: [
        "BoardSample", "board", "FluxCapacitorPersistence", "FluxCapacitorTesting",
        "FluxCapacitorTestSupport",
      ],
      path: "Sample/Tests/BoardSampleTests"
    ),
  ],
  swiftLanguageModes: [.v6]
)

// Only the gate treats warnings as errors. The warnings of a newer compiler must not break the build of a package
// that uses this package.
if Context.environment["WARNINGS_AS_ERRORS"] != nil {
  for target in package.targets {
    target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
  }
}

// LIBRARIES_ONLY excludes the samples, so the long race tests have half as much code to build.
if Context.environment["LIBRARIES_ONLY"] != nil {
  package.products.removeAll { !$0.name.hasPrefix("FluxCapacitor") }
  package.targets.removeAll { !$0.name.hasPrefix("FluxCapacitor") }
}
