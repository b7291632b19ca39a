import Foundation
import TestSupport
import Testing

/// What `make install`, `make deb` and `make release` put where, and take away again.
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
  private func make(
    _ rule: String, name: String = "vault", _ variables: String..., adding: [String: String] = [:]
  ) throws -> VaultProcess.Result {
    let root = URL(fileURLWithPath: Self.scripts).deletingLastPathComponent().path
    return try VaultProcess(
      home: home.path,
      environment: [
        "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "DPKG_DEB_COMPRESSOR_TYPE": "none",
        "GZIP_LEVEL": "1",
        // For the license of Swift's library.
        "SWIFT": ProcessInfo.processInfo.environment["SWIFT"] ?? Self.swift,
      ], executable: "/usr/bin/make"
    ).run(
      [
        "--no-print-directory", "-C", root, "-o", "build", rule, "BINARY=\(VaultProcess.path)",
        "NAME=\(name)", "DESTDIR=\(home.path)", "PREFIX=/prefix",
      ] + variables, adding: adding)
  }

  /// The compiler's program, as the tests' own PATH finds it.
  private static let swift: String =
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { "\($0)/swift" }.first { FileManager.default.isExecutableFile(atPath: $0) } ?? "swift"

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
    let manual = try text("share/man/man1/\(name).1")
    #expect(manual.contains("\\fB\(name)\\-get\\fR(1)"))
    #expect(manual.contains("\n.SH EXAMPLES\n"))
    #expect(manual.contains("\\fB\(name) run api\\-token \\-\\- ./deploy.sh\\fR"))
    #expect(manual.contains(" the vault."), "the word, which is not the command")
    #expect(try text("share/man/man7/\(name)-reference.7").contains("secret://NAME"))
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

  @Test(.enabled(if: has("python3") && has("make"), "needs python3 and make"))
  func theHelperStaysForTheOtherName() throws {
    for name in ["vault", "lvault"] { #expect(try make("install", name: name).status == 0) }
    let helper = "libexec/vault/vault-helper"
    #expect(try make("uninstall", name: "lvault").status == 0)
    #expect(files.contains(helper) && !files.contains { $0.hasSuffix("lvault") })
    #expect(try make("uninstall", name: "vault").status == 0)
    #expect(files == [])
  }

  @Test(.enabled(if: has("python3") && has("groff"), "needs python3 and groff"))
  func everyVerbHasAPageThatGroffTakesWithoutAWord() throws {
    let made = try script("man-pages", VaultProcess.path, prefix)
    #expect(made.status == 0, "\(made.errors)")
    let help = try VaultProcess(home: home.path).run(["--help"]).text
    #expect(files.contains("vault.1"))
    #expect(files.count > 20)
    for page in files where page != "vault.1" && page != "vault-reference.7" {
      let verb = page.dropFirst("vault-".count).dropLast(".1".count)
      #expect(help.contains("  \(verb)"), "\(verb)")
    }
    #expect(files.contains("vault-reference.7"))
    let groff = VaultProcess(home: home.path, executable: "/usr/bin/groff")
    for page in files {
      let result = try groff.run(["-man", "-ww", "-z", "-Tutf8", "\(prefix)/\(page)"])
      #expect(result.status == 0 && result.errors.isEmpty, "\(page): \(result.errors)")
    }
  }

  /// Day and version are in the footer, and the day is that of the sources.
  @Test(.enabled(if: has("python3"), "needs python3"))
  func thePagesHaveTheDayOfTheSources() throws {
    let made = try VaultProcess(home: home.path, executable: "\(Self.scripts)/man-pages").run(
      [VaultProcess.path, prefix], adding: ["SOURCE_DATE_EPOCH": "1700000000"])
    #expect(made.status == 0, "\(made.errors)")
    let version = try VaultProcess(home: home.path).run(["--version"]).text
      .trimmingCharacters(in: .newlines)
    for page in ["vault.1", "vault-get.1", "vault-reference.7"] {
      let head = try #require(try text(page).firstMatch(of: /\.TH (.*)/))
      #expect(head.output.1.contains("\"2023-11-14\" \"vault \(version)\""))
    }
  }

  private static let hasReleaseTools =
    ["dpkg-deb", "objdump", "python3", "make", "git", "sha256sum"].allSatisfy(has)

  @Test(
    .enabled(if: hasReleaseTools, "needs dpkg-deb, binutils, python3, make and git"),
    arguments: ["vault", "lvault"])
  func theDebianPackageHoldsWhatInstallWrites(name: String) throws {
    let built = try make("deb", name: name, "DIST=\(home.path)/deb")
    #expect(built.status == 0, "\(built.errors)")
    let package = try #require(built.text.split(separator: "\n").last.map(String.init))
    #expect(package.contains("/vault-swift_"))
    let deb = VaultProcess(home: home.path, executable: "/usr/bin/dpkg-deb")
    let contents = try deb.run(["--contents", package]).text
    for path in [
      "./usr/bin/\(name)", "./usr/share/man/man1/\(name)-set.1.gz",
      "./usr/share/man/man7/\(name)-reference.7.gz",
      "./usr/share/doc/vault-swift/copyright", "./usr/share/doc/vault-swift/README.md.gz",
      "./usr/share/doc/vault-swift/Documentation/import.md.gz",
      "./usr/share/zsh/vendor-completions/_\(name)",
      "./usr/share/fish/vendor_completions.d/\(name).fish",
      "./usr/share/bash-completion/completions/\(name)",
    ] {
      #expect(contents.contains("\(path)\n"), "\(path)")
    }
    #expect(contents.contains("./usr/bin/git-credential-\(name) -> \(name)\n"))
    #expect(!contents.contains(home.path))
    let control = try deb.run(["--info", package]).text
    #expect(control.contains("Package: vault-swift\n"))
    #expect(control.contains("Replaces: vault (<< 0.2~)\n"))
    // Under another name there is nothing to conflict with but our own old package.
    let conflicts = name == "vault" ? "Conflicts: vault\n" : "Conflicts: vault (<< 0.2~)\n"
    #expect(control.contains(conflicts))
    #expect(!control.contains("Provides:") && !control.contains("Recommends:"))
    #expect(control.firstMatch(of: /Depends: libc6 \(>= 2\.[0-9]+\)/) != nil)
  }

  @Test(
    .enabled(
      if: hasReleaseTools && has("minisign"),
      "needs dpkg-deb, binutils, python3, make, git and minisign"))
  func aReleaseIsTheSameTwiceAndSigned() throws {
    let key = ["\(home.path)/key", "\(home.path)/key.pub"]
    let minisign = VaultProcess(home: home.path, executable: "/usr/bin/minisign")
    let generated = try minisign.run(["-G", "-W", "-s", key[0], "-p", key[1]])
    try #require(generated.status == 0, "\(generated.errors)")
    let folders = ["\(home.path)/first", "\(home.path)/second"]
    for (folder, zone) in zip(folders, ["UTC", "Asia/Tokyo"]) {
      let made = try make(
        "release", "DIST=\(folder)", "MINISIGN_KEY=\(key[0])",
        adding: ["TZ": zone, "LC_ALL": zone == "UTC" ? "C" : "C.UTF-8"])
      #expect(made.status == 0, "\(made.errors)")
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folders[0]).sorted()
    #expect(names.count == 4, "\(names)")
    for name in names {
      let both = folders.map { FileManager.default.contents(atPath: "\($0)/\(name)") }
      #expect(both[0] == both[1] && both[0] != nil, "\(name) differs")
    }
    let check = VaultProcess(home: folders[0], executable: "/usr/bin/sha256sum")
    #expect(try check.run(["--check", "--strict", "SHA256SUMS"]).status == 0)
    let verify = VaultProcess(home: folders[0], executable: "/usr/bin/minisign")
    #expect(try verify.run(["-V", "-m", "SHA256SUMS", "-p", key[1]]).status == 0)
  }

  @Test(.enabled(if: hasReleaseTools, "needs dpkg-deb, binutils, python3, make and git"))
  func anUnsignedReleaseSaysSo() throws {
    let made = try make("release", "DIST=\(home.path)/dist")
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.errors.contains("not signed"))
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(home.path)/dist")
    #expect(names.contains("SHA256SUMS") && !names.contains("SHA256SUMS.minisig"))
  }

  /// The archive installs by tar alone, changes no directory that is there, and its pages are read.
  @Test(.enabled(if: hasReleaseTools, "needs dpkg-deb, binutils, python3, make and git"))
  func tarInstallsTheArchive() throws {
    let made = try make("release", "DIST=\(home.path)/dist")
    #expect(made.status == 0, "\(made.errors)")
    let archive = try #require(
      try FileManager.default.contentsOfDirectory(atPath: "\(home.path)/dist")
        .first { $0.hasSuffix(".tar.gz") })
    #expect(archive.hasPrefix("vault-linux-"))
    let share = "\(prefix)/share"
    try FileManager.default.createDirectory(
      atPath: share, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let path = "\(home.path)/dist/\(archive)"
    let tar = VaultProcess(home: home.path, executable: "/usr/bin/env")
    let listed = try tar.run(["tar", "-tzf", path]).text.split(separator: "\n").map(String.init)
    #expect(listed.count > 60 && !listed.contains { $0.hasSuffix("/") })
    #expect(try tar.run(["tar", "-C", prefix, "-xzf", path]).status == 0)
    let mode = try FileManager.default.attributesOfItem(atPath: share)[.posixPermissions]
    #expect(mode as? Int == 0o700)
    for file in [
      "bin/vault", "bin/git-credential-vault", "share/man/man1/vault.1",
      "share/man/man7/vault-reference.7", "share/bash-completion/completions/vault",
      "share/doc/vault/README.md", "share/doc/vault/LICENSE",
      "share/doc/vault/Documentation/cli.md", "share/doc/vault/licenses/libsodium.txt",
    ] {
      #expect(files.contains(file), "\(file)")
    }
    let command = VaultProcess(home: home.path, executable: "\(prefix)/bin/vault")
    #expect(try command.run(["--version"]).status == 0)
  }
}
