import Foundation
import TestSupport
import Testing

/// A folder with the modes of its mount.
private final class Stick {
  static let isThere =
    ["/usr/bin/bindfs", "/usr/bin/fusermount"].allSatisfy {
      FileManager.default.isExecutableFile(atPath: $0)
    } && FileManager.default.isWritableFile(atPath: "/dev/fuse")

  let path: String
  let real: String

  init(in home: TemporaryHome, mode: String) throws {
    path = "\(home.path)/stick"
    real = "\(home.path)/real"
    for folder in [path, real] {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }
    // It stays behind as a daemon, and must keep nothing open by which the end of a child is known.
    let line = """
      for fd in $(ls /proc/self/fd); do [ "$fd" -lt 3 ] || eval "exec $fd>&-"; done
      exec bindfs --chmod-ignore --chown-ignore --perms=\(mode) "$0" "$1" </dev/null >/dev/null 2>&1
      """
    let mount = try VaultProcess(home: home.path, executable: "/bin/bash").run(
      ["-c", line, real, path], adding: ["PATH": "/usr/bin:/bin"])
    try #require(mount.status == 0, "\(mount.errors)")
  }

  deinit {
    _ = try? VaultProcess(home: real, executable: "/usr/bin/fusermount").run(["-uz", path])
  }
}

/// A key file on a file system without modes, as a stick has it: bindfs shows every file with the
/// mode of its mount, and chmod(1) changes nothing.
@Suite(.enabled(if: Stick.isThere, "needs bindfs, fusermount and /dev/fuse"))
struct KeyFileOnAStickTests {
  /// 0600 is promised, and there it cannot be.
  @Test func whatIsWrittenThereIsToldToBeOpen() throws {
    let vault = try ThrowawayVault()
    let stick = try Stick(in: vault.home, mode: "0777")
    try vault.set("a", "1")
    let there = try vault("get", "a", "--out", "\(stick.path)/a")
    #expect(there.status == 0, "\(there.errors)")
    #expect(there.errors.contains("warning: others can read"), "\(there.errors)")
    let here = try vault("get", "a", "--out", "\(vault.home.path)/a")
    #expect(here.status == 0 && !here.errors.contains("warning"), "\(here.errors)")
  }

  @Test(arguments: ["0755", "0777"])
  func aKeyFileThereIsTrustedOnce(mode: String) throws {
    let home = try TemporaryHome()
    let stick = try Stick(in: home, mode: mode)
    let vault = VaultProcess(home: home.path)
    let key = "\(stick.path)/vault.key"
    let options = ["--key-file", key, "--no-session", "--no-keyring"]

    let refused = try vault.run(["init", "--no-recovery"] + options)
    #expect(refused.status == 77, "\(refused.errors)")
    #expect(refused.errors.contains("--trust-key-file") && !refused.errors.contains("chmod 600"))
    #expect(!FileManager.default.fileExists(atPath: key))
    #expect(try vault.run(["list"] + options).status == 78)

    let made = try vault.run(["init", "--no-recovery", "--trust-key-file"] + options)
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.errors.contains("warning: others may read"), "\(made.errors)")
    for line in [options, ["--no-session", "--no-keyring"]] {
      let list = try vault.run(["list"] + line, adding: ["VAULT_KEY_FILE": key])
      #expect(list.status == 0 && list.errors.isEmpty, "\(list.errors)")
    }
    // By another way to the same file, and not for another file there.
    try FileManager.default.createSymbolicLink(
      atPath: "\(home.path)/link", withDestinationPath: key)
    let linked = try vault.run(["list", "--key-file", "\(home.path)/link", "--no-session"])
    #expect(linked.status == 0 && linked.errors.isEmpty, "\(linked.errors)")
    let other = "\(stick.path)/other.key"
    let added = try vault.run(["key", "add", "--new-key-file", other] + options)
    #expect(added.status == 77, "\(added.errors)")
    #expect(!FileManager.default.fileExists(atPath: other))
    let trusted = try vault.run(
      ["key", "add", "--new-key-file", other, "--trust-key-file"] + options)
    #expect(trusted.status == 0 && trusted.errors.contains("warning: "), "\(trusted.errors)")
  }

  /// A key that was made elsewhere and copied there; the hint is true for each way out.
  @Test func aKeyThatWasCopiedThereOpensAsTheHintSays() throws {
    let made = try ThrowawayVault()
    let stick = try Stick(in: made.home, mode: "0777")
    let key = "\(stick.path)/vault.key"
    try FileManager.default.copyItem(atPath: made.keyFile, toPath: key)
    let vault = VaultProcess(home: made.home.path)
    let options = ["--key-file", key, "--no-session", "--no-keyring"]
    let refused = try vault.run(["list"] + options)
    #expect(refused.status == 77 && refused.errors.contains("if that changes nothing"))
    let piped = try vault.run(
      ["list", "--key-file", "-", "--no-session"],
      input: Data(contentsOf: URL(fileURLWithPath: key)))
    #expect(piped.status == 0, "\(piped.errors)")
    #expect(try vault.run(["list"] + options).status == 77)
    let trusting = try vault.run(["list", "--trust-key-file"] + options)
    #expect(trusting.status == 0 && trusting.errors.contains("warning: "), "\(trusting.errors)")
    let again = try vault.run(["list"] + options)
    #expect(again.status == 0 && again.errors.isEmpty, "\(again.errors)")
  }

  /// No half of a vault is left where it cannot be kept.
  @Test(arguments: ["0755", "0777"])
  func aVaultIsNotMadeThere(mode: String) throws {
    let made = try ThrowawayVault()
    let stick = try Stick(in: made.home, mode: mode)
    for home in ["\(stick.path)/a/b", stick.path] {
      for words in [["init", "--no-recovery"], ["set", "x", "--stdin"]] {
        let run = try VaultProcess(home: made.home.path).run(
          words + ["--key-file", made.keyFile, "--no-session", "--no-keyring"],
          input: Data("x".utf8), adding: ["VAULT_HOME": home])
        #expect(run.status == 77, "\(home) \(words) \(run.errors)")
        #expect(!run.errors.contains("chmod 600"), "\(run.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: stick.real) == [], "\(words)")
      }
    }
  }
}

