#if os(Linux)
  import Foundation
  import Testing

  /// The Swift compiler of the toolchain that runs these tests.
  enum Compiler {
    struct Output {
      let isSuccess: Bool
      let text: String
    }

    /// The folder of the toolchain that contains the runtime library of this process.
    ///
    /// If the runtime library is linked statically, the `PATH` determines the toolchain. The `PATH` is only
    /// the second choice, because it can lead to no toolchain or to a different toolchain.
    static let toolchain: URL? = {
      // A file handle reads `/proc/self/maps` to the end, although the file reports a size of zero.
      let data = FileHandle(forReadingAtPath: "/proc/self/maps")?.readDataToEndOfFile()
      let maps = String(decoding: data ?? Data(), as: UTF8.self)
      let library = maps.split(separator: "\n").first { $0.hasSuffix("/libswiftCore.so") }
      let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
      let places = [library?.drop { $0 != "/" }].compactMap(\.self) + path.split(separator: ":")
      return places.lazy.flatMap { folders(above: String($0)) }.first { folder in
        FileManager.default.isExecutableFile(atPath: folder.path + "/bin/swiftc")
      }
    }()

    private static func folders(above path: String) -> [URL] {
      var folder = URL(fileURLWithPath: path).resolvingSymlinksInPath()
      var folders: [URL] = []
      while folder.path != "/" {
        folder.deleteLastPathComponent()
        folders.append(folder)
      }
      return folders
    }

    /// Whether the environment variable `THOROUGH` is set, so that tests run that take minutes.
    static let isThorough = ProcessInfo.processInfo.environment["THOROUGH"] != nil

    static let librarySources: [String] = Repository.swiftFiles(in: "Sources/FluxCapacitor")
      .map(\.path)

    static func swiftc(_ arguments: [String]) async throws -> Output {
      try await run(#require(toolchain).appendingPathComponent("bin/swiftc"), arguments)
    }

    static func run(_ executable: URL, _ arguments: [String] = []) async throws -> Output {
      // Waiting for a process would block a thread of the pool on which the tasks of other tests run.
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
          continuation.resume(with: Result { try runAndWait(executable, arguments) })
        }
      }
    }

    private static func runAndWait(_ executable: URL, _ arguments: [String]) throws -> Output {
      let process = Process()
      // A signal can interrupt the reading of a pipe, and then `FileHandle` ends this process.
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
      defer { try? FileManager.default.removeItem(at: file) }
      try Data().write(to: file)
      let output = try FileHandle(forWritingTo: file)
      process.executableURL = executable
      process.arguments = arguments
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = output
      process.standardError = output
      try process.run()
      process.waitUntilExit()
      return Output(
        isSuccess: process.terminationReason == .exit && process.terminationStatus == 0,
        text: try String(contentsOf: file, encoding: .utf8)
      )
    }

    /// Calls a closure with a new folder, and removes the folder afterward.
    static func withFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
      let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("FluxCapacitor-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      return try await body(folder)
    }
  }
#endif
