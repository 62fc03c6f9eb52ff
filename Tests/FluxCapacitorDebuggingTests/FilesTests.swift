import FluxCapacitorDebugging
import FluxCapacitorTestSupport
import Foundation
import Testing

/// Tests of writing to a path where a file, a pipe, a link or a folder already exists.
struct FilesTests {
  private let folder: TemporaryFolder
  private let write: @Sendable (URL) throws -> Void
  private let contents: Data

  init() throws {
    folder = try TemporaryFolder()
    let explorer = FlowExplorer([])
    write = { try explorer.write(to: $0) }
    contents = Data(explorer.html.utf8)
  }

  @Test func flowExplorerReplacesAnExistingFileAndKeepsTheFilesPermissions() throws {
    let file = folder.file("file")
    try Data(count: 1_000_000).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)

    try write(file)

    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(try Data(contentsOf: file) == contents)
  }

  @Test func privateFileIsNeverReadableByOthersWhileItIsReplaced() async throws {
    let file = folder.file("file")
    try Data().write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    let modes = Locked<[Int]>([])
    let watch = Task.detached { [folder] in
      while !Task.isCancelled {
        for name in folder.names {
          let item = try? FileManager.default.attributesOfItem(atPath: folder.file(name).path)
          if let mode = item?[.posixPermissions] as? Int { modes.withLock { $0.append(mode) } }
        }
        await Task.yield()
      }
    }

    repeat {
      try write(file)
      await Task.yield()
    } while modes.withLock({ $0.count }) < 500
    watch.cancel()
    await watch.value

    #expect(Set(modes.value) == [0o600])
    #expect(folder.names == ["file"])
  }

  /// If a file replaced a pipe or a device, other processes could no longer use the pipe or the device.
  @Test func flowExplorerWritesToAPipeWithoutReplacingThePipe() throws {
    let pipe = folder.file("pipe")
    try #require(mkfifo(pipe.path, 0o600) == 0)
    let descriptor = open(pipe.path, O_RDWR | O_NONBLOCK)
    try #require(descriptor >= 0)
    defer { close(descriptor) }

    try write(pipe)

    let written = [UInt8](unsafeUninitializedCapacity: 1_000_000) { buffer, count in
      count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
    }
    #expect(Data(written) == contents)
  }

  @Test func flowExplorerFollowsASymbolicLinkWhenWritingAFile() throws {
    let file = folder.file("file")
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)

    try write(link)

    #expect(try Data(contentsOf: file) == contents)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == file.path)
  }

  /// If the disk is full, the old file must remain.
  @Test(arguments: ["file", "folder/../file"])
  func flowExplorerReplacesTheFileOfASymbolicLinkAtOnce(path: String) throws {
    let (file, link) = (folder.file("file"), folder.file("link"))
    try FileManager.default.createDirectory(
      at: folder.file("folder"),
      withIntermediateDirectories: false
    )
    try Data("earlier".utf8).write(to: file)
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: path)
    let reader = try FileHandle(forReadingFrom: file)

    try write(link)

    #expect(reader.allBytes() == Data("earlier".utf8))
    #expect(try Data(contentsOf: file) == contents)
  }

  /// A shell opens the file of `>` or `>>` before the process starts.
  @Test(arguments: [0, O_APPEND]) func flowExplorerWritesBehindTheTextOfAnOpenDescriptor(
    flags: CInt
  ) throws {
    let (file, link) = (folder.file("file"), folder.file("link"))
    let descriptor = open(file.path, O_WRONLY | O_CREAT | flags, 0o600)
    defer { close(descriptor) }
    let handle = FileHandle(fileDescriptor: descriptor)
    try handle.write(contentsOf: Data("earlier".utf8))
    let path = "/dev/fd/\(descriptor)"
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: path)

    try write(URL(fileURLWithPath: path))
    try write(link)
    try handle.write(contentsOf: Data("later".utf8))

    #expect(
      try Data(contentsOf: file) == Data("earlier".utf8) + contents + contents + Data("later".utf8)
    )
  }

  @Test func flowExplorerWritesAFileWhoseNameIsANumber() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      #expect(FileManager.default.changeCurrentDirectoryPath(folder.url.path))

      try FlowExplorer([]).write(to: #require(URL(string: "file:2")))

      #expect(folder.names == ["2"])
    }
  }

  @Test func addressOfAServerIsNoFile() throws {
    let address = try #require(URL(string: "https://example.com\(folder.file("file").path)"))

    #expect(throws: CocoaError(.fileWriteUnsupportedScheme)) { try write(address) }
    #expect(folder.names.isEmpty)
  }

  @Test func flowExplorerThrowsWhenWritingToAFolder() {
    #expect(throws: CocoaError.self) { try write(folder.url) }
  }
}
