import VaultCredentials
import VaultStorage

/// A class of the Keychain that a vault has items of.
enum ItemClass: Sendable {
  case genericPassword
  case internetPassword

  /// - Throws: ``Refusal`` of ``errSecUnimplemented`` for Apple's other classes, of
  ///   ``errSecParam`` for what is none.
  init(_ given: Any) throws {
    guard case .text(let text) = try Given(given) else { throw Refusal(errSecParam) }
    switch text {
    case kSecClassGenericPassword: self = .genericPassword
    case kSecClassInternetPassword: self = .internetPassword
    case kSecClassCertificate, kSecClassKey, kSecClassIdentity: throw Refusal(errSecUnimplemented)
    default: throw Refusal(errSecParam)
    }
  }

  /// The class that an item belongs to; `nil` for one that has none.
  ///
  /// A person's items and those of other programs belong to one by what they are looked up by:
  /// `vault set --attribute service=…` is enough.
  init?(of item: Item) {
    switch item.kind {
    case .genericPassword: self = .genericPassword
    case .internetPassword: self = .internetPassword
    case .certificate, .sshKey: return nil
    case .secret, .login, .token, .note, .otp:
      let attributes = item.attributes
      if attributes["service"] != nil {
        self = .genericPassword
      } else if attributes["server"] != nil {
        self = .internetPassword
      } else {
        return nil
      }
    }
  }

  /// Apple's code of it.
  var code: String {
    self == .genericPassword ? kSecClassGenericPassword : kSecClassInternetPassword
  }

  var kind: Item.Kind { self == .genericPassword ? .genericPassword : .internetPassword }

  /// The attribute by which items of all programs are found.
  var place: String { self == .genericPassword ? kSecAttrService : kSecAttrServer }

  /// The attributes of which two items of a program may not have all in common.
  var primaryKeys: [String] {
    switch self {
    case .genericPassword:
      [kSecAttrAccount, kSecAttrService, kSecAttrAccessGroup, kSecAttrSynchronizable]
    case .internetPassword:
      [
        kSecAttrAccount, kSecAttrServer, kSecAttrProtocol, kSecAttrPort, kSecAttrPath,
        kSecAttrSecurityDomain, kSecAttrAuthenticationType, kSecAttrAccessGroup,
        kSecAttrSynchronizable,
      ]
    }
  }

  /// The attributes that Apple returns as empty text where an item has none.
  var namedAnyway: [String] { [kSecAttrAccount, place] }

  /// The name of a new item: `service/account`, or `server:port/path/account`.
  ///
  /// - Parameter attributes: The attributes of the item.
  /// - Returns: A text that a name can be made of.
  func name(for attributes: [String: String]) -> String {
    func part(_ name: String) -> String { attributes[name] ?? "" }
    var place = part("service")
    if self == .internetPassword {
      let port = part("port")
      place = part("server") + (port.isEmpty ? "" : ":\(port)") + "/" + part("path")
    }
    let isAnyone = place.isEmpty || place == "/"
    let start = isAnyone ? part(ItemAttribute.application) : place
    let name = "\(start)/\(part("account"))".parts(at: "/").joined(separator: "/")
    return ItemRules.mended(name.isEmpty ? kind.name : name)
  }
}
