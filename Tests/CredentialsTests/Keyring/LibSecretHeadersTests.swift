import Foundation
import TestSupport
import Testing

/// The shim declares what it uses of libsecret and GLib itself: those declarations against theirs.
struct LibSecretHeadersTests {
  private static let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  private static let shim =
    here
    .appendingPathComponent("../../../Sources/Shims/CVaultSecret").standardized

  private static func output(_ line: [String]) -> (status: Int32, text: String) {
    guard
      let home = try? TemporaryHome(),
      let run = try? VaultProcess(home: home.path, executable: "/usr/bin/env").run(
        line, adding: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"])
    else { return (-1, "") }
    return (run.status, run.text + run.errors)
  }

  private static let flags: [String]? = {
    let found = output(["pkg-config", "--cflags", "libsecret-1"])
    guard found.status == 0, output(["clang", "--version"]).status == 0 else { return nil }
    return found.text.split(whereSeparator: \.isWhitespace).map(String.init)
  }()

  /// Compiles the comparison with the shim in `folder`.
  private func compile(shim folder: URL) throws -> (status: Int32, text: String) {
    Self.output(
      ["clang", "-fsyntax-only", "-DCVAULT_SECRET_CHECK", "-I\(folder.path)"]
        + (try #require(Self.flags)) + [Self.here.appendingPathComponent("secret-headers.c").path])
  }

  @Test(.enabled(if: flags != nil, "needs clang and libsecret-1-dev"))
  func theDeclarationsAreThoseOfTheHeaders() throws {
    let result = try compile(shim: Self.shim)
    #expect(result.status == 0, "\(result.text)")
  }

  @Test(.enabled(if: flags != nil, "needs clang and libsecret-1-dev"))
  func anotherDeclarationIsNoticed() throws {
    let home = try TemporaryHome()
    let text = try String(
      contentsOf: Self.shim.appendingPathComponent("shim.h"), encoding: .utf8)
    for (old, new) in [
      ("X(int, g_variant_get_boolean,", "X(char, g_variant_get_boolean,"),
      ("cvault_io_closed = 18", "cvault_io_closed = 17"),
      ("void *construct_properties;", "void *construct_properties; int more[3];"),
    ] {
      let changed = text.replacingOccurrences(of: old, with: new)
      try #require(changed != text)
      try Data(changed.utf8).write(to: URL(fileURLWithPath: "\(home.path)/shim.h"))
      #expect(try compile(shim: URL(fileURLWithPath: home.path)).status != 0)
    }
  }
}
