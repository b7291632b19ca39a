import VaultStorage
import VaultSync

/// `postgresql://[user@]h1[:port][,h2…]/database[?options]`, or `postgresql:///database?host=/folder`.
///
/// A connection that is not verified is not made: `verify-full`, but for a socket of this machine, or
/// loopback with `sslmode=disable`.
package struct PostgresAddress: Sendable, Equatable {
  /// Keywords of libpq and their values, in their order.
  package let parameters: [(name: String, value: String)]
  /// The user, if the address names one.
  package let user: String?

  package static func == (left: PostgresAddress, right: PostgresAddress) -> Bool {
    left.parameters.elementsEqual(right.parameters) { $0.name == $1.name && $0.value == $1.value }
  }

  private static let example = "such as postgresql://laptop@db.example.org/vault"

  private static func wrong(_ message: String, hint: String = example) -> SyncError {
    SyncError(.notAllowed, message, hint: hint)
  }

  private static let schemes = ["postgresql://", "postgres://"]

  /// Whether a text is such an address.
  package static func isAddress(_ text: String) -> Bool { schemes.contains { text.hasPrefix($0) } }

  /// Reads an address.
  ///
  /// - Throws: `SyncError` with code `.notAllowed`.
  package init(_ text: String) throws {
    guard let scheme = Self.schemes.first(where: { text.hasPrefix($0) }), Quoting.isVisible(text),
      !text.utf8.contains(0x20)
    else { throw Self.wrong("this is not the address of a PostgreSQL") }
    let rest = text.dropFirst(scheme.count)
    let question = rest.firstIndex(of: "?") ?? rest.endIndex
    let place = rest[..<question]
    let slash = place.firstIndex(of: "/") ?? place.endIndex
    var hosts = place[..<slash]
    var user: String?
    if let at = hosts.firstIndex(of: "@") {
      let name = hosts[..<at]
      guard !name.contains(":"), !name.isEmpty else {
        throw Self.wrong(
          "a password has no place in an address, which others may read",
          hint: "it is asked for, or comes from a source; or write it into ~/.pgpass")
      }
      user = String(name)
      hosts = hosts[hosts.index(after: at)...]
    }
    let database = place[slash...].dropFirst()
    guard !database.isEmpty, Self.isName(database), user.map({ Self.isName($0) }) ?? true else {
      throw Self.wrong("the address needs the name of a database, in letters, digits, - . and _")
    }
    var options: [String: String] = [:]
    for option in rest[question...].dropFirst().split(separator: "&") {
      let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let (name, value) = (String(parts[0]), parts.count == 2 ? String(parts[1]) : "")
      try Self.check(name, value)
      options[name] = value
    }
    let folder = options.removeValue(forKey: "host")
    guard (folder != nil) == hosts.isEmpty else {
      throw Self.wrong("the address needs a host, or ?host=/folder for a socket of this machine")
    }
    let (names, ports) = try Self.servers(hosts)
    let isHere = folder != nil || names.allSatisfy(Self.isLoopback)
    let mode = options.removeValue(forKey: "sslmode") ?? (folder != nil ? "disable" : "verify-full")
    guard mode == "verify-full" || (mode == "disable" && isHere) else {
      throw Self.wrong(
        "sslmode must be verify-full",
        hint: "disable is for sockets and loopback; other modes do not know whom they speak to")
    }
    var parameters: [(name: String, value: String)] = [
      ("host", folder ?? names.joined(separator: ",")),
      ("port", ports.joined(separator: ",")), ("dbname", String(database)), ("sslmode", mode),
      ("connect_timeout", "5"), ("gssencmode", "disable"), ("client_encoding", "UTF8"),
      // 8 s without an answer of the other kernel: tcp(7), TCP_USER_TIMEOUT.
      ("tcp_user_timeout", "8000"), ("keepalives_idle", "30"),
      ("options", "-csearch_path=vault_sync -cstatement_timeout=8000"),
      (
        "target_session_attrs",
        options.removeValue(forKey: "target_session_attrs") ?? "read-write"
      ), ("application_name", options.removeValue(forKey: "application_name") ?? "vault"),
    ]
    if let user { parameters.append(("user", user)) }
    if mode == "verify-full", options["sslrootcert"] == nil {
      // "system" is a file's name to libpq before version 16.
      options["sslrootcert"] =
        Self.ownRoots.flatMap { UserFile.exists($0) ? $0 : nil } ?? TLSFiles().rootsFile
    }
    parameters += options.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    self.parameters = parameters
    self.user = user
  }

  /// Whether a user is named, and neither a certificate nor ~/.pgpass says who this is.
  package var asksForPassword: Bool {
    let files = (try? StoreLocation.home()).map { "\($0)/.pgpass" }
    return user != nil
      && !parameters.contains {
        $0.name == "sslcert" || $0.value.hasPrefix("/") && $0.name == "host"
      }
      && !(files.map { UserFile.exists($0) } ?? false)
  }

  private static var ownRoots: String? {
    (try? StoreLocation.home()).map { "\($0)/.postgresql/root.crt" }
  }

  private static func check(_ name: String, _ value: String) throws {
    switch name {
    case "sslrootcert", "sslcert", "sslkey":
      guard value.hasPrefix("/") else { throw wrong("\(name)= needs the whole path of a file") }
    case "host":
      guard value.hasPrefix("/"), !value.contains(",") else {
        throw wrong("host= is for the folder of a socket: /var/run/postgresql")
      }
    case "sslmode": break
    case "target_session_attrs":
      guard
        ["any", "read-write", "read-only", "primary", "standby", "prefer-standby"].contains(value)
      else { throw wrong("'\(value)' is not a kind of session") }
    case "application_name":
      guard isName(value) else { throw wrong("a name has letters, digits, - . and _") }
    case "password", "passfile":
      throw wrong(
        "a password has no place in an address, which others may read",
        hint: "it is asked for, or comes from a source; or write it into ~/.pgpass")
    default: throw wrong("'\(name)' is not an option of such an address")
    }
  }

  private static func isName(_ text: some StringProtocol) -> Bool {
    text.utf8.count <= 63
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte) || [0x2D, 0x2E, 0x5F].contains(byte)
      }
  }

  private static func servers(_ hosts: Substring) throws -> (names: [String], ports: [String]) {
    var (names, ports): ([String], [String]) = ([], [])
    guard !hosts.isEmpty else { return ([], ["5432"]) }
    for host in hosts.split(separator: ",", omittingEmptySubsequences: false) {
      var (name, port) = (String(host), "5432")
      if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
        name = String(host[host.index(after: host.startIndex)..<end])
        let rest = host[host.index(after: end)...]
        if rest.hasPrefix(":") { port = String(rest.dropFirst()) }
      } else if let colon = host.firstIndex(of: ":") {
        (name, port) = (String(host[..<colon]), String(host[host.index(after: colon)...]))
      }
      let isHost =
        !name.isEmpty && !name.hasPrefix("-") && !name.hasPrefix("/")
        && name.utf8.allSatisfy { byte in
          (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
            || (0x61...0x7A).contains(byte) || [0x2D, 0x2E, 0x3A].contains(byte)
        }
      guard isHost, let number = UInt16(port), number > 0 else {
        throw wrong("'\(host)' is not a host, or a host and a port")
      }
      names.append(name)
      ports.append(String(number))
    }
    return (names, ports)
  }

  private static func isLoopback(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return host == "localhost" || host == "::1"
      || (parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil })
  }
}
