// swift-tools-version: 6.2

import PackageDescription

// The package as on Apple's systems, with substitutes for Apple's modules. `.ci/platforms` builds this package.
let apple: [Target.Dependency] = ["Darwin", "Combine", "SwiftUI", "UIKit", "AppKit", "os"]

let settings: [SwiftSetting] = [
  // Apple's Foundation re-exports Darwin. The overlay that Testing adds to UIKit does not exist on Linux.
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
    .target(name: "AppKit"),
    .target(name: "os"),
    .target(name: "FluxCapacitor", dependencies: apple, swiftSettings: settings),
    .target(
      name: "FluxCapacitorDebugging",
      dependencies: ["FluxCapacitor"] + apple,
      resources: [.embedInCode("Resources")],
      swiftSettings: settings
    ),
    .target(
      name: "FluxCapacitorPersistence",
      dependencies: ["FluxCapacitor"] + apple,
      swiftSettings: settings
    ),
    .target(
      name: "FluxCapacitorTesting",
      dependencies: ["FluxCapacitor", "FluxCapacitorDebugging"] + apple,
      swiftSettings: settings
    ),
    .target(
      name: "GitHubSample",
      dependencies: ["FluxCapacitor", "FluxCapacitorDebugging", "FluxCapacitorPersistence"] + apple,
      resources: [.embedInCode("Recordings")],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "github-repos",
      dependencies: ["GitHubSample"] + apple,
      swiftSettings: settings
    ),
    .target(
      name: "BoardSample",
      dependencies: ["FluxCapacitor", "FluxCapacitorPersistence"] + apple,
      swiftSettings: settings
    ),
    .executableTarget(
      name: "board",
      dependencies: ["BoardSample"] + apple,
      swiftSettings: settings
    ),
    // This target is not a test target, because the package manager's runner expects Apple's Darwin module.
    .target(
      name: "CompilerTests",
      dependencies: [
        "FluxCapacitor", "FluxCapacitorDebugging", "FluxCapacitorPersistence",
        "FluxCapacitorTesting",
      ] + apple,
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
