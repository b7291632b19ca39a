import Foundation
import Security
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultStorage

/// What the calls answer where they do nothing.
struct StatusTests {
  @Test func whatIsNotThereIsNotFound() throws {
    let keychain = try TestKeychain()
    let item = CFDictionary.generic("s", "a")
    #expect(keychain.find(item).status == errSecItemNotFound)
    #expect(keychain.update(item, [kSecAttrLabel: "l"]) == errSecItemNotFound)
    #expect(keychain.delete(item) == errSecItemNotFound)
  }

  @Test func whatMakesNoSenseIsABadQuery() throws {
    let keychain = try TestKeychain()
    #expect(keychain.add(.generic("s", "a").storing("1")) == errSecSuccess)
    let bad: [CFDictionary] = [
      [:], [kSecAttrService: "s"], [kSecClass: "none"], [kSecClass: 7],
      .generic("s", "a", ["unheard": 1]), .generic("s", "a", [kSecValueData: "text"]),
      .generic("s", "a", [kSecMatchLimit: 0]), .generic("s", "a", [kSecMatchLimit: -1]),
      .generic("s", "a", [kSecMatchLimit: "some"]), .generic("s", "a", [kSecReturnData: "yes"]),
      .generic("s", "a", [kSecAttrAccessible: "whenever"]),
      .generic("s", nil, [kSecAttrAccount: ["a"]]), .internet("s", "a", [kSecAttrPort: "web"]),
    ]
    for query in bad {
      #expect(keychain.find(query).status == errSecParam, "\(query)")
      #expect(keychain.delete(query) == errSecParam, "\(query)")
      #expect(keychain.update(query, [kSecAttrLabel: "l"]) == errSecParam, "\(query)")
      #expect(keychain.add(query) == errSecParam, "\(query)")
    }
    for update in [[:], [kSecClass: kSecClassGenericPassword], [kSecValueData: "x"]]
      as [CFDictionary]
    {
      #expect(keychain.update(.generic("s", "a"), update) == errSecParam, "\(update)")
    }
    #expect(keychain.text(.generic("s", "a")) == "1")
  }

  /// Whatever a dictionary holds, there is an answer, and other items stay as they are.
  @Test func oddValuesUnderAnyKeyDoNoHarm() throws {
    let keychain = try TestKeychain()
    #expect(keychain.add(.generic("kept", "a").storing("1")) == errSecSuccess)
    let keys = [
      kSecClass, kSecValueData, kSecValueRef, kSecValuePersistentRef, kSecReturnData,
      kSecReturnAttributes, kSecReturnRef, kSecReturnPersistentRef, kSecMatchLimit,
      kSecMatchItemList, kSecMatchCaseInsensitive, kSecMatchPolicy, kSecUseAuthenticationUI,
      kSecUseItemList, kSecAttrAccount, kSecAttrServer, kSecAttrPort, kSecAttrProtocol,
      kSecAttrGeneric, kSecAttrCreator, kSecAttrIsInvisible, kSecAttrSynchronizable,
      kSecAttrAccessible, kSecAttrAccessControl, kSecAttrComment, kSecAttrCreationDate, "", "\0",
    ]
    let values: [Any] = [
      Double.nan, -Double.infinity, UInt64.max, -1, 0, "\0", Data(), Data([0xff]), [Any](),
      [Data(), "x"], [String: Any](), NSNull(), Date.distantPast, String?.none as Any,
      String??.some(.some("x")) as Any, Set([1]), (1, 2), NSObject(),
    ]
    for key in keys {
      for value in values {
        let query = CFDictionary.generic("odd", "b").adding([key: value])
        _ = keychain.find(query)
        let added = keychain.add(query)
        _ = keychain.update(query, [key: value])
        if added == errSecSuccess { _ = keychain.delete(query) }
      }
    }
    #expect(keychain.text(.generic("kept", "a")) == "1")
    #expect(try keychain.names().contains("kept/a"))
  }

