import FoundationEssentials
import VaultCredentials
import VaultSealing
import VaultStorage
import VaultTerminal

/// AWS's `credential_process`: the keys of a profile as the SDKs take them.
///
/// docs.aws.amazon.com/sdkref/latest/guide/feature-process-credentials.html. The item is `aws/PROFILE`: its
/// main secret is the secret access key.
struct AWSHelper {
  let settings: VaultSettings

  static let client = "aws"
  static let keyAttribute = "access-key-id"
  private static let accountAttribute = "account-id"
  private static let tokenField = "session-token"
  private static let inputLimit = 1 << 20

  private struct Credentials: Codable {
    var version: Int
    var accessKeyId: String
    var secretAccessKey: String
    var sessionToken: String?
    var expiration: String?
    var accountId: String?

    enum CodingKeys: String, CodingKey {
      case version = "Version"
      case accessKeyId = "AccessKeyId"
      case secretAccessKey = "SecretAccessKey"
      case sessionToken = "SessionToken"
      case expiration = "Expiration"
      case accountId = "AccountId"
    }
  }

  /// The item of a profile.
  static func itemName(_ profile: String) throws -> ItemName {
    try ItemName(ServiceCredential.name([client, profile]))
  }

  func run(_ words: [String]) throws {
    guard let profile = words.first, !profile.isEmpty, !profile.begins(with: "-"), words.count <= 2
    else {
      throw CommandError.usage(
        "no profile is named", hint: "vault credential aws PROFILE [get|store|erase]")
    }
    let name = try Self.itemName(profile)
    switch words.dropFirst().first ?? "get" {
    case "get": try get(name)
    case "store": try store(name)
    case "erase": try settings.withVault { try $0.remove(name) }
    default:
      throw CommandError.usage(
        "there is no such action", hint: "vault credential aws PROFILE [get|store|erase]")
    }
  }

  private func get(_ name: ItemName) throws {
    let credentials = try settings.withVault { vault in
      let item = try item(name, in: vault)
      guard let key = item.attributes[Self.keyAttribute], !key.isEmpty else {
        throw CommandError(
          .noAccessKey, "the item of the profile does not say its access key id",
          hint: "vault set ITEM --attribute \(Self.keyAttribute)=AKIA…")
      }
      // Without a time of expiry the SDKs never ask again: an ended key is no answer.
      if let expires = item.expires, expires <= Date() {
        throw CommandError(
          .expired, "the credentials of the profile have expired",
          hint: "store new ones: vault credential aws PROFILE store")
      }
      guard let secret = try vault.get(name).text else { throw Self.notText() }
      return Credentials(
        version: 1, accessKeyId: key, secretAccessKey: secret,
        sessionToken: try token(name, in: vault),
        expiration: item.expires.map(Timestamp.text),
        accountId: item.attributes[Self.accountAttribute])
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try StandardOutput.write(Array(try encoder.encode(credentials)) + [0x0A])
  }

  private func item(_ name: ItemName, in vault: UnlockedVault.Blocking) throws -> Item {
    do {
      return try vault.item(name)
    } catch let error as CredentialError where error.code == .itemNotFound {
      throw CommandError(
        .itemNotFound, "there is no item for this profile",
        hint: "vault set aws/PROFILE --attribute \(Self.keyAttribute)=AKIA…, or feed the output of "
          + "'aws configure export-credentials' to: vault credential aws PROFILE store")
    }
  }

  private func token(_ name: ItemName, in vault: UnlockedVault.Blocking) throws -> String? {
    do {
      guard let text = try vault.get(name, field: Self.tokenField).text else {
        throw Self.notText()
      }
      return text
    } catch let error as CredentialError where error.code == .fieldNotFound {
      return nil
    }
  }

  private static func notText() -> CommandError {
    CommandError(.accessKeyNotText, "the keys of the profile are no text")
  }

  /// Takes the same form on stdin, as `aws configure export-credentials` prints it.
  private func store(_ name: ItemName) throws {
    let bytes = try SecretInput.read(0, limit: Self.inputLimit)
    let given: Credentials
    do {
      given = try JSONDecoder().decode(
        Credentials.self, from: Data(bytes.withBytes { $0.array(0..<$0.byteCount) }))
    } catch {
      throw CommandError.usage(
        "stdin holds no credentials in the form of credential_process",
        hint: "such as: aws configure export-credentials --profile P | vault credential aws P store"
      )
    }
    guard given.version == 1, !given.accessKeyId.isEmpty,
      ServiceCredential.isPlain(given.accessKeyId)
    else {
      throw CommandError.usage("the credentials are of another version, or have no access key id")
    }
    var changes = ItemChanges()
    changes.kind = .token
    if let text = given.expiration {
      // `+00:00` is what AWS's command writes for UTC.
      let utc = text.ends(with: "+00:00") ? "\(text.dropLast(6))Z" : text
      guard let date = Timestamp.date(utc) else {
        throw CommandError.usage("the time of expiry is not in UTC, as 2026-11-21T12:00:00Z")
      }
      changes.expires = .some(date)
    } else {
      changes.expires = .some(nil)
    }
    var attributes = [ServiceCredential.client: Self.client, Self.keyAttribute: given.accessKeyId]
    attributes[Self.accountAttribute] = given.accountId
    changes.attributes = attributes
    var fields: [String: SecretBytes] = [:]
    fields[Self.tokenField] = try given.sessionToken.map { try ServiceCredential.bytes($0) }
    try settings.withVaultMade { vault in
      _ = try vault.store([
        ItemDraft(
          name, main: try ServiceCredential.bytes(given.secretAccessKey), fields: fields,
          changes: changes)
      ])
    }
  }
}
