#if DEBUG
  import Foundation

  #if os(Linux) || os(macOS)
    import Runtime
  #endif

  /// A function on a call stack, with the line of the call.
  struct SourceFrame: Equatable {
    /// The name of the function, such as `Channel.read()`.
    var function: String

    /// The path of the source file, or an empty string.
    var path: String

    /// The line of the call, or zero.
    var line: Int

    /// Returns the frames of return addresses, on systems that can find them.
    ///
    /// - Returns: The frames of each address, starting with the innermost inlined call.
    static func frames(of addresses: Set<UInt64>) -> [UInt64: [SourceFrame]] {
      #if os(Linux)
        if let frames = framesFromTheToolchain(of: addresses) { return frames }
      #endif
      return framesFromTheRuntime(of: addresses)
    }

    /// Looks up the frames with the module `Runtime`, which takes several seconds for a large executable on
    /// Linux.
    ///
    /// No initializer creates a `Backtrace` from addresses, so this method decodes a `Backtrace` from an
    /// encoded form. If a future runtime decodes other forms, a report contains no source locations.
    static func framesFromTheRuntime(of addresses: Set<UInt64>) -> [UInt64: [SourceFrame]] {
      #if os(Linux) || os(macOS)
        guard #available(macOS 26, *) else { return [:] }
        // The encoded form begins with the width of an address. Each address is encoded as a number of
        // bytes and the difference from the previous address.
        var bytes: [UInt8] = [2]
        var last: UInt64 = 0
        for address in addresses {
          bytes.append(0x20 | 7)
          withUnsafeBytes(of: (address &- last).bigEndian) { bytes += $0 }
          last = address
        }
        guard let example = try? Backtrace.capture(limit: 1, images: imageMap),
          var fields = try? JSONDecoder().decode(
            [String: String].self,
            from: JSONEncoder().encode(example)
          )
        else { return [:] }
        fields["backtrace"] = Data(bytes).base64EncodedString().replacing("=", with: "")
        guard let encoded = try? JSONEncoder().encode(fields),
          let all = try? JSONDecoder().decode(Backtrace.self, from: encoded)
        else { return [:] }
        let frames = Dictionary(grouping: all.symbolicated(with: imageMap)?.frames ?? []) { frame in
          // The original program counter is the return address, and the call's program counter is one less.
          UInt64(frame.captured.originalProgramCounter) ?? 0
        }
        return frames.mapValues { frames in
          frames.compactMap(\.symbol).map { symbol in
            let (path, line) = symbol.sourceLocation.map { ($0.path, $0.line) } ?? ("", 0)
            return SourceFrame(function: symbol.name, path: path, line: line)
          }
        }
      #else
        return [:]
      #endif
    }

    #if os(Linux) || os(macOS)
      @available(macOS 26, *)
      private static let imageMap = ImageMap.capture()
    #endif

    #if os(Linux)
      /// Looks up the frames with two tools of the toolchain to which the Swift runtime of this process belongs,
      /// in a fraction of a second.
      ///
      /// - Returns: The frames, or `nil` if the runtime isn't part of a toolchain.
      static func framesFromTheToolchain(of addresses: Set<UInt64>) -> [UInt64: [SourceFrame]]? {
        guard let toolchain else { return nil }
        // A call's program counter is one less than the return address.
        let places = addresses.compactMap { address in
          place(of: address - 1).map { (address: address, text: $0) }
        }
        let arguments = ["--output-style=JSON"] + places.map(\.text)
        guard !places.isEmpty, let output = output(of: toolchain + "llvm-symbolizer", arguments),
          let results = try? JSONDecoder().decode([SymbolizerResult].self, from: output),
          results.count == places.count
        else { return nil }
        let symbols = results.map { $0.Symbol ?? [] }
        let names = Set(symbols.joined().map(\.FunctionName)).sorted()
        let options = ["--compact", "--simplified"]
        guard let text = self.output(of: toolchain + "swift-demangle", options + names)
        else { return nil }
        let demangled = String(decoding: text, as: UTF8.self).split(separator: "\n")
        guard demangled.count == names.count else { return nil }
        let functions = Dictionary(uniqueKeysWithValues: zip(names, demangled.map(String.init)))
        let frames = symbols.map { symbols in
          symbols.map { symbol in
            let function = functions[symbol.FunctionName] ?? symbol.FunctionName
            return SourceFrame(function: function, path: symbol.FileName, line: symbol.Line)
          }
        }
        return Dictionary(uniqueKeysWithValues: zip(places.map(\.address), frames))
      }

      /// The result of llvm-symbolizer for one address. The names are the tool's.
      private struct SymbolizerResult: Decodable {
        struct Frame: Decodable {
          var FunctionName: String
          var FileName: String
          var Line: Int
        }

        var Symbol: [Frame]?
      }

      /// The folder with the executables of the toolchain, relative to which the runtime is in
      /// `../lib/swift/linux`.
      private static let toolchain: String? = {
        guard let runtime = images.first(where: { $0.path.hasSuffix("/libswiftCore.so") })?.path
        else { return nil }
        let folder =
          URL(fileURLWithPath: runtime).resolvingSymlinksInPath()
          .appendingPathComponent("../../../../bin/").standardizedFileURL.path + "/"
        let tools = ["llvm-symbolizer", "swift-demangle"]
        return tools.allSatisfy { FileManager.default.isExecutableFile(atPath: folder + $0) }
          ? folder : nil
      }()

      /// The executable and the libraries of this process.
      private static let images: [(path: String, addresses: Range<UInt64>)] =
        imageMap.compactMap { image in
          guard let path = image.path, let start = UInt64(image.baseAddress),
            let end = UInt64(image.endOfText)
          else { return nil }
          return (path, start..<end)
        }

      /// Returns the path of the image that contains an address, and the address in this image, as input of
      /// llvm-symbolizer.
      private static func place(of address: UInt64) -> String? {
        guard let (path, addresses) = images.first(where: { $0.addresses.contains(address) }) else {
          return nil
        }
        return "\"\(path)\" 0x" + String(address - addresses.lowerBound, radix: 16)
      }

      private static func output(of executable: String, _ arguments: [String]) -> Data? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        return try? output.fileHandleForReading.readToEnd()
      }
    #endif
  }
#endif
