import VaultCredentials
import VaultSealing
import VaultTerminal

/// The calls of Python's `keyring` as pip, uv and twine make them.
///
/// pip's subprocess provider: pip/_internal/network/auth.py; uv: uv-auth/src/keyring.rs; the options:
/// keyring/cli.py.
struct KeyringHelper {
  let settings: VaultSettings

  static let client = "keyring"
  private static let inputLimit = 1 << 20
  /// The service under which published copies are found: an account is then an item's name.
  private static let ownService = "vault"

  func run(_ words: [String]) throws {
    let call = try Call(words)
    switch call.action {
    case "get": try get(call)
    case "set": try set(call)
    default: try delete(call)
    }
  }

  /// A line of `keyring`.
  ///
  /// The options stand before or behind; a service and a user may begin with a `-`, so only words that are
  /// options to the letter are taken for such, and never one of the two.
  struct Call: Equatable {
    let action: String
    let service: String
    let username: String?
    /// Whether the user's name is wanted, too.
    let wantsBoth: Bool

    init(_ words: [String]) throws {
      var mode = "password"
      var rest = words[...]
      Self.dropOptions(&rest, &mode)
      guard let action = rest.popFirst(), ["get", "set", "del"].contains(action) else {
        throw Self.usage()
      }
      // keyring's own parser takes options here, too; two words are a service and a user.
      if rest.count > 2 { Self.dropOptions(&rest, &mode) }
      guard let service = rest.popFirst() else { throw Self.usage() }
      if rest.first == "--mode", action == "get" { Self.dropOptions(&rest, &mode) }
      let username = rest.popFirst()
      Self.dropOptions(&rest, &mode)
      guard rest.isEmpty, username != nil || (action == "get" && mode == "creds") else {
        throw Self.usage()
      }
      (self.action, self.service, self.username) = (action, service, username)
      wantsBoth = mode == "creds"
    }

    private static func dropOptions(_ words: inout ArraySlice<String>, _ mode: inout String) {
      while let word = words.first, words.count > 1 {
        let value = words[words.startIndex + 1]
        if word == "--mode", ["password", "creds"].contains(value) {
          mode = value
        } else if word != "--output" || value != "plain" {
          return
        }
        words = words.dropFirst(2)
      }
    }

    private static func usage() -> CommandError {
      .usage(
        "the line is none that keyring takes",
        hint:
          "keyring get SERVICE USER, get SERVICE --mode creds, set SERVICE USER, del SERVICE USER")
    }
  }

  private func get(_ call: Call) throws {
    let answer = try settings.withVaultIfAny { vault -> SecretBytes? in
      guard let item = try find(call, in: vault) else { return nil }
      let secret = try vault.get(item.name).bytes
      let newline = try ServiceCredential.bytes("\n")
      guard call.wantsBoth else { return try SecretInput.joined([secret, newline]) }
      let username =
        call.service == Self.ownService
        ? item.name.text : item.attributes[ServiceCredential.account] ?? ""
      guard ServiceCredential.isPlain(username), ServiceCredential.isLine(secret) else {
        throw CommandError(
          .notALine, "the user or the password holds a line break")
      }
      return try SecretInput.joined([ServiceCredential.bytes(username + "\n"), secret, newline])
    }
    // keyring(1) says nothing where there is nothing.
    guard let answer = answer ?? nil else { throw ExitStatusOnly(status: .no) }
    try StandardOutput.write(answer)
  }

  private func set(_ call: Call) throws {
    guard let username = call.username else { return }
    let secret =
      ProcessState.isTerminal(0)
      ? try Prompt.newSecret("Password for \(Sanitizer.visible(username))")
      : try SecretInput.droppingNewline(SecretInput.read(0, limit: Self.inputLimit))
    guard let secret else {
      throw CommandError.usage("there is no terminal to ask for the password")
    }
    try settings.withVaultMade { vault in
      if call.service == Self.ownService {
        try vault.set(ItemName(username), to: Secret(secret))
        return
      }
      let items = try vault.items()
      var changes = ItemChanges()
      changes.kind = .genericPassword
      changes.attributes = [
        ServiceCredential.client: Self.client, ServiceCredential.service: call.service,
        ServiceCredential.account: username,
      ]
      let name =
        try find(call, in: vault)?.name
        ?? ServiceCredential.freeName(
          ServiceCredential.name([Self.client, call.service, username]), among: items)
      try vault.store([ItemDraft(name, main: secret, changes: changes)])
    }
  }

  private func delete(_ call: Call) throws {
    let isDeleted = try settings.withVaultIfAny { vault -> Bool in
      guard let item = try find(call, in: vault) else { return false }
      try vault.remove(item.name)
      return true
    }
    guard isDeleted == true else {
      throw CommandError(.itemNotFound, "there is no such password")
    }
  }

  /// The item of a service and a user; without a user the only one of the service.
  private func find(_ call: Call, in vault: UnlockedVault.Blocking) throws -> Item? {
    let items = try vault.items()
    if call.service == Self.ownService, let username = call.username {
      guard let name = try? ItemName(username) else { return nil }
      return items.first { $0.name == name }
    }
    let found = items.filter { item in
      ServiceCredential.has(
        item, [(ServiceCredential.client, Self.client), (ServiceCredential.service, call.service)])
        && (call.username.map {
          ServiceCredential.isSame(item.attributes[ServiceCredential.account], $0)
        }
          ?? true)
    }
    guard call.username != nil || found.count <= 1 else {
      throw CommandError(
        .severalUsers, "there are several users of this service",
        hint: "name the user in the address")
    }
    return ServiceCredential.newest(found)
  }
}
