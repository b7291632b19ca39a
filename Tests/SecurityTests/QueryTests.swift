import Foundation
import Security
import TestSupport
import Testing
import VaultCredentials

/// What a query finds, and what it returns.
struct QueryTests {
  @Test func eachReturnTypeComesAsApplesDo() throws {
    let keychain = try TestKeychain()
    let item = CFDictionary.generic("s", "a")
    #expect(keychain.add(item.storing("secret")) == errSecSuccess)
    func found(_ returned: CFDictionary) -> AnyObject? {
      keychain.find(item.adding(returned)).value
    }
    #expect(found([:]) == nil)
    #expect(found([kSecReturnData: true]) as? Data == Data("secret".utf8))
    #expect(found([kSecReturnData: kCFBooleanTrue as Any]) as? NSData != nil)
    #expect(found([kSecReturnData: NSNumber(value: 1)]) as? Data != nil)
    #expect(found([kSecReturnData: false]) == nil)
    let attributes = found([kSecReturnAttributes: true])
    #expect((attributes as? [String: Any])?[kSecAttrService] as? String == "s")
    #expect((attributes as? [String: AnyObject])?[kSecAttrAccount] as? String == "a")
    #expect((attributes as? NSDictionary)?[kSecClass] as? String == kSecClassGenericPassword)
    #expect((attributes as? [String: Any])?[kSecAttrCreationDate] is Date)
    #expect((attributes as? [String: Any])?[kSecValueData] == nil)
    let reference = found([kSecReturnPersistentRef: true]) as? Data
    #expect(reference != nil)
    let all =
      found([kSecReturnData: true, kSecReturnAttributes: true, kSecReturnPersistentRef: true])
      as? [String: Any]
    #expect(all?[kSecValueData] as? Data == Data("secret".utf8))
    #expect(all?[kSecValuePersistentRef] as? Data == reference)
    #expect(all?[kSecAttrAccount] as? String == "a")
    #expect(found([kSecReturnRef: true]) is SecKeychainItem)
    for limit in [kSecMatchLimitAll, 2, 7] as [Any] {
      let list = found([kSecReturnData: true, kSecMatchLimit: limit]) as? [Data]
      #expect(list == [Data("secret".utf8)], "\(limit)")
      let several = found([kSecReturnAttributes: true, kSecMatchLimit: limit])
      #expect((several as? [[String: Any]])?.count == 1)
      #expect((several as? NSArray)?.count == 1)
    }
    for limit in [kSecMatchLimitOne, 1, NSNumber(value: 1)] as [Any] {
      #expect(found([kSecReturnData: true, kSecMatchLimit: limit]) is Data)
    }
  }

