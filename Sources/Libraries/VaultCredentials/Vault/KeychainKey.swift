import VaultStorage

/// The attributes by which a program written for the Keychain finds a secret.
///
/// Two conform: ``GenericPassword`` and ``InternetPassword``. Documentation/keychain.md has the
/// table of the Keychain's attributes and ours.
public protocol KeychainKey: Sendable {
  /// The purpose of the item.
  var kind: Item.Kind { get }
  /// The attributes that the item must have.
  var attributes: [String: String] { get }
  /// The name of a new item.
  var name: String { get }
}

/// A password for a service and an account, as the Keychain's `kSecClassGenericPassword`.
///
/// ```swift
/// let key = GenericPassword(service: "com.example.tool", account: "me")
/// try await vault.save(Secret("s3cr3t"), for: key)
/// let token = try await vault.load(key)
/// ```
public struct GenericPassword: KeychainKey, Hashable {
  /// `kSecAttrService`.
  public let service: String
  /// `kSecAttrAccount`.
  public let account: String

  /// The password of `account` for `service`.
  ///
  /// - Parameters:
  ///   - service: `kSecAttrService`.
  ///   - account: `kSecAttrAccount`.
  public init(service: String, account: String) {
    self.service = service
    self.account = account
  }

  /// A generic password.
  public var kind: Item.Kind { .genericPassword }
  /// `service` and `account`.
  public var attributes: [String: String] { ["service": service, "account": account] }
  /// `service/account`.
  public var name: String { account.isEmpty ? service : "\(service)/\(account)" }
}

/// A password for a server, as the Keychain's `kSecClassInternetPassword`.
public struct InternetPassword: KeychainKey, Hashable {
  /// `kSecAttrServer`.
  public let server: String
  /// `kSecAttrProtocol`, as the scheme of a URL writes it: `https`.
  public let `protocol`: String?
  /// `kSecAttrPort`.
  public let port: Int?
  /// `kSecAttrPath`.
  public let path: String?
  /// `kSecAttrAccount`.
  public let account: String

  /// The password of `account` at `server`.
  ///
  /// - Parameters:
  ///   - server: `kSecAttrServer`.
  ///   - protocol: `kSecAttrProtocol`, as the scheme of a URL writes it.
  ///   - port: `kSecAttrPort`.
  ///   - path: `kSecAttrPath`.
  ///   - account: `kSecAttrAccount`.
  public init(
    server: String, protocol: String? = nil, port: Int? = nil, path: String? = nil, account: String
  ) {
    self.server = server
    self.protocol = `protocol`
    self.port = port
    self.path = path
    self.account = account
  }

  /// An internet password.
  public var kind: Item.Kind { .internetPassword }

  /// `server`, `account`, and what else was said.
  public var attributes: [String: String] {
    var attributes = ["server": server, "account": account]
    attributes["protocol"] = `protocol`
    attributes["port"] = port.map { String($0) }
    attributes["path"] = path
    return attributes
  }

  /// `server:port/path/account`, as far as it was said.
  public var name: String {
    let port = port.map { ":\($0)" } ?? ""
    let path = path.map { $0.hasPrefix("/") ? $0 : "/\($0)" } ?? ""
    let place = "\(server)\(port)\(path)"
    return account.isEmpty ? place : "\(place)/\(account)"
  }
}
