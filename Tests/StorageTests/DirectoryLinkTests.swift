import Glibc
import TestSupport
import Testing
import VaultStorage

/// Links at the end of the path of a folder that the vault keeps.
struct DirectoryLinkTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func refusal(_ path: String, create: Bool = false) -> StorageError? {
    do throws(StorageError) {
      _ = try Directory("\(home.path)/\(path)", create: create)
      return nil
    } catch {
      return error
    }
  }

  @Test func linksOfTheUserAreFollowedHopByHop() throws {
    _ = try Directory("\(home.path)/disk/vault", create: true)
    unsafe mkdir("\(home.path)/links", 0o700)
    unsafe symlink("\(home.path)/disk/vault", "\(home.path)/links/second")
    unsafe symlink("links/second", "\(home.path)/first")
    unsafe symlink("first/", "\(home.path)/slash")
    for path in ["first", "links/second", "slash"] {
      #expect(refusal(path) == nil, "\(path)")
      #expect(refusal(path, create: true) == nil, "\(path)")
    }
  }

  @Test func nothingIsMadeWhereALinkLeadsToNothing() throws {
    unsafe symlink("\(home.path)/not-mounted/vault", "\(home.path)/link")
    for create in [false, true] {
      let error = refusal("link", create: create)
      #expect(error?.code == .refused)
      #expect(error?.message.contains("a symbolic link to a folder that is not there") == true)
      #expect(error?.recovery?.contains("chmod") == false)
    }
    #expect(home.names() == ["link"])
  }

  @Test func linksThatLeadBackToThemselvesAreSaidTo() throws {
    unsafe symlink("second", "\(home.path)/first")
    unsafe symlink("first", "\(home.path)/second")
    for create in [false, true] {
      let error = refusal("first", create: create)
      #expect(error?.code == .refused)
      #expect(error?.message.contains("more symbolic links than can be followed") == true)
      #expect(error?.recovery?.contains("lead back to themselves") == true)
    }
  }

  @Test func aLinkWhereOthersMayWriteIsRefused() throws {
    _ = try Directory("\(home.path)/real", create: true)
    unsafe mkdir("\(home.path)/open", 0o700)
    unsafe symlink("../real", "\(home.path)/open/link")
    unsafe symlink("open/link", "\(home.path)/first")
    #expect(refusal("first") == nil)
    unsafe chmod("\(home.path)/open", 0o777)
    for path in ["first", "open/link"] {
      #expect(refusal(path)?.message.contains("others may write in") == true, "\(path)")
    }
    // Above the link, too.
    unsafe chmod("\(home.path)/open", 0o700)
    unsafe mkdir("\(home.path)/above", 0o777)
    unsafe chmod("\(home.path)/above", 0o777)
    unsafe mkdir("\(home.path)/above/below", 0o700)
    unsafe symlink("../../real", "\(home.path)/above/below/link")
    #expect(refusal("above/below/link")?.code == .refused)
    // And what it leads to.
    unsafe chmod("\(home.path)/real", 0o777)
    #expect(refusal("first")?.code == .refused)
  }

  @Test(.enabled(if: geteuid() == 0, "only root makes links of other users"))
  func aLinkOfSomebodyElseIsRefused() throws {
    _ = try Directory("\(home.path)/real", create: true)
    unsafe symlink("real", "\(home.path)/theirs")
    unsafe lchown("\(home.path)/theirs", 4711, 4711)
    unsafe symlink("theirs", "\(home.path)/mine")
    for path in ["theirs", "mine"] {
      let error = refusal(path)
      #expect(error?.message.hasSuffix("belongs to another user") == true, "\(path)")
    }
  }

  @Test func linksInACircleEnd() throws {
    unsafe symlink("b", "\(home.path)/a")
    unsafe symlink("a", "\(home.path)/b")
    #expect(refusal("a")?.code == .refused)
    #expect(throws: StorageError.self) { try Directory.end(ofOwnLinks: "\(home.path)/a") }
  }
}
