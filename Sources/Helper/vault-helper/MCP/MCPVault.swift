import VaultCredentials
import VaultKeyringService
import VaultProtocols
import VaultRedaction
import VaultSealing
import VaultStorage
import VaultTerminal

/// The vault as a coding agent has it: names of the items that the line lets out, and secrets for
/// commands, which it does not see.
///
/// It belongs to one thread. What it answers from is a snapshot in which no other item is
/// (``VaultSnapshot/narrowed(to:)``); what is masked is all that the vault has.
final class MCPVault {
  /// The longest name that is shown and taken, in scalars.
  private static let maximumName = 128
  /// The longest variable that an item chooses: others wrote it, too, and a model reads it.
  private static let maximumVariable = 64

  /// `nil` while the vault is locked.
  private var vault: UnlockedVault.Blocking?
  private var whole: VaultSnapshot?
  private var part: VaultSnapshot?
  private let door: VaultDoor
  private let patterns: [NamePattern]
  private let unconfirmed: [NamePattern]
  /// What a person types to open it.
  let unlockLine: String

  init(_ opened: UnlockedVault?, door: VaultDoor, _ order: ServingOrder) {
    (vault, self.door) = (opened?.blocking, door)
    patterns = order.patterns.map { NamePattern($0) }
    unconfirmed = order.unconfirmed.map { NamePattern($0) }
    let home = order.home.map { "--home \(Quoting.typed($0)) " } ?? ""
    let name = order.vaults.first?.name.map { "--vault \(Quoting.typed($0)) " } ?? ""
    unlockLine = "vault \(home)\(name)unlock"
  }

  /// Forgets the key if the vault was locked.
  func lockIfAsked() {
    guard vault != nil, !door.mayStayOpen() else { return }
    (vault, whole, part) = (nil, nil, nil)
    door.close()
  }

  /// The part of the vault that is let out, as it is now.
  ///
  /// - Throws: ``MCPToolError`` if it is locked or cannot be read: the words have no name.
  private func open() throws -> VaultSnapshot {
    lockIfAsked()
    do {
      let vault = try vault ?? door.reopen().blocking
      self.vault = vault
      if let new = try vault.read(unlessUnchangedSince: whole) {
        whole = new
        part = new.narrowed(to: isWithin)
      }
    } catch let error as CredentialError {
      throw MCPToolError(
        message: "the vault is not open (\(error.code.rawValue)): the person has to type, in a "
          + "terminal of their own: \(unlockLine)")
    }
    guard let part else { throw MCPToolError(message: "the vault cannot be read") }
    return part
  }

  private func isWithin(_ name: String) -> Bool {
    patterns.isEmpty || patterns.contains { $0.matches(name) }
  }

  /// Whether it is open.
  var isOpen: Bool { (try? open()) != nil }

  /// Whether a person is asked about an item.
  func isConfirmed(_ item: Item) -> Bool { !unconfirmed.contains { $0.matches(item.name.text) } }

  // MARK: The list

  /// The names, as a list of at most ``MCPTools/maximumListed``.
  func list(matching pattern: String?, after: String?) throws -> JSONValue {
    let pattern = pattern.map { NamePattern($0) }
    let all = try open().items().filter {
      !$0.isBookkeeping && pattern?.matches($0.name.text) != false
    }
    let shown = all.filter(Self.isShown).sorted { $0.name.text < $1.name.text }
    let rest = after.map { after in shown.filter { $0.name.text > after } } ?? shown
    let items = rest.prefix(MCPTools.maximumListed).map { item -> JSONValue in
      var members: [(String, JSONValue)] = [
        ("name", .string(item.name.text)), ("kind", .string(item.kind.name)),
      ]
      if let expires = item.expires {
        members.append(("expires", .string(Timestamp.text(expires))))
      }
      if let variable = try? Self.variable(of: item) {
        members.append(("variable", .string(variable)))
      }
      return .object(members)
    }
    return .object([
      ("items", .array(items)), ("isComplete", .bool(items.count == rest.count)),
      ("leftOut", .number(Int64(all.count - shown.count))),
    ])
  }