/// A Linux that runs as a program, with FAT as its kernel has it; the one below the tests may have none.
private enum StickKernel {
  static let path = "/usr/bin/linux.uml"

  /// The folder of its file systems.
  static let modules: String? = {
    let all = "/usr/lib/uml/modules"
    return (try? FileManager.default.contentsOfDirectory(atPath: all))?.map {
      "\(all)/\($0)/kernel/fs"
    }.first { FileManager.default.fileExists(atPath: "\($0)/fat/vfat.ko") }
  }()

  private static let format = ["/usr/sbin/mkfs.vfat", "/sbin/mkfs.vfat"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  static let isThere =
    modules != nil && format != nil && FileManager.default.isExecutableFile(atPath: path)
    && PythonScript.hasPython
    // Not every machine lets a program trace its children as this one does.
    && (try? play(in: TemporaryHome(), ["halt"]))?.contains("System halted") ?? false

  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../Scripts/stick.sh").standardized.path

  /// Starts it with a new stick.
  ///
  /// - Parameters:
  ///   - home: Where the stick's image and the memory lie.
  ///   - words: What the script gets that is its first process.
  /// - Returns: What it printed.
  /// - Throws: What a stick that cannot be made throws.
  static func play(in home: TemporaryHome, _ words: [String]) throws -> String {
    let image = "\(home.path)/stick.img"
    try #require(FileManager.default.createFile(atPath: image, contents: nil))
    try FileHandle(forWritingTo: URL(fileURLWithPath: image)).truncate(atOffset: 8 << 20)
    let made = try VaultProcess(home: home.path, executable: try #require(format)).run([image])
    try #require(made.status == 0, "\(made.errors)")
    let run = try VaultProcess(home: home.path, executable: "/usr/bin/timeout").run(
      [
        "-s", "KILL", "480", path, "ubda=\(image)", "root=/dev/root", "rootfstype=hostfs",
        "hostfs=/", "rw", "mem=768M", "con=null", "con0=null,fd:1", "quiet", "init=/bin/bash", "--",
        script,
      ] + words, adding: ["TMPDIR": home.path])
    return run.text
  }
}

@Suite(.enabled(if: StickKernel.isThere, "needs linux.uml, which has to start here, and mkfs.vfat"))
struct KeyFileOnFATTests {
  @Test func whatThePagePromisesIsTrueOnAStickWithFAT() throws {
    let played = try StickKernel.play(
      in: TemporaryHome(), [VaultProcess.path, #require(StickKernel.modules)])
    #expect(played.contains("mounted"), "\(played)")
    #expect(played.contains("\nplayed") && !played.contains("FAIL"), "\(played)")
  }
}
