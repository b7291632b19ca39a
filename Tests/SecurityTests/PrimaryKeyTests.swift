import Foundation
import Security
import TestSupport
import Testing
import VaultCredentials

/// Which items are two, and which are one.
struct PrimaryKeyTests {
  @Test func eachPrimaryKeyOfAGenericPasswordMakesAnotherItem() throws {
    let keychain = try TestKeychain()
    let base = CFDictionary.generic("s", "a")
    #expect(keychain.add(base.storing("1")) == errSecSuccess)
    #expect(keychain.add(base.storing("2")) == errSecDuplicateItem)
    let others: [CFDictionary] = [
      [kSecAttrAccount: "b"], [kSecAttrService: "t"], [kSecAttrAccessGroup: "g"],
      [kSecAttrSynchronizable: true],
    ]
    for other in others {
      #expect(keychain.add(base.adding(other).storing("3")) == errSecSuccess, "\(other)")
      #expect(keychain.add(base.adding(other).storing("3")) == errSecDuplicateItem, "\(other)")
    }
    let same: [CFDictionary] = [
      [kSecAttrLabel: "l"], [kSecAttrComment: "c"], [kSecAttrGeneric: Data([1])],
      [kSecAttrAccessible: kSecAttrAccessibleAlways], [kSecAttrIsInvisible: true],
    ]
    for same in same {
      #expect(keychain.add(base.adding(same).storing("4")) == errSecDuplicateItem, "\(same)")
    }
    #expect(keychain.text(base) == "1")
  }

  @Test func eachPrimaryKeyOfAnInternetPasswordMakesAnotherItem() throws {
    let keychain = try TestKeychain()
    let base = CFDictionary.internet("example.com", "a")
    #expect(keychain.add(base.storing("1")) == errSecSuccess)
    let others: [CFDictionary] = [
      [kSecAttrAccount: "b"], [kSecAttrServer: "example.org"],
      [kSecAttrProtocol: kSecAttrProtocolHTTPS], [kSecAttrProtocol: kSecAttrProtocolHTTP],
      [kSecAttrPort: 443], [kSecAttrPort: 8443], [kSecAttrPath: "/p"],
      [kSecAttrSecurityDomain: "realm"],
      [kSecAttrAuthenticationType: kSecAttrAuthenticationTypeHTTPBasic],
      [kSecAttrAccessGroup: "g"], [kSecAttrSynchronizable: kCFBooleanTrue as Any],
    ]
    for other in others {
      let item = base.adding(other)
      #expect(keychain.add(item.storing("\(other)")) == errSecSuccess, "\(other)")
      #expect(keychain.add(item.storing("x")) == errSecDuplicateItem, "\(other)")
      #expect(keychain.text(item) == "\(other)")
    }
    // A generic password is none of them.
    #expect(keychain.add(.generic("example.com", "a").storing("2")) == errSecSuccess)
    #expect(try keychain.names().contains("example.com:443/a"))
    #expect(try keychain.names().contains("example.com/p/a"))
  }

  /// Bytes decide: what looks alike is not the same account.
  @Test func namesWithSlashesCaseAndAccentsAreKeptApart() throws {
    let keychain = try TestKeychain()
    let accounts = [
      "me", "Me", "a/b", "a//b", "/", "\u{E9}", "e\u{301}", "日本", "🔑", " ", "a\nb", "a\tb", "%",
      String(repeating: "x", count: 3_000),
    ]
    for account in accounts {
      let item = CFDictionary.generic("s/t", account)
      #expect(keychain.add(item.storing(account)) == errSecSuccess, "\(account.prefix(9))")
    }
    for account in accounts {
      #expect(keychain.text(.generic("s/t", account)) == account, "\(account.prefix(9))")
      #expect(
        keychain.attributes(.generic("s/t", account))?[kSecAttrAccount] as? String == account)
    }
    let pairs = [("a/b", "c"), ("a", "b/c"), ("a", "b//c")]
    for (service, account) in pairs {
      #expect(keychain.add(.generic(service, account).storing(service)) == errSecSuccess)
    }
    for (service, account) in pairs {
      #expect(keychain.text(.generic(service, account)) == service)
    }
    #expect(try Set(keychain.names()).count == accounts.count + pairs.count)
    #expect(keychain.add(.generic("s", String(repeating: "x", count: 5_000))) == errSecParam)
  }

  @Test func anUpdateIntoAnotherItemsPlaceChangesNothing() throws {
    let keychain = try TestKeychain()
    #expect(keychain.add(.generic("s", "a").storing("1")) == errSecSuccess)
    #expect(keychain.add(.generic("s", "b").storing("2")) == errSecSuccess)
    let into: CFDictionary = [kSecAttrAccount: "b", kSecValueData: Data("3".utf8)]
    #expect(keychain.update(.generic("s", "a"), into) == errSecDuplicateItem)
    // Two at once cannot become one.
    #expect(keychain.update(.generic("s", nil), [kSecAttrAccount: "c"]) == errSecDuplicateItem)
    #expect(keychain.text(.generic("s", "a")) == "1")
    #expect(keychain.text(.generic("s", "b")) == "2")
    #expect(keychain.update(.generic("s", "a"), [kSecAttrAccount: "d"]) == errSecSuccess)
    #expect(keychain.text(.generic("s", "d")) == "1")
    #expect(try keychain.names() == ["s/b", "s/d"])
  }

  /// Programs that replace a secret by deleting and adding it do not fill the vault.
  @Test func deletingAndAddingAgainKeepsOneItem() throws {
    let keychain = try TestKeychain()
    for number in 1...30 {
      let item = CFDictionary.generic("s", "a")
      _ = keychain.delete(item)
      #expect(
        keychain.add(item.adding([kSecAttrLabel: "\(number)"]).storing("\(number)"))
          == errSecSuccess)
    }
    #expect(keychain.text(.generic("s", "a")) == "30")
    #expect(keychain.attributes(.generic("s", "a"))?[kSecAttrLabel] as? String == "30")
    var trash = ItemQuery.all
    trash.isInTrash = true
    #expect(try keychain.vault.open.blocking.items(matching: trash).isEmpty)
    let item = try keychain.vault.open.blocking.item(ItemName("s/a"))
    #expect(item.earlierVersions > 5)
    // What was deleted stays in the trash, where a person finds it.
    #expect(keychain.delete(.generic("s", "a")) == errSecSuccess)
    #expect(keychain.find(.generic("s", "a")).status == errSecItemNotFound)
    #expect(try keychain.vault.open.blocking.items(matching: trash).map(\.name.text) == ["s/a"])
  }
}
