import Foundation
import TestSupport
import Testing

/// What `make install` and `make deb` put where, and take away again.
struct PackagingTests {
  private let home: TemporaryHome
  private let prefix: String

  init() throws {
    home = try TemporaryHome()
    prefix = "\(home.path)/prefix"
  }

  private static let scripts = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("scripts").path

  private func script(_ name: String, _ arguments: String...) throws -> VaultProcess.Result {
    try VaultProcess(home: home.path, executable: "\(Self.scripts)/\(name)").run(
      arguments,
      adding: [
        "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
        "DPKG_DEB_COMPRESSOR_TYPE": "none",
      ])
  }

  /// Runs a rule of the Makefile on the command that is being tested, in place of a release.
  private func make(_ rule: String, name: String) throws -> VaultProcess.Result {
    let root = URL(fileURLWithPath: Self.scripts).deletingLastPathComponent().path
    return try VaultProcess(home: home.path, executable: "/usr/bin/make").run([
      "-C", root, "-o", "build", rule, "BINARY=\(VaultProcess.path)", "NAME=\(name)",
      "DESTDIR=\(home.path)", "PREFIX=/prefix",
    ])
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOfFile: "\(prefix)/\(path)", encoding: .utf8)
  }

  private var files: [String] {
    (FileManager.default.enumerator(atPath: prefix)?.allObjects ?? []).compactMap { entry in
      guard let path = entry as? String,
        let attributes = try? FileManager.default.attributesOfItem(atPath: "\(prefix)/\(path)"),
        attributes[.type] as? FileAttributeType != .typeDirectory
      else { return nil }
      return path
    }
  }

  private static func has(_ program: String) -> Bool {
    ["/usr/bin", "/bin"].contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
    }
  }

  @Test(
    .enabled(if: has("python3") && has("make"), "needs python3 and make"),
    arguments: ["vault", "lvault"])
  func whatInstallWritesUninstallTakesAway(name: String) throws {
    let installed = try make("install", name: name)
    #expect(installed.status == 0, "\(installed.errors)")
    #expect(try text("share/man/man1/\(name)-set.1").contains("\(name) set api\\-token"))
    #expect(try text("share/man/man1/\(name).1").contains("\\fB\(name)\\-get\\fR(1)"))
    #expect(try text("share/bash-completion/completions/\(name)").contains("_\(name)()"))
    #expect(files.contains("share/zsh/site-functions/_\(name)"))
    #expect(files.contains("share/fish/vendor_completions.d/\(name).fish"))
    let command = VaultProcess(home: home.path, executable: "\(prefix)/bin/\(name)")
    #expect(try command.run(["get", "k"]).errors.contains("\(name) init"))

    let foreign = "\(prefix)/share/man/man1/\(name)-agent.1"
    try Data(".TH ANOTHER 1\n".utf8).write(to: URL(fileURLWithPath: foreign))
    #expect(try make("uninstall", name: name).status == 0)
    #expect(files == ["share/man/man1/\(name)-agent.1"])
  }

  @Test(.enabled(if: has("python3") && has("groff"), "needs python3 and groff"))
  func everyVerbHasAPageThatGroffTakesWithoutAWord() throws {
    let made = try script("man-pages", VaultProcess.path, prefix)
    #expect(made.status == 0, "\(made.errors)")
    let help = try VaultProcess(home: home.path).run(["--help"]).text
    #expect(files.contains("vault.1"))
    #expect(files.count > 20)
    for page in files where page != "vault.1" {
      let verb = page.dropFirst("vault-".count).dropLast(".1".count)
      #expect(help.contains("  \(verb)"), "\(verb)")
    }
    let groff = VaultProcess(home: home.path, executable: "/usr/bin/groff")
    for page in files {
      let result = try groff.run(["-man", "-ww", "-z", "-Tutf8", "\(prefix)/\(page)"])
      #expect(result.status == 0 && result.errors.isEmpty, "\(page): \(result.errors)")
    }
  }

  @Test(
    .enabled(
      if: has("dpkg-deb") && has("objdump") && has("python3"),
      "needs dpkg-deb, binutils and python3"))
  func theDebianPackageHoldsWhatInstallWrites() throws {
    let built = try script("build-deb", VaultProcess.path, "\(home.path)/deb")
    #expect(built.status == 0, "\(built.errors)")
    let package = built.text.trimmingCharacters(in: .whitespacesAndNewlines)
    let deb = VaultProcess(home: home.path, executable: "/usr/bin/dpkg-deb")
    let contents = try deb.run(["--contents", package]).text
    for path in [
      "./usr/bin/vault", "./usr/share/man/man1/vault-set.1.gz", "./usr/share/doc/vault/copyright",
      "./usr/share/zsh/vendor-completions/_vault",
      "./usr/share/fish/vendor_completions.d/vault.fish",
      "./usr/share/bash-completion/completions/vault",
    ] {
      #expect(contents.contains("\(path)\n"), "\(path)")
    }
    #expect(!contents.contains(home.path))
    let control = try deb.run(["--info", package]).text
    #expect(control.contains("Package: vault"))
    #expect(control.firstMatch(of: /Depends: libc6 \(>= 2\.[0-9]+\)/) != nil)
  }
}
