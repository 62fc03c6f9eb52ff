// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "FluxCapacitor",
  platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "FluxCapacitor", targets: ["FluxCapacitor"])
  ],
  targets: [
    .target(name: "FluxCapacitor"),
    .testTarget(name: "FluxCapacitorTests", dependencies: ["FluxCapacitor"]),
  ],
  swiftLanguageModes: [.v6]
)

// SwiftPM ignores this setting in a package that is somebody's dependency.
for target in package.targets {
  target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
}
