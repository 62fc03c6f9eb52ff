// swift-tools-version: 6.2

import PackageDescription

// The service of the article "Servers" and, if CLUSTER is set, of "Several servers" too. `.ci/service` and `.ci/cluster`
// build and run this package.
let isCluster = Context.environment["CLUSTER"] != nil
let libraries: [Target.Dependency] = [
  .product(name: "FluxCapacitor", package: "FluxCapacitor"),
  .product(name: "FluxCapacitorDebugging", package: "FluxCapacitor"),
  .product(name: "FluxCapacitorPersistence", package: "FluxCapacitor"),
  .product(name: "Hummingbird", package: "hummingbird"),
  .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
]
let cluster: [Target] = [
  .systemLibrary(name: "CPostgres", pkgConfig: "libpq"),
  .executableTarget(name: "PollsOnPostgres", dependencies: ["CPostgres"] + libraries),
]

let package = Package(
  name: "Service",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(path: "FluxCapacitor"),
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
  ],
  targets: [.executableTarget(name: "Polls", dependencies: libraries)] + (isCluster ? cluster : [])
)
