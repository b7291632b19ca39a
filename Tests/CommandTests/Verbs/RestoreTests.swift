import Foundation
import TestSupport
import Testing

struct RestoreTests {
  @Test func anItemInTheWayOfOneInTheTrashIsTold() throws {
    let vault = try ThrowawayVault()
    try vault.set("r", "old")
    #expect(try vault("remove", "r").status == 0)
    try vault.set("r", "new")
    let refused = try vault("restore", "r")
    #expect(refused.status == 1)
    #expect(refused.errors.contains("in the way of one of its name in the trash"))
    #expect(refused.errors.contains("vault restore NAME --trash 1"))
    let beside = try vault("restore", "r", "--trash", "1")
    #expect(beside.status == 0, "\(beside.errors)")
    #expect(try vault("get", "r").text == "new")
    #expect(try vault("get", "r~2").text == "old")
    // Also to a script: it has to know the name that nobody typed.
    #expect(beside.errors.contains("r~2 is back"), "\(beside.errors)")
    #expect(try vault("undo").status == 0)
    #expect(try vault("list").text == "r\n")
    #expect(try vault("list", "--trash").text == "r\n")
  }

  @Test func aFolderThatWasRemovedComesBack() throws {
    let vault = try ThrowawayVault()
    for name in ["f/a", "f/b", "f/sub/c", "other"] { try vault.set(name, "of \(name)") }
    #expect(try vault("remove", "f/", "other", "--yes").status == 0)
    try vault.set("f/b", "new")
    let restored = try vault("restore", "f/")
    #expect(restored.status == 0, "\(restored.errors)")
    #expect(restored.errors.contains("restore f/b --trash 1"), "\(restored.errors)")
    #expect(try vault("list").text == "f/a\nf/b\nf/sub/c\n")
    #expect(try vault("get", "f/a").text == "of f/a")
    #expect(try vault("get", "f/b").text == "new")
    #expect(try vault("restore", "oth*").status == 0)
    #expect(try vault("get", "other").text == "of other")
    #expect(try vault("restore", "g/").status == 1)
    #expect(try vault("undo").status == 0)
    #expect(try vault("list").text == "f/a\nf/b\nf/sub/c\n")
  }

  @Test func eachOfSeveralOfANameCanBeRestored() throws {
    let vault = try ThrowawayVault()
    for secret in ["first", "second", "third"] {
      try vault.set("a/r", secret)
      #expect(try vault("remove", "a/r").status == 0)
    }
    #expect(try vault("list", "--trash").text == "a/r\na/r\na/r\n")
    let list = try vault("list", "--trash", "--long").text.split(separator: "\n")
    #expect(list.map { String($0.suffix(7)) } == ["trash 1", "trash 2", "trash 3"])
    let json = try vault("list", "--trash", "--json").text
    #expect(json.contains("\"trashNumber\": 3"))
    #expect(try vault("restore", "a/r", "--trash", "4").status == 1)
    #expect(try vault("restore", "a/r", "--trash", "0").status == 64)
    #expect(try vault("restore", "a/r", "--trash", "1", "--revision", "1").status == 64)
    #expect(try vault("restore", "b", "--trash", "1").status == 1)
    #expect(try vault("restore", "a/r", "--trash", "3").status == 0)
    #expect(try vault("get", "a/r").text == "first")
    #expect(try vault("restore", "a/r", "--trash", "2").status == 0)
    #expect(try vault("get", "a/r~2").text == "second")
    #expect(try vault("restore", "a/r", "--trash", "1").status == 0)
    #expect(try vault("get", "a/r~3").text == "third")
    #expect(try vault("list", "--trash").text.isEmpty)
  }

  @Test func anEarlierVersionIsRestoredAndTheOneInTheTrashIsTold() throws {
    let vault = try ThrowawayVault()
    try vault.set("r", "removed")
    #expect(try vault("remove", "r").status == 0)
    try vault.set("r", "1")
    try vault.set("r", "2")
    let restored = try vault("restore", "r")
    #expect(restored.status == 0)
    #expect(try vault("get", "r").text == "1")
    #expect(restored.errors.contains("an item of that name is in the trash, too"))
    #expect(restored.errors.contains("vault restore r --trash 1"))
  }
}
