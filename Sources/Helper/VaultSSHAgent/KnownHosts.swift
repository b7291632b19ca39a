import Glibc
package import VaultSSHKeys
import VaultSealing
import VaultStorage

/// The hosts that ssh knows: sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT".
package struct KnownHosts: Sendable {
  /// What is known of a host's key.
  package enum Host: Equatable, Sendable {
    /// It stands there under these names.
    case named([String])
    /// It stands there, under a hash of a name that nobody here has said.
    case hashed
    /// It is marked as one not to be trusted.
    case revoked
    case unknown
  }

  private struct Line: Sendable {
    var names: String
    var isRevoked = false
    var isAuthority = false
  }

  /// Longer files are not read.
  private static let maximumLength = 8 << 20

  /// Lines by the text of their keys.
  private var lines: [String: [Line]] = [:]

  /// Reads files; those that are not there are left out.
  ///
  /// - Parameter paths: Their paths.
  package init(paths: [String]) {
    for path in paths {
      guard let file = try? System.open(path, in: AT_FDCWD, flags: O_RDONLY | O_NONBLOCK) else {
        continue
      }
      defer { close(file) }
      if let bytes = try? System.readAll(file, expected: 4096, limit: Self.maximumLength) {
        add(bytes)
      }
    }
  }

  /// Reads the text of one file.
  package init(_ text: [UInt8]) { add(text) }

  private mutating func add(_ bytes: [UInt8]) {
    for line in bytes.split(separator: 0x0A) {
      var words = line.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D })
        .map { String(decoding: $0, as: UTF8.self) }
      guard let first = words.first, first.utf8.first != UInt8(ascii: "#") else { continue }
      var known = Line(names: "")
      if first.utf8.first == UInt8(ascii: "@") {
        known.isRevoked = first == "@revoked"
        known.isAuthority = first == "@cert-authority"
        guard known.isRevoked || known.isAuthority else { continue }
        words.removeFirst()
      }
      guard words.count >= 3 else { continue }
      known.names = words[0]
      lines[words[2], default: []].append(known)
    }
  }

  /// What is known of a host by its key.
  ///
  /// - Parameters:
  ///   - key: The key, which the host has proved to have.
  ///   - candidates: Names that the host may have, such as one on the line of ssh.
  ///   - now: Seconds since 1970, for certificates.
  /// - Returns: What the files say of the key.
  package func host(_ key: SSHPublicKey, candidates: [String], now: UInt64) -> Host {
    let blobs = [(key.plain.blob, false)] + (key.certificate.map { [($0.authority, true)] } ?? [])
    let principals = key.certificate?.principals ?? []
    let isCertified = key.certificate?.isValidForHost(now: now) == true
    let found = blobs.flatMap { blob, isAuthority in
      (lines[Base64.text(blob)] ?? []).filter { $0.isRevoked || $0.isAuthority == isAuthority }
    }
    guard !found.isEmpty else { return .unknown }
    if found.contains(where: \.isRevoked) { return .revoked }
    var names: [String] = []
    for line in found where isCertified || !line.isAuthority {
      if line.isAuthority, !principals.isEmpty {
        // The authority's word is for these names, where the line lets it speak for them.
        names +=
          (principals
          + candidates.filter { name in
            principals.contains { SSHPattern.matches(name, $0) }
          }).filter { Self.isFor($0, line.names) }
      } else if line.names.utf8.first == UInt8(ascii: "|") {
        names += candidates.filter { Self.isHash(line.names, of: $0) }
      } else {
        names += line.names.utf8.split(separator: UInt8(ascii: ","))
          .map { String(decoding: Array($0), as: UTF8.self) }
          .filter { $0.utf8.first != UInt8(ascii: "!") }
      }
    }
    // The name that was typed comes first.
    let said = names.filter(candidates.contains)
    var seen: Set<String> = []
    let all = (said + names).filter { seen.insert($0).inserted }
    if !all.isEmpty { return .named(all) }
    return found.contains { !$0.isAuthority || isCertified && principals.isEmpty }
      ? .hashed : .unknown
  }

  /// Whether the names of a line, which may be patterns or a hash, have a name among them.
  private static func isFor(_ name: String, _ names: String) -> Bool {
    if names.utf8.first == UInt8(ascii: "|") { return isHash(names, of: name) }
    var isThere = false
    for part in names.utf8.split(separator: UInt8(ascii: ",")) {
      let isNot = part.first == UInt8(ascii: "!")
      let pattern = String(decoding: Array(isNot ? part.dropFirst() : part), as: UTF8.self)
      guard SSHPattern.matches(name, pattern) else { continue }
      if isNot { return false }
      isThere = true
    }
    return isThere
  }

  /// `|1|salt|HMAC-SHA1`: ssh-keygen(1), `-H`.
  private static func isHash(_ text: String, of name: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "|")).map {
      String(decoding: Array($0), as: UTF8.self)
    }
    guard parts.count == 3, parts[0] == "1", let salt = bytes(parts[1]), let code = bytes(parts[2])
    else { return false }
    return SSHHash.sha1.code(of: Array(name.utf8), key: salt) == code
  }

  private static func bytes(_ text: String) -> [UInt8]? {
    (try? Base64.decoded(text))?.withBytes { $0.array(0..<$0.byteCount) }
  }
}
