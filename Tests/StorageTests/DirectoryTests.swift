import Foundation
import Glibc
import TestSupport
import Testing
import VaultStorage

struct DirectoryTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func code(_ body: () throws -> Void) -> StorageError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? StorageError)?.code
    }
  }

  @Test func aGroupIsPrivateIfItIsOneUsersAlone() {
    let users = """
      root:x:0:0:root:/root:/bin/bash
      ann:x:1000:1000:Ann,,,:/home/ann:/bin/bash
      bob:x:1001:1001::/home/bob:/bin/sh
      eve:x:1002:100::/home/eve:/bin/sh
      +nis
      """
    func isPrivate(_ group: UInt32, of user: UInt32, _ members: String, more: String = "") -> Bool {
      PrivateGroup.isPrivate(
        group, of: user, users: Array("\(users)\n\(more)".utf8),
        groups: Array("root:x:0:\nann:x:1000:\(members)\nbob:x:1001:\nusers:x:100:\n".utf8))
    }
    #expect(isPrivate(1000, of: 1000, ""))
    #expect(isPrivate(1000, of: 1000, "ann"))
    #expect(isPrivate(0, of: 0, ""))
    for members in ["bob", "ann,bob", "bob,ann", "an"] {
      #expect(!isPrivate(1000, of: 1000, members))
    }
    // Another user's group, one that another has as the primary one, and one that is unknown.
    #expect(!isPrivate(1001, of: 1000, ""))
    #expect(!isPrivate(1000, of: 1000, "", more: "sam:x:1003:1000::/home/sam:/bin/sh"))
    #expect(!isPrivate(100, of: 1002, "", more: "tim:x:1004:100::/:/bin/sh"))
    #expect(!isPrivate(4711, of: 1000, ""))
    #expect(!isPrivate(1000, of: 4711, ""))
  }

  @Test(.enabled(if: PrivateGroup.isOwnPrimary, "this user has no private group"))
  func theUsersOwnGroupMayWriteAboveIt() throws {
    let home = try TemporaryHome()
    let path = "\(home.path)/.local/share/vault"
    _ = try Directory(path, create: true)
    for above in [home.path, "\(home.path)/.local", "\(home.path)/.local/share"] {
      unsafe chmod(above, 0o775)
    }
    _ = try Directory(path)
    // Others still may not, nor the group in the vault's own directory.
    unsafe chmod("\(home.path)/.local", 0o777)
    #expect(throws: StorageError.self) { try Directory(path) }
    unsafe chmod("\(home.path)/.local", 0o775)
    unsafe chmod(path, 0o770)
    #expect(throws: StorageError.self) { try Directory(path) }
  }

  @Test func missingParentsAreMadeForTheOwnerAlone() throws {
    _ = try Directory("\(home.path)/a/b/c", create: true)
    for path in ["a", "a/b", "a/b/c"] {
      let mode = try FileManager.default.attributesOfItem(atPath: "\(home.path)/\(path)")
      #expect(mode[.posixPermissions] as? Int == 0o700)
    }
    #expect(code { _ = try Directory("\(home.path)/nowhere") } == .notFound)
  }

  @Test func adirectoryThatOthersMayWriteIsRefused() throws {
    let path = "\(home.path)/open"
    unsafe mkdir(path, 0o700)
    unsafe chmod(path, 0o777)
    #expect(code { _ = try Directory(path) } == .refused)
    unsafe chmod(path, 0o700)
    unsafe chmod(home.path, 0o777)
    #expect(code { _ = try Directory(path) } == .refused)
    unsafe chmod(home.path, 0o1777)
    #expect(code { _ = try Directory(path) } == nil)
  }

  @Test func aDirectoryFurtherUpThatOthersMayWriteIsRefused() throws {
    let path = "\(home.path)/a/b/c/d"
    _ = try Directory(path, create: true)
    for above in ["", "/a", "/a/b", "/a/b/c"] {
      unsafe chmod(home.path + above, 0o777)
      #expect(code { _ = try Directory(path) } == .refused, "\(above)")
      unsafe chmod(home.path + above, 0o1777)
      #expect(code { _ = try Directory(path) } == nil, "a sticky one keeps ours in place: \(above)")
      unsafe chmod(home.path + above, 0o700)
    }
    #expect(code { _ = try Directory(path) } == nil)
  }

  /// A folder of an application may be a link, of several hops.
  @Test func aChosenFolderMayBeALink() throws {
    let real = "\(home.path)/real"
    unsafe mkdir(real, 0o700)
    unsafe symlink("real", "\(home.path)/middle")
    unsafe symlink("middle", "\(home.path)/link")
    unsafe symlink("nothing", "\(home.path)/dangling")
    func open(_ name: String, create: Bool = false) -> StorageError.Code? {
      code {
        _ = try Directory(anyOwner: "\(home.path)/\(name)", create: create, followsLink: true)
      }
    }
    #expect(open("link") == nil && open("real") == nil)
    #expect(code { _ = try Directory(anyOwner: "\(home.path)/link") } == .refused)
    #expect(open("dangling", create: true) == .refused)
    #expect(!FileManager.default.fileExists(atPath: "\(home.path)/nothing"))
  }

  @Test(.enabled(if: geteuid() == 0, "only root makes links of other users"))
  func aLinkOfSomebodyElseIsNotFollowed() throws {
    let open = "\(home.path)/open"
    for path in ["\(home.path)/real", open] { unsafe mkdir(path, 0o700) }
    unsafe chmod(open, 0o1777)
    unsafe symlink("\(home.path)/real", "\(open)/theirs")
    unsafe lchown("\(open)/theirs", 4711, 4711)
    unsafe symlink("\(open)/theirs", "\(home.path)/link")
    unsafe symlink("\(open)/theirs/", "\(home.path)/slash")
    for path in ["\(open)/theirs", "\(home.path)/link", "\(home.path)/slash"] {
      #expect(code { _ = try Directory(anyOwner: path, followsLink: true) } == .accessDenied)
    }
  }

  @Test func aLinkOnTheWayIsFollowedFromWhereOthersCannotWrite() throws {
    _ = try Directory("\(home.path)/real/deep/vault", create: true)
    unsafe mkdir("\(home.path)/links", 0o700)
    unsafe symlink("../real", "\(home.path)/links/way")
    let path = "\(home.path)/links/way/deep/vault"
    #expect(code { _ = try Directory(path) } == nil)
    unsafe chmod("\(home.path)/links", 0o777)
    #expect(code { _ = try Directory(path) } == .refused)
    unsafe chmod("\(home.path)/links", 0o700)
    unsafe chmod("\(home.path)/real", 0o777)
    #expect(code { _ = try Directory(path) } == .refused)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a directory away"))
  func aDirectoryOfAnotherUserIsRefused() throws {
    let path = "\(home.path)/theirs"
    unsafe mkdir(path, 0o700)
    unsafe chown(path, 65534, 65534)
    #expect(code { _ = try Directory(path) } == .refused)
  }

  @Test func oddFilesAreRefusedAndNotWaitedFor() throws {
    let directory = try Directory("\(home.path)/vault", create: true)
    let path = directory.path
    unsafe mkfifo("\(path)/fifo", 0o600)
    unsafe mkdir("\(path)/directory", 0o700)
    try AtomicFile.replace("file", in: directory, with: [1, 2, 3])
    unsafe symlink("file", "\(path)/link")
    unsafe symlink("/proc/self/environ", "\(path)/proc")
    unsafe link("\(path)/file", "\(path)/second")
    for name in ["fifo", "directory", "link", "proc", "second", "file"] {
      #expect(code { _ = try directory.read(name, limit: 10) } == .refused, "\(name)")
    }
    unsafe unlink("\(path)/second")
    for mode in [0o604, 0o640, 0o666, 0o620] as [mode_t] {
      unsafe chmod("\(path)/file", mode)
      #expect(code { _ = try directory.read("file", limit: 10) } == .refused)
    }
    unsafe chmod("\(path)/file", 0o400)
    #expect(try directory.read("file", limit: 10) == [1, 2, 3])
    #expect(code { _ = try directory.read("file", limit: 2) } == .tooLarge)
    #expect(code { _ = try directory.read("absent", limit: 2) } == .notFound)
  }

  @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 300_000])
  func aFileIsReadWhole(size: Int) throws {
    let directory = try Directory("\(home.path)/vault", create: true)
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try AtomicFile.replace("file", in: directory, with: bytes)
    #expect(try directory.read("file", limit: 300_000) == bytes)
  }

  @Test func aLockKeepsOthersOutUntilItsHolderIsGone() throws {
    let directory = try Directory("\(home.path)/vault", create: true)
    var first: FileLock? = try FileLock("vault.lock", in: directory, timeout: .zero)
    #expect(
      code { _ = try FileLock("vault.lock", in: directory, timeout: .milliseconds(30)) } == .busy)
    withExtendedLifetime(first) {}
    first = nil
    // A program that another test starts has the descriptor, too, until it runs: fork(2).
    _ = try FileLock("vault.lock", in: directory, timeout: .seconds(60))
    #expect(home.names(in: "vault") == ["vault.lock"])
  }
}
