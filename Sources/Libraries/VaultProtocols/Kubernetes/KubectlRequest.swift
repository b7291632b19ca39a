import FoundationEssentials
public import VaultCredentials
import VaultSealing
import VaultStorage

/// A request of kubectl's `exec` plugin: the credentials of a user of a kubeconfig file.
///
/// kubernetes.io, "Authenticating", client-go credential plugins. The item has the attributes
/// `client=kubectl` and `user=NAME`, or is called `kube/NAME`; its main secret is a token. With a field
/// `client-certificate`, which is a certificate in PEM, the field `client-key` is the key; without such
/// a field the main secret is.
///
/// ```swift
/// let request = try KubectlRequest(user: "prod", information: nil)
/// let response = try request.response(in: try await vault.read())
/// ```
public struct KubectlRequest: CredentialRequest {
  /// The name of the variable in which kubectl says what it wants.
  public static let informationVariable = "KUBERNETES_EXEC_INFO"

  static let certificateField = "client-certificate"
  static let keyField = "client-key"
  private static let client = "kubectl"
  private static let userAttribute = "user"

  private let user: String
  private let version: String

  /// Asks for the credentials of a user.
  ///
  /// - Parameters:
  ///   - user: The user's name in the kubeconfig file.
  ///   - information: What kubectl says, as JSON; `nil` if it says nothing.
  /// - Throws: ``ProtocolError`` with code `.invalidRequest` if it wants an answer in a form that is
  ///   not known.
  public init(user: String, information: String?) throws {
    self.user = user
    let asked = try? information.flatMap { try RequestObject($0).textIfAny("apiVersion") }
    version = asked ?? KubeConfiguration.version
    guard version.begins(with: "client.authentication.k8s.io/v1") else {
      throw ProtocolError(
        .invalidRequest, "kubectl asks for credentials in a form that is not known: \(version)")
    }
  }

  static func parts(of user: String) -> [String] { ["kube", user] }

  static func attributes(of user: String) -> [String: String] {
    [ServiceCredential.client: client, userAttribute: user]
  }

  /// The access to a vault: it must exist.
  public var access: VaultAccess { .required }

  /// Returns the answer.
  ///
  /// - Parameter snapshot: The vault.
  /// - Returns: An `ExecCredential`.
  /// - Throws: ``ProtocolError`` with code `.itemNotFound`, `.expired`, `.notText`; `CredentialError`
  ///   with code `.damaged`, `.invalidName`.
  public func response(in snapshot: VaultSnapshot?) throws -> CredentialResponse {
    let name = try ItemName(ServiceCredential.name(Self.parts(of: user)))
    guard let snapshot, let item = try item(name, in: snapshot) else {
      throw ProtocolError(
        .itemNotFound, "there is no item for this user of the kubeconfig file",
        remedy: .setItem(name.text))
    }
    if let expires = item.expires, expires <= Date() {
      throw ProtocolError(
        .expired, "the credentials of this user have expired", remedy: .setItem(item.name.text))
    }
    func text(_ field: String) throws -> String? {
      try snapshot.secretIfAny(of: item, field: field).map { bytes in
        guard let text = bytes.text else { throw Self.notText }
        return text
      }
    }
    guard let main = try snapshot.secret(of: item).text else { throw Self.notText }
    let certificate = try text(Self.certificateField)
    let separate = try certificate == nil ? nil : text(Self.keyField)
    let key = separate ?? (certificate == nil ? nil : main)
    let status: [(String, JSONValue)] = [
      ("clientCertificateData", .optional(certificate)), ("clientKeyData", .optional(key)),
      ("expirationTimestamp", .optional(item.expires.map { Timestamp.text($0) })),
      ("token", .optional(certificate == nil || separate != nil ? main : nil)),
    ]
    return CredentialResponse(
      output: try RequestObject.text([
        ("apiVersion", .string(version)), ("kind", .string("ExecCredential")),
        ("status", .object(status.filter { $0.1 != .null })),
      ]),
      uses: [.init(item)]
        + (certificate == nil ? [] : [.init(item, field: Self.certificateField)])
        + (separate == nil ? [] : [.init(item, field: Self.keyField)]))
  }

  /// The item of that name first: of two files with a user of one name, kubectl takes the first.
  private func item(_ name: ItemName, in snapshot: VaultSnapshot) throws -> Item? {
    let attributes = Self.attributes(of: user)
    func isIts(_ item: Item) -> Bool { ServiceCredential.has(item, attributes.map { ($0, $1) }) }
    let named = snapshot[name]
    if let named, isIts(named) { return named }
    var query = ItemQuery()
    query.attributes = attributes
    return snapshot.items(matching: query).filter(isIts).newest ?? named
  }

  private static var notText: ProtocolError {
    ProtocolError(.notText, "the credentials of this user are not text")
  }
}