  @Test func whatNothingHereDoesIsNotImplemented() throws {
    let keychain = try TestKeychain()
    for other in [kSecClassKey, kSecClassCertificate, kSecClassIdentity] {
      #expect(keychain.find([kSecClass: other]).status == errSecUnimplemented)
      #expect(keychain.add([kSecClass: other]) == errSecUnimplemented)
      #expect(keychain.delete([kSecClass: other]) == errSecUnimplemented)
    }
    let item = CFDictionary.generic("s", "a")
    #expect(keychain.find(item.adding([kSecMatchTrustedOnly: true])).status == errSecUnimplemented)
    func control(_ flags: SecAccessControlCreateFlags) throws -> SecAccessControl {
      let made = SecAccessControlCreateWithFlags(
        kCFAllocatorDefault, kSecAttrAccessibleAlways, flags, nil)
      return try #require(made)
    }
    let guarded = item.adding([kSecAttrAccessControl: try control(.userPresence)])
    #expect(keychain.add(guarded) == errSecUnimplemented)
    // Without flags it says only when the item can be read.
    #expect(keychain.add(item.adding([kSecAttrAccessControl: try control([])])) == errSecSuccess)
    let found = keychain.attributes(item)?[kSecAttrAccessible] as? String
    #expect(found == kSecAttrAccessibleAlways)
    var error: Unmanaged<CFError>?
    let none = unsafe SecAccessControlCreateWithFlags(nil, "whenever", [], &error)
    #expect(none == nil)
    #expect(unsafe error?.takeRetainedValue().code == Int(errSecParam))
  }

  @Test func aVaultThatDoesNotOpenSaysWhy() throws {
    let vault = try ThrowawayVault()
    let item = CFDictionary.generic("s", "a")
    func statuses(_ keychain: TestKeychain) -> Set<OSStatus> {
      [
        keychain.find(item).status, keychain.add(item.storing("1")), keychain.delete(item),
        keychain.update(item, [kSecAttrLabel: "l"]),
      ]
    }
    #expect(try statuses(TestKeychain(vault, sources: [])) == [errSecInteractionNotAllowed])
    let wrong = KeySource.key { try SecretBytes.random(count: 32) }
    #expect(try statuses(TestKeychain(vault, sources: [wrong])) == [errSecAuthFailed])
    let skipped = item.adding([kSecUseAuthenticationUI: kSecUseAuthenticationUISkip])
    #expect(try TestKeychain(vault, sources: []).find(skipped).status == errSecItemNotFound)

    let empty = StoreLocation(home: "\(vault.home.path)/none")
    let without = try TestKeychain(vault, sources: [], location: empty)
    #expect(statuses(without) == [errSecNotAvailable])
    // Where the first item makes the vault, there is just nothing in it yet.
    let key = vault.key
    let first = try TestKeychain(vault, sources: [.key { key }], location: empty)
    #expect(first.find(item).status == errSecItemNotFound)
    #expect(!FileManager.default.fileExists(atPath: "\(vault.home.path)/none/secrets.vault"))
    #expect(first.add(item.storing("1")) == errSecSuccess)
    #expect(first.text(item) == "1")

    try Data("not a vault".utf8).write(to: URL(fileURLWithPath: vault.path))
    #expect(try statuses(TestKeychain(vault)) == [errSecDecode])
  }

  @Test func codesHaveApplesNumbersAndTexts() {
    let numbers: [(OSStatus, OSStatus, String?)] = [
      (errSecSuccess, 0, "No error."),
      (errSecUnimplemented, -4, "Function or operation not implemented."),
      (errSecParam, -50, "One or more parameters passed to a function were not valid."),
      (errSecUserCanceled, -128, "User canceled the operation."),
      (
        errSecNotAvailable, -25291,
        "No keychain is available. You may need to restart your computer."
      ),
      (errSecAuthFailed, -25293, "The user name or passphrase you entered is not correct."),
      (errSecDuplicateItem, -25299, "The specified item already exists in the keychain."),
      (errSecItemNotFound, -25300, "The specified item could not be found in the keychain."),
      (errSecInteractionNotAllowed, -25308, "User interaction is not allowed."),
      (errSecDecode, -26275, "Unable to decode the provided data."),
      (errSecMissingEntitlement, -34018, nil), (12_345, 12_345, "OSStatus 12345"),
    ]
    for (code, number, text) in numbers {
      #expect(code == number)
      let said = SecCopyErrorMessageString(code, nil)
      #expect(said == text || (text == nil && said?.isEmpty == false))
    }
    let error = NSError(domain: NSOSStatusErrorDomain, code: Int(errSecItemNotFound))
    #expect(error.code == -25300)
  }

  @Test func randomBytesFillTheirPlace() {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    #expect(unsafe SecRandomCopyBytes(kSecRandomDefault, bytes.count, &bytes) == errSecSuccess)
    #expect(Set(bytes).count > 200)
    var data = Data(count: 32)
    let status = unsafe data.withUnsafeMutableBytes { buffer in
      unsafe buffer.baseAddress.map { unsafe SecRandomCopyBytes(nil, 32, $0) }
    }
    #expect(status == errSecSuccess && data != Data(count: 32))
    #expect(unsafe SecRandomCopyBytes(nil, -1, &bytes) == errSecParam)
    #expect(unsafe SecRandomCopyBytes(nil, 0, &bytes) == errSecSuccess)
  }
}
