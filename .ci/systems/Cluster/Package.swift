// swift-tools-version: 6.2

import PackageDescription

// The service of the article "Several servers". `.ci/cluster` builds and runs this package.
let package = Package(
  name: "Cluster",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(path: "FluxCapacitor"),
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
  ],
  targets: [
    .systemLibrary(name: "CPostgres", pkgConfig: "libpq"),
    .executableTarget(
      name: "Polls",
      dependencies: [
        "CPostgres",
        .product(name: "FluxCapacitor", package: "FluxCapacitor"),
        .product(name: "FluxCapacitorDebugging", package: "FluxCapacitor"),
        .product(name: "FluxCapacitorPersistence", package: "FluxCapacitor"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]
    ),
  ]
)
