// swift-tools-version: 6.2

import PackageDescription

// The package as Apple's systems see it: with modules that stand in for theirs. `.ci/platforms` builds it.
let apple: [Target.Dependency] = ["Darwin", "Combine", "SwiftUI", "UIKit"]

let settings: [SwiftSetting] = [
  // Foundation re-exports Darwin there. What Testing adds to UIKit is not here.
  .unsafeFlags([
    "-Xfrontend", "-import-module", "-Xfrontend", "Darwin",
    "-Xfrontend", "-disable-cross-import-overlays",
  ]),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "FluxCapacitor",
  platforms: [.macOS(.v15)],
  targets: [
    .target(name: "Darwin"),
    .target(name: "Combine"),
    .target(name: "SwiftUI"),
    .target(name: "UIKit"),
    .target(name: "FluxCapacitor", dependencies: apple, swiftSettings: settings),
    .target(
      name: "FluxCapacitorDebugging",
      dependencies: ["FluxCapacitor"] + apple,
      resources: [.embedInCode("Resources/Explorer.html")],
      swiftSettings: settings
    ),
    .target(
      name: "FluxCapacitorTesting",
      dependencies: ["FluxCapacitor"] + apple,
      swiftSettings: settings
    ),
    .target(
      name: "GitHubSample",
      dependencies: ["FluxCapacitor", "FluxCapacitorDebugging"] + apple,
      resources: [.embedInCode("Recordings")],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "github-repos",
      dependencies: ["GitHubSample"] + apple,
      swiftSettings: settings
    ),
    // No test target: the package manager's runner for tests takes Darwin for Apple's.
    .target(
      name: "CompilerTests",
      dependencies: ["FluxCapacitor", "FluxCapacitorDebugging", "FluxCapacitorTesting"] + apple,
      exclude: ["PublicAPI.txt"],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "PublisherTests",
      dependencies: ["FluxCapacitor"] + apple,
      swiftSettings: settings
    ),
  ],
  swiftLanguageModes: [.v6]
)
