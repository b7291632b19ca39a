import Foundation
import TestSupport
import Testing

/// What is installed, in a system that never saw it.
///
/// After `make build` and `make debian-root` that is the release in a fresh Debian. Without them it
/// is the build that is being tested, in this machine's own Debian, below a file system in memory:
/// the packages, the archive and the quick start are the same there.
@Suite(.serialized)
struct ReleaseTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path
  private static let release = "\(root)/.build-release/release/vault"
  private static let freshDebian = "\(root)/.build-root"
  private static let isRelease =
    FileManager.default.isExecutableFile(atPath: release)
    && FileManager.default.fileExists(atPath: "\(freshDebian)/etc/debian_version")
  private static let binary = isRelease ? release : VaultProcess.path
  private static let debian = isRelease ? freshDebian : "/"
  private static let names = isRelease ? ["vault", "lvault"] : ["vault"]

  private static func has(_ program: String) -> Bool {
    ["/usr/bin", "/usr/sbin", "/bin"].contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
    }
  }

  private static let canInstall =
    geteuid() == 0 && has("unshare") && has("dpkg-deb") && has("python3")
    && FileManager.default.fileExists(atPath: "\(debian)/etc/debian_version") && canLayOver
  private static let needs = "needs root in a Debian, dpkg, python3, and overlay file systems"

  /// Whether the kernel lets a file system in memory lie over the root.
  private static let canLayOver =
    (try? VaultProcess(home: "/", executable: "\(root)/scripts/in-debian-root").run(
      [debian, NSTemporaryDirectory(), "true"]).status) == 0

  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  /// Runs a script of the repository with the tests' own variables, such as those of the compiler.
  private func script(_ words: String...) throws -> VaultProcess.Result {
    try VaultProcess(home: home.path, executable: "/usr/bin/env").run(
      ["\(Self.root)/\(words[0])"] + words.dropFirst(),
      adding: [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
        "DPKG_DEB_COMPRESSOR_TYPE": "none", "GZIP_LEVEL": "1", "LC_ALL": "C.UTF-8",
      ])
  }

  private func package(name: String) throws -> String {
    let built = try script("scripts/build-deb", Self.binary, "\(home.path)/\(name)", name)
    #expect(built.status == 0, "\(built.errors)")
    return try #require(built.text.split(separator: "\n").last.map(String.init))
  }

  /// Its argument parser is built with another encoder of JSON: `ParserEssentials`.
  @Test(.enabled(if: isRelease, "needs a release: make build debian-root"))
  func theReleaseTellsOfItselfWhatTheDebugBuildTells() throws {
    let texts = try [Self.release, VaultProcess.path].map {
      try VaultProcess(home: home.path, executable: $0).run(["--experimental-dump-help"]).text
    }
    #expect(texts[0] == texts[1] && texts[0].count > 100_000)
  }

  /// Position-independent, without a page that is both written and run, and with everything that the
  /// loader writes read-only before the program begins.
  @Test(.enabled(if: has("readelf"), "needs readelf, of binutils"))
  func theProgramsAreHardened() throws {
    func readelf(_ words: String...) throws -> String {
      try VaultProcess(home: home.path, executable: "/usr/bin/readelf").run(words).text
    }
    let folder = URL(fileURLWithPath: Self.binary).deletingLastPathComponent().path
    for program in ["vault", "vault-helper"].map({ "\(folder)/\($0)" }) {
      let headers = try readelf("-hlW", program)
      let dynamic = try readelf("-dW", program)
      #expect(headers.contains("DYN (Position-Independent Executable file)"), "\(program)")
      #expect(headers.contains("GNU_RELRO"), "\(program)")
      #expect(headers.contains(try Regex("GNU_STACK .* RW +0")), "\(program)")
      #expect(!headers.contains(try Regex("LOAD .* RWE ")), "\(program)")
      #expect(!dynamic.contains("TEXTREL"), "\(program)")
      // The compiler links a debug build against its own folder, and lazily.
      guard Self.isRelease else { continue }
      #expect(dynamic.contains("BIND_NOW"), "\(program)")
      #expect(!dynamic.contains("RPATH") && !dynamic.contains("RUNPATH"), "\(program)")
    }
  }

  @Test(.enabled(if: canInstall && has("lintian"), "\(needs), and lintian"))
  func lintianHasNothingToSay() throws {
    // The compiler's folder is in a debug build, and nothing of it is stripped.
    let tags =
      "uses-no-compression-for-control-tarball,uses-no-compression-for-data-tarball"
      + (Self.isRelease ? "" : ",custom-library-search-path,unstripped-binary-or-object")
    for name in Self.names {
      let package = try package(name: name)
      // Only the tests leave it uncompressed, which takes a tenth of the time.
      let checked = try VaultProcess(home: home.path, executable: "/usr/bin/lintian").run([
        "--allow-root", "--suppress-tags", tags, package,
      ])
      #expect(checked.status == 0 && checked.text.isEmpty, "\(checked.text)\(checked.errors)")
    }
  }

  @Test(.enabled(if: canInstall, "\(needs)"))
  func thePackageStandsBesideAnotherVault() throws {
    for (name, file) in [("vault", "vault-swift.deb"), ("lvault", "lvault.deb")] {
      try FileManager.default.moveItem(
        atPath: package(name: name), toPath: "\(home.path)/\(file)")
    }
    let steps = "Tests/CommandTests/Scripts/debian_packages.sh"
    try FileManager.default.copyItem(
      atPath: "\(Self.root)/\(steps)", toPath: "\(home.path)/steps.sh")
    let run = try script(
      "scripts/in-debian-root", Self.debian, home.path, "bash", "/mnt/steps.sh")
    #expect(run.text.hasSuffix("all steps passed\n"), "\(run.text)\(run.errors)")
  }

  /// Word for word what Documentation/quick-start.md shows, typed by a person without rights.
  @Test(.enabled(if: canInstall && has("tmux"), "\(needs), and tmux"))
  func theQuickStartIsWhatTheTerminalShows() throws {
    let built = try script("scripts/build-archive", Self.binary, "\(home.path)/dist", "vault")
    let archive = try #require(built.text.split(separator: "\n").last.map(String.init))
    let played = try script(
      "scripts/quick-start", Self.debian, archive, "\(Self.root)/Documentation/quick-start.md")
    #expect(played.status == 0, "\(played.text)\(played.errors)")
  }

  private static let debianWithPython = "\(root)/.build-root-python"

  /// Word for word what Documentation/first-secret.md shows, each in less than a minute of typing.
  @Test(
    .enabled(
      if: canInstall && isRelease && has("tmux"),
      "\(needs), tmux, and a release: make build debian-root"))
  func theFirstSecretFromEachPackage() throws {
    let dist = "\(home.path)/dist"
    let built = try script("scripts/build-packages", Self.binary, dist, "vault")
    #expect(built.status == 0, "\(built.errors)")
    var kinds = ["archive=\(Self.debian)", "deb=\(Self.debian)"]
    if FileManager.default.fileExists(atPath: "\(Self.debianWithPython)/etc/debian_version") {
      kinds.append("wheel=\(Self.debianWithPython)")
    }
    for kind in kinds {
      let played = try script(
        "scripts/first-secret", dist, "\(Self.root)/Documentation/first-secret.md", kind)
      #expect(played.status == 0, "\(played.text)\(played.errors)")
    }
  }
}