  /// Whether a name is one line of a bounded length, all of which is seen: others wrote it, and a
  /// model and a person read it.
  private static func isShown(_ item: Item) -> Bool {
    let scalars = item.name.text.unicodeScalars
    return Quoting.isVisible(item.name.text) && scalars.count <= maximumName
      && !scalars.contains(where: ApprovalQuestion.isUnseen)
  }

  // MARK: Items

  /// The item of a name that is let out.
  ///
  /// - Throws: ``MCPToolError``; the words are the same whether there is another item of that name.
  func item(_ name: String) throws -> Item {
    let snapshot = try open()
    guard let name = try? ItemName(name), let item = snapshot[name], !item.isBookkeeping,
      Self.isShown(item)
    else {
      throw MCPToolError(
        message: "no item '\(MCPArguments.shown(name))' is let out here; "
          + "\(MCPTools.listItems) has those that are")
    }
    return item
  }

  /// The variable of an item, as `vault run NAME` sets it.
  ///
  /// - Throws: ``MCPToolError`` for one by which programs run other code.
  static func variable(of item: Item) throws -> String {
    if let chosen = item.attributes[EnvironmentVariable.attribute],
      chosen.utf8.count <= maximumVariable, EnvironmentVariable.isValid(chosen),
      !EnvironmentVariable.steersPrograms(chosen)
    {
      return chosen
    }
    let name = EnvironmentVariable.name(for: item.name.text)
    guard EnvironmentVariable.isReadable(name) else {
      throw MCPToolError(
        message: "the name of an item gives no variable: choose one with 'variables'")
    }
    try checkSteering(name)
    return name
  }

  /// - Throws: ``MCPToolError`` for a variable by which programs run other code.
  static func checkSteering(_ variable: String) throws {
    guard EnvironmentVariable.steersPrograms(variable) else { return }
    throw MCPToolError(
      message: "the variable \(MCPArguments.shown(variable)) makes programs run other code or read "
        + "other files: it is not set here")
  }

  // MARK: Secrets

  /// What a command gets, and what its output is searched for.
  struct Given {
    let values: [(variable: String, value: SecretBytes)]
    let redactor: Redactor
  }

  /// The secrets for a command.
  ///
  /// Nothing is given that could not be masked, or that no environment holds.
  func secrets(for variables: [(variable: String, item: Item)]) throws -> Given {
    let snapshot = try open()
    guard let whole else { throw MCPToolError(message: "the vault cannot be read") }
    var values: [(variable: String, value: SecretBytes)] = []
    for (variable, item) in variables {
      let value = try snapshot.secret(of: item).bytes
      let name = MCPArguments.shown(item.name.text)
      guard SecretTable.isFound(value) else {
        throw MCPToolError(
          message: "the secret of '\(name)' is shorter than \(SecretTable.shortestSecret) bytes, "
            + "so that it could not be masked: it is not given")
      }
      let hasNUL = value.withBytes { bytes in
        (0..<bytes.byteCount).contains { bytes.byte(at: $0) == 0 }
      }
      // execve(2), "Limits on size of arguments and environment".
      guard !hasNUL, variable.utf8.count + value.count + 2 <= 32 * 4096 else {
        throw MCPToolError(message: "no environment can hold the secret of '\(name)'")
      }
      values.append((variable, value))
    }
    // All of the vault: a command may come by another secret in another way.
    let all = try whole.items().flatMap { item in
      let contents = try whole.secrets(of: item)
      return [contents.main.bytes]
        + contents.fields.filter { !item.isOpen(field: $0.key) }.map { $0.value.bytes }
    }
    return Given(values: values, redactor: try Redactor(all))
  }

  /// Records uses.
  func record(
    _ items: [Item], by caller: UsageCaller, _ account: UsageAccount, isAllowed: Bool = true
  ) {
    let uses = items.map {
      Usage($0, verb: .init(rawValue: "mcp"), isAllowed: isAllowed, account: account)
    }
    whole?.record(uses, by: caller)
  }
}
