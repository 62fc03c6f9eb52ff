// swift-tools-version: 6.2

import PackageDescription

// The tests of the libraries beside packages of other projects. `.ci/bridges` builds this package.
let package = Package(
  name: "Bridges",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(path: "FluxCapacitor"),
    .package(url: "https://github.com/OpenCombine/OpenCombine.git", exact: "0.14.0"),
    .package(url: "https://github.com/apple/swift-async-algorithms.git", exact: "1.1.4"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
  ],
  targets: [
    .testTarget(
      name: "BridgeTests",
      dependencies: [
        .product(name: "FluxCapacitor", package: "FluxCapacitor"),
        .product(name: "FluxCapacitorDebugging", package: "FluxCapacitor"),
        .product(name: "FluxCapacitorTesting", package: "FluxCapacitor"),
        .product(name: "OpenCombine", package: "OpenCombine"),
        .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: [.treatAllWarnings(as: .error)]
    )
  ]
)
