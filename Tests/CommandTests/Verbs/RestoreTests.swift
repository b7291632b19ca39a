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
    #expect(refused.errors.contains("hint: give the item that is there another name"))
    #expect(try vault("rename", "r", "r2").status == 0)
    #expect(try vault("restore", "r").status == 0)
    #expect(try vault("get", "r").text == "old")
    #expect(try vault("get", "r2").text == "new")
  }
}