  @Test func anItemIsFoundByItsReferenceUnderAnyName() throws {
    let keychain = try TestKeychain()
    let one = CFDictionary.generic("s", "a").storing("1")
    let reference: Data? = keychain {
      var value: CFTypeRef?
      let status = unsafe SecItemAdd(one.adding([kSecReturnPersistentRef: true]), &value)
      return status == errSecSuccess ? value as? Data : nil
    }
    #expect(keychain.add(.generic("s", "b").storing("2")) == errSecSuccess)
    let query: CFDictionary = [kSecValuePersistentRef: try #require(reference)]
    try keychain.vault.open.blocking.rename(ItemName("s/a"), to: ItemName("mine"))
    #expect(keychain.text(query) == "1")
    #expect(keychain.text(query.adding([kSecClass: kSecClassGenericPassword])) == "1")
    #expect(keychain.find(query.adding([kSecClass: kSecClassInternetPassword])).value == nil)
    #expect(keychain.update(query, [kSecValueData: Data("3".utf8)]) == errSecSuccess)
    #expect(keychain.text(query) == "3")
    #expect(keychain.text(.generic(nil, nil, [kSecMatchItemList: [reference as Any]])) == "3")
    #expect(keychain.find(.generic("s", nil, [kSecMatchItemList: [Any]()])).value == nil)
    let object = keychain.find(.generic("s", "a", [kSecReturnRef: true])).value
    #expect(keychain.text([kSecValueRef: try #require(object)]) == "3")
    #expect(keychain.delete([kSecValuePersistentRef: try #require(reference)]) == errSecSuccess)
    #expect(keychain.find(query).status == errSecItemNotFound)
    #expect(try keychain.names() == ["s/b"])
  }

  @Test func everyAttributeIsKeptAndMatched() throws {
    let keychain = try TestKeychain()
    let attributes: CFDictionary = [
      kSecAttrLabel: "a label", kSecAttrDescription: "a kind", kSecAttrComment: "a comment",
      kSecAttrGeneric: Data([0xff, 0]), kSecAttrCreator: 1_145_392_466, kSecAttrType: 7,
      kSecAttrIsInvisible: true, kSecAttrIsNegative: true, kSecAttrAccessGroup: "group",
      kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
      kSecAttrSynchronizable: true,
    ]
    let place: CFDictionary = [
      kSecAttrProtocol: kSecAttrProtocolHTTPSProxy, kSecAttrPort: 8443, kSecAttrPath: "/p",
      kSecAttrSecurityDomain: "realm",
      kSecAttrAuthenticationType: kSecAttrAuthenticationTypeHTTPDigest,
    ]
    let full: [CFDictionary] = [
      .generic("s", "a").adding(attributes), .internet("h", "a").adding(attributes).adding(place),
    ]
    for item in full {
      #expect(keychain.add(item.storing("1")) == errSecSuccess)
      let found = try #require(keychain.attributes(item))
      for (key, value) in item {
        #expect(found[key] as? NSObject == value as AnyObject as? NSObject, "\(key)")
      }
      // One that is another value is not found; one alone is enough beside the place.
      let base = item.filter { [kSecClass, kSecAttrService, kSecAttrServer].contains($0.key) }
      for (key, value) in item where !base.keys.contains(key) {
        let any: CFDictionary = [kSecAttrSynchronizable: kSecAttrSynchronizableAny]
        #expect(
          keychain.find(base.adding(any).adding([key: value])).status == errSecSuccess, "\(key)")
        let other: Any =
          switch value {
          case is Data: Data([1])
          case let flag as Bool: !flag
          case is Int: 9
          case _ where key == kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked
          default: "other"
          }
        #expect(
          keychain.find(base.adding(any).adding([key: other])).status == errSecItemNotFound,
          "\(key)")
      }
    }
    // The rest of the vault's tools see words.
    let item = try #require(
      try keychain.vault.open.blocking.items().first { $0.kind == .internetPassword })
    #expect(item.attributes["protocol"] == "https-proxy" && item.attributes["port"] == "8443")
    #expect(item.note == "a comment")
  }

  @Test func whatSynchronizesIsFoundOnlyWhereItIsAskedFor() throws {
    let keychain = try TestKeychain()
    let item = CFDictionary.generic("s", "a")
    #expect(keychain.add(item.adding([kSecAttrSynchronizable: true]).storing("1")) == errSecSuccess)
    #expect(keychain.find(item).status == errSecItemNotFound)
    #expect(keychain.delete(item) == errSecItemNotFound)
    for asked in [true, kCFBooleanTrue as Any, kSecAttrSynchronizableAny] as [Any] {
      #expect(keychain.text(item.adding([kSecAttrSynchronizable: asked])) == "1")
    }
    #expect(
      keychain.add(item.adding([kSecAttrSynchronizable: kSecAttrSynchronizableAny])) == errSecParam)
  }

  /// Wrappers store accounts as bytes, and take them from the attributes as bytes.
  @Test func bytesForAnAccountComeBackAsBytes() throws {
    let keychain = try TestKeychain()
    for account in [Data("me".utf8), Data([0xff, 0xfe]), Data()] {
      let item = CFDictionary.generic("s", nil).adding([kSecAttrAccount: account])
      #expect(keychain.add(item.storing("\(account.count)")) == errSecSuccess)
      #expect(keychain.text(item) == "\(account.count)")
      let found = keychain.attributes(item)?[kSecAttrAccount]
      #expect(found as? Data == account || account.isEmpty)
    }
    #expect(keychain.add(.generic("s", "me")) == errSecDuplicateItem)
    #expect(try keychain.names().contains("s/me"))
  }

  @Test func anyBytesAreASecret() throws {
    let keychain = try TestKeychain()
    let secrets = [
      Data(), Data([0]), Data([0xff, 0xfe, 0x00, 0x0a]), Data(repeating: 0x61, count: 1 << 20),
    ]
    for (number, secret) in secrets.enumerated() {
      let item = CFDictionary.generic("s", "\(number)")
      #expect(keychain.add(item.adding([kSecValueData: secret])) == errSecSuccess)
      let found = keychain.find(item.adding([kSecReturnData: true]))
      #expect(found.value as? Data == secret)
    }
    let tooLarge = Data(repeating: 0, count: 1 << 20 + 1)
    #expect(keychain.add(.generic("s", "x", [kSecValueData: tooLarge])) == errSecDataTooLarge)
    #expect(
      keychain.update(.generic("s", "0"), [kSecValueData: tooLarge]) == errSecDataTooLarge)
    #expect(keychain.add(.generic("s", "none")) == errSecSuccess)
  }

  @Test func severalItemsAreChangedAndDeletedAtOnce() throws {
    let keychain = try TestKeychain()
    for account in ["a", "b", "c"] {
      #expect(keychain.add(.generic("s", account).storing(account)) == errSecSuccess)
    }
    let all = CFDictionary.generic("s", nil, [kSecMatchLimit: kSecMatchLimitAll])
    #expect(keychain.update(.generic("s", nil), [kSecAttrLabel: "l"]) == errSecSuccess)
    let found = keychain.find(all.adding([kSecReturnAttributes: true])).value as? [[String: Any]]
    #expect(found?.compactMap { $0[kSecAttrLabel] as? String } == ["l", "l", "l"])
    let two = CFDictionary.generic("s", nil, [kSecMatchLimit: 2, kSecReturnData: true])
    #expect(keychain.find(two).value as? [Data] == [Data("a".utf8), Data("b".utf8)])
    #expect(keychain.delete(.generic("s", nil)) == errSecSuccess)
    #expect(keychain.find(all).status == errSecItemNotFound)
    #expect(try keychain.names().isEmpty)
  }

  @Test func caseMattersUnlessItIsSaid() throws {
    let keychain = try TestKeychain()
    #expect(keychain.add(.generic("S", "A").storing("1")) == errSecSuccess)
    #expect(keychain.find(.generic("s", "a")).status == errSecItemNotFound)
    #expect(keychain.text(.generic("s", "a", [kSecMatchCaseInsensitive: true])) == "1")
  }

  @Test func dictionariesOfFoundationAreTakenToo() throws {
    let keychain = try TestKeychain()
    keychain {
      let item: NSMutableDictionary = [
        kSecClass: kSecClassGenericPassword, kSecAttrService: "s",
        kSecValueData: NSData(data: Data("1".utf8)),
      ]
      #expect(SecItemAdd(item, nil) == errSecSuccess)
      var value: AnyObject?
      let query: NSDictionary = [
        kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecReturnData: true,
      ]
      #expect(unsafe SecItemCopyMatching(query, &value) == errSecSuccess)
      #expect(value as? Data == Data("1".utf8))
      #expect(SecItemUpdate(query, [kSecAttrLabel: "l"] as NSDictionary) == errSecSuccess)
      #expect(SecItemDelete(query) == errSecSuccess)
    }
  }
}
