import Foundation
import TestSupport

/// The compiler, for tests of what programs that use this library compile to.
enum SwiftCompiler {
  /// Where it is; `nil` where it is not in PATH.
  static let path: String? = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").map { "\($0)/swiftc" }.first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
  }()

  /// The folder of these tests.
  static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path

  /// Compiles with the modules and the macros as they were built for these tests.
  static func run(_ path: String, _ arguments: [String], home: TemporaryHome) throws
    -> VaultProcess.Result
  {
    let root = URL(fileURLWithPath: tests).deletingLastPathComponent().deletingLastPathComponent()
    let shims = try FileManager.default.contentsOfDirectory(atPath: "\(root.path)/Sources/Shims")
      // Of a target with sources of its own it lies beside its headers.
      .flatMap { name in
        ["", "include/"].map { "\(root.path)/Sources/Shims/\(name)/\($0)module.modulemap" }
      }
      .filter { FileManager.default.fileExists(atPath: $0) }
      .flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    let tool = KeyringSession.product("VaultAppDataMacros-tool")
    // The build's own: in each new home, the C library's modules would be made again.
    let cache = ["-module-cache-path", KeyringSession.product("ModuleCache")]
    return try VaultProcess(home: home.path, executable: path).run(
      arguments + cache + ["-I", KeyringSession.product("Modules")] + shims + headers(home: home)
        + ["-load-plugin-executable", "\(tool)#VaultAppDataMacros"],
      adding: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""])
  }

  /// Where the C libraries' headers are.
  private static func headers(home: TemporaryHome) throws -> [String] {
    let found = try VaultProcess(home: home.path, executable: "/usr/bin/env").run([
      "pkg-config", "--cflags-only-I", "sqlite3", "libsodium", "expat",
    ])
    return found.text.split(whereSeparator: \.isWhitespace).flatMap { ["-Xcc", String($0)] }
  }

  /// The object files of a package that this one takes, as they were built for these tests.
  ///
  /// - Parameter modules: Its modules.
  /// - Returns: Their paths.
  /// - Throws: An error of the file system.
  static func objects(of modules: [String]) throws -> [String] {
    try modules.flatMap { name in
      let folder = KeyringSession.product("\(name).build")
      return try FileManager.default.contentsOfDirectory(atPath: folder)
        .filter { $0.hasSuffix(".o") }.map { "\(folder)/\($0)" }
    }
  }

  /// The object files of this library, as they were built for these tests.
  ///
  /// By the names of the sources: the folder may hold objects of sources that are gone. Copies, since
  /// a build of another package may write them anew while the program is compiled.
  ///
  /// - Parameter home: Where the copies are made.
  /// - Returns: Their paths.
  /// - Throws: An error of the file system.
  static func objects(home: TemporaryHome) throws -> [String] {
    let sources = URL(fileURLWithPath: tests).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources/Libraries")
    let copies = "\(home.path)/objects"
    return try [
      "VaultAppData", "VaultDataStore", "VaultStorage", "VaultSealing", "SwiftData",
    ].flatMap { name in
      let folder = KeyringSession.product("\(name).build")
      let files = FileManager.default.enumerator(atPath: sources.appendingPathComponent(name).path)
      let copy = "\(copies)/\(name)"
      try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
      return try (files?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".swift") }
        .map { file in
          let object = "\(URL(fileURLWithPath: file).lastPathComponent).o"
          try FileManager.default.copyItem(
            atPath: "\(folder)/\(object)", toPath: "\(copy)/\(object)")
          return "\(copy)/\(object)"
        }
    }
  }
}
