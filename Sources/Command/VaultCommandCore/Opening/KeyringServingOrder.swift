import Glibc
import VaultCredentials
package import VaultSealing
import VaultStorage
import VaultTerminal

/// What `keyring serve` asks of the helper: which vaults, for whom, and how.
package struct KeyringServingOrder {
  /// The path of the first vault's collection ends in this: some clients look there first.
  private static let firstCollection = "login"
  private static let reserved: Set<String> = [firstCollection, "session", "default"]
  /// The helper's order holds so many keys.
  private static let maximumCollections = 64

  /// Patterns of the items that are served; all of them if there is none.
  package var patterns: [String] = []
  /// Whether programs may change nothing.
  package var isReadOnly = false
  /// Whether a person is asked before a program may use an item.
  package var confirms = false
  /// Patterns of the items that a person is asked about behind a wall.
  package var confirmed: [String] = []
  /// Whether keys of ssh sign behind a wall.
  package var servesKeys = false
  /// Patterns of the items that nobody is asked about before a coding agent uses them.
  package var unconfirmed: [String] = []
  /// Variables that no program gets which the helper starts.
  package var hidden: Set<String> = []
  /// The version of this command, which the helper tells its client.
  package var version: String?
  /// Whether it takes the place of another keyring.
  package var replaces = false
  /// The path of the socket that it listens at; `nil` where it is not chosen.
  package var path: String?
  /// Folders in which a hostile program may write: no socket is made there.
  package var writable: [String] = []
  private var patience = 120
  private let settings: VaultSettings
  private var collections: [(name: String, label: String, vault: String?)]

  /// An order for the vault that the settings mean, as the default collection.
  package init(_ settings: VaultSettings) {
    self.settings = settings
    collections = [
      (
        Self.firstCollection, "Login",
        settings.vaultName ?? ProcessState.variable(EnvironmentNames.vaultName)
      )
    ]
  }

  /// Sets how long a person has for an answer.
  ///
  /// - Parameter text: A time, such as `30s`.
  /// - Throws: ``CommandError`` with code `.usage`.
  package mutating func setPatience(_ text: String) throws {
    guard let seconds = TimeSpan.seconds(text), (1...86_400).contains(seconds) else {
      throw CommandError.usage(
        "the time for an answer is between 1s and 24h", hint: "for example: --answer-within 30s")
    }
    patience = seconds
  }

  /// Adds another vault as a further collection.
  ///
  /// - Parameter text: `NAME=VAULT`, the last part of the collection's path and the vault's name.
  /// - Throws: ``CommandError`` with code `.usage`.
  package mutating func addCollection(_ text: String) throws {
    let parts = text.utf8.split(
      separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
    ).map { String(decoding: Array($0), as: UTF8.self) }
    guard parts.count == 2, !parts[1].isEmpty, Self.isPathElement(parts[0]) else {
      throw CommandError.usage(
        "a collection is NAME=VAULT; its name has letters, digits and underscores",
        hint: "for example: --collection work=work")
    }
    let name = parts[0]
    guard !Self.reserved.contains(name), !collections.contains(where: { $0.name == name }) else {
      throw CommandError.usage("there is a collection '\(name)' already", hint: "use another name")
    }
    guard collections.count < Self.maximumCollections else {
      throw CommandError.usage("there are more than \(Self.maximumCollections) collections")
    }
    collections.append((name, name, parts[1]))
  }

  /// An element of an object path: D-Bus specification, "Valid Object Paths".
  private static func isPathElement(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x5F
      }
  }

  /// Unlocks the vaults, and returns their keys in the order of the collections.
  package func open() throws -> [SecretBytes] {
    try collections.map { collection in
      var settings = settings
      settings.vaultName = collection.vault ?? settings.vaultName
      return try settings.withVault { $0.vaultKey }
    }
  }

  /// The order as the helper reads it.
  ///
  /// - Parameter terminal: A descriptor of the terminal that the helper gets.
  /// - Returns: JSON.
  package func encoded(terminal: Int32? = nil) -> [UInt8] {
    let home = settings.home ?? ProcessState.variable(EnvironmentNames.home)
    let vaults = collections.map { collection in
      JSONValue.object([
        ("collection", .string(collection.name)), ("label", .string(collection.label)),
        ("name", .optional(collection.vault)),
      ])
    }
    let order = JSONValue.object([
      ("home", .optional(home.map { StoreLocation(home: $0).data })), ("vaults", .array(vaults)),
      ("acceptsRollback", .bool(settings.acceptsRollback)), ("only", .strings(patterns)),
      ("writable", .strings(writable)), ("isReadOnly", .bool(isReadOnly)),
      ("confirms", .bool(confirms)), ("confirmed", .strings(confirmed)),
      ("servesKeys", .bool(servesKeys)),
      ("unconfirmed", .strings(unconfirmed)), ("hidden", .strings(hidden.sorted())),
      ("version", .optional(version)), ("patience", .string(String(patience))),
      ("replaces", .bool(replaces)), ("program", .string(HelperProgram.ownFile)),
      ("path", .optional(path)), ("process", .string(String(getpid()))),
      ("terminal", .optional(terminal.map { String($0) })),
    ])
    return Array(order.text().utf8)
  }

  // MARK: The helper

  /// A way to serve, by the helper's word for it.
  package enum Way: String {
    case keyringBus = "keyring-bus"
    case keyringSocket = "keyring-socket"
    case keyringCommand = "keyring-serve"
    case agentPath = "ssh-agent-at"
    case agentSocket = "ssh-agent-socket"
    case agentCommand = "ssh-agent"
    case guardCommand = "guard"
    case agentTools = "mcp"
  }

  /// Serves in place of this process.
  ///
  /// - Parameters:
  ///   - way: Where.
  ///   - keys: What ``open()`` has returned.
  /// - Throws: `TerminalError` with code `.programMissing` or `.inputOutput`.
  package func serve(_ way: Way, _ keys: [SecretBytes]) throws -> Never {
    Notices.tell(isAtEnd: true)
    try HelperProgram.replaceProcess(way.rawValue, keys: keys, order: encoded())
  }

  /// Serves the socket that systemd has passed, in place of this process.
  ///
  /// - Parameters:
  ///   - way: What is served.
  ///   - keys: What ``open()`` has returned.
  /// - Throws: ``CommandError`` with code `.usage` without a socket.
  package func serveSocket(_ way: Way, _ keys: [SecretBytes]) throws -> Never {
    guard let socket = ActivatedSocket.passed else {
      throw CommandError.usage(
        "systemd has passed no socket",
        hint: "write its unit: \(ProgramName.current) connect "
          + (way == .agentSocket ? "ssh" : "keyring socket"))
    }
    Notices.tell(isAtEnd: true)
    try HelperProgram.replaceProcess(
      way.rawValue, keys: keys, order: encoded(), keeping: [socket],
      removing: ActivatedSocket.variables)
  }

  /// Starts a helper with a bus or a socket of its own.
  ///
  /// - Parameters:
  ///   - way: What is served.
  ///   - keys: What ``open()`` has returned.
  /// - Returns: The address of the bus, or the path of the socket.
  /// - Throws: `TerminalError` with code `.programMissing` or `.inputOutput`, and ``CommandError``
  ///   with the code that the helper says.
  package func startHelper(_ way: Way, _ keys: [SecretBytes]) throws -> String {
    let terminal = TerminalQuestion.openTerminal()
    defer { if let terminal { close(terminal) } }
    let answer = try HelperProgram.start(
      way.rawValue, keys: keys, order: encoded(terminal: terminal),
      keeping: [terminal].compactMap(\.self))
    // Two lines: what it is, and the address or the message.
    let lines = answer.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
      .map { String(decoding: $0, as: UTF8.self) }
    if lines.count == 2, lines[0] == HelperProgram.readyAnswer { return lines[1] }
    throw CommandError(
      lines.count == 2 ? CommandError.Code(rawValue: lines[0]) ?? .unexpected : .unexpected,
      lines.count == 2 ? lines[1] : "\(HelperProgram.name) ended before it was ready",
      hint: "look at the vault: \(ProgramName.current) check")
  }
}
