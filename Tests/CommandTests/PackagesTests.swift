import Foundation
import TestSupport
import Testing

/// What `make packages` builds, in a system of its own each: installed, used, upgraded, removed.
///
/// Each test builds its package from the command that is being tested, or from the release where
/// `make build` has made one, and runs a script of `Scripts/`. What a tool is missing for is
/// skipped.
@Suite(.serialized)
struct PackagesTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path
  private static let release = "\(root)/.build-release/release/vault"
  private static let isRelease = FileManager.default.isExecutableFile(atPath: release)
  private static let binary = isRelease ? release : VaultProcess.path

  private static func path(_ program: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return (path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin"])
      .map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }
  private static func has(_ programs: String...) -> Bool { programs.allSatisfy { path($0) != nil } }

  private static func runs(_ words: String...) -> Bool {
    (try? VaultProcess(home: "/", executable: "/usr/bin/env").run(words).status) == 0
  }

  private static let canBuild = has("python3", "objdump", "git", "ldd")
  private static let needs = "needs python3, binutils and git"

  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func passes(_ script: String, adding variables: [String: String] = [:]) throws {
    let folder = "\(home.path)/work"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var environment = ProcessInfo.processInfo.environment.filter {
      ["PATH", "SWIFT", "TMPDIR"].contains($0.key)
    }
    environment["LC_ALL"] = "C.UTF-8"
    let path = "\(Self.root)/Tests/CommandTests/Scripts/\(script)"
    let run = try VaultProcess(home: home.path, executable: "/usr/bin/env").run(
      ["--chdir", folder, "bash", path, Self.root, Self.binary],
      adding: environment.merging(variables) { $1 })
    #expect(run.status == 0 && run.text.hasSuffix("all steps passed\n"), "\(run.text)\(run.errors)")
  }

  @Test(.enabled(if: canBuild && runs("python3", "-c", "import ensurepip"), "\(needs), and venv"))
  func pipInstallsTheWheel() throws {
    try passes("package_wheel.sh", adding: ["UV": Self.path("uv") ?? ""])
  }

  @Test(.enabled(if: canBuild && has("minisign", "sha256sum"), "\(needs), and minisign"))
  func theInstallerRefusesWhatWasNotSigned() throws {
    let verifies = Self.runs("sh", "-c", "openssl pkeyutl -help 2>&1 | grep -q rawin")
    try passes("package_install_script.sh", adding: ["OPENSSL": verifies ? "yes" : "no"])
  }

  @Test(.enabled(if: canBuild && has("rpmbuild", "rpm"), "\(needs), and rpm"))
  func theRPMPackageInARootOfItsOwn() throws { try passes("package_rpm.sh") }

  @Test(
    .enabled(if: canBuild && has("makepkg", "bsdtar", "fakeroot", "curl"), "\(needs), and makepkg"))
  func makepkgBuildsTheRecipeForArch() throws { try passes("package_arch.sh") }

  @Test(.enabled(if: canBuild, "\(needs)"))
  func theImageIsWhatItSays() throws {
    try passes("package_image.sh", adding: ["RUN": "no"])
  }

  @Test(
    .enabled(
      if: isRelease && has("bwrap")
        && runs("bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"),
      "needs a release, since it runs with glibc alone, and bubblewrap"))
  func theImageRunsUnderBubblewrap() throws {
    try passes("package_image.sh", adding: ["RUN": "yes"])
  }

  @Test(.enabled(if: canBuild, "\(needs)"))
  func theRecipesNameTheArchive() throws {
    var steps = ["toml"]
    if !Self.runs("python3", "-c", "import tomllib") { steps = [] }
    if Self.has("nix-instantiate") { steps.append("nix") }
    if Self.runs("ruby", "-e", "exit RUBY_VERSION >= '3.0'") { steps.append("ruby") }
    if Self.runs("python3", "-c", "import yaml") { steps.append("yaml") }
    try passes("package_recipes.sh", adding: ["STEPS": steps.joined(separator: " ")])
  }

  /// A virtual environment with them is named by the variable, or they are the machine's own.
  private static let validator: String? = {
    let named = ProcessInfo.processInfo.environment["VAULT_TEST_SBOM_PYTHON"] ?? "python3"
    return runs(named, "-c", "import cyclonedx.validation.json, spdx_tools, jsonschema")
      ? named : nil
  }()

  @Test(.enabled(if: canBuild && has("minisign", "sha256sum"), "\(needs), and minisign"))
  func theDocumentsSayWhatIsLinked() throws {
    try passes("package_documents.sh", adding: ["VALIDATOR": Self.validator ?? ""])
  }

  @Test(.enabled(if: canBuild && has("pkg-config", "cc"), "\(needs), pkg-config and a compiler"))
  func aNewCompilerIsLinkedPlainly() throws {
    let compiler = ProcessInfo.processInfo.environment["SWIFT"] ?? Self.path("swift")
    try passes("link_ways.sh", adding: ["SWIFT": try #require(compiler)])
  }

  private static let freshDebian = "\(root)/.build-root"
  private static let isFresh =
    isRelease && FileManager.default.fileExists(atPath: "\(freshDebian)/etc/debian_version")
  private static let debian = isFresh ? freshDebian : "/"

  @Test(
    .enabled(
      if: canBuild && geteuid() == 0 && has("apt-ftparchive", "gpg", "dpkg-deb", "unshare")
        && runs("\(root)/scripts/in-debian-root", debian, "/tmp", "true"),
      "\(needs), root, apt-utils, gpg and overlay file systems"))
  func aptUpgradesFromTheRepository() throws {
    try passes("package_apt.sh", adding: ["DEBIAN": Self.debian])
  }
}
