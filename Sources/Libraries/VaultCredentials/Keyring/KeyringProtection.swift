import Glibc
import VaultSealing
import VaultStorage

/// How a keyring keeps secrets on the disk.
package enum KeyringProtection: String, Sendable {
  /// Encrypted, as far as the file tells.
  case encrypted
  /// As text: gnome-keyring keeps a keyring without a password so, as desktops with automatic login
  /// have it.
  ///
  /// It writes the lines of a secret as they are, and reads them as lines of its file: one secret
  /// of several lines makes the whole keyring unreadable at the next login, with the secrets
  /// of every program. A backslash, and blanks at the ends, come back as another text.
  case inClear = "in-clear"
  /// It cannot be told.
  case unknown

  /// gkm-secret-binary.c: the first bytes of an encrypted keyring.
  private static let encryptedStart = Array("GnomeKeyring\n\r\0\n".utf8)
  /// gkm-secret-textual.c: a keyring without a password is a key file, whose first group this is.
  static let clearStart = Array("[keyring]".utf8)

  /// Looks at the file of a collection of gnome-keyring's.
  ///
  /// - Parameters:
  ///   - collection: The collection's path on the bus.
  ///   - folders: The folders that the daemon may keep its keyrings in.
  /// - Returns: ``unknown`` where no file of that name begins as keyrings do.
  static func ofGnomeKeyring(_ collection: String, in folders: [String]) -> KeyringProtection {
    guard let name = fileName(of: collection) else { return .unknown }
    for folder in folders {
      guard let start = start(of: "\(folder)/\(name).keyring") else { continue }
      if start.starts(with: clearStart) { return .inClear }
      if start.starts(with: encryptedStart) { return .encrypted }
    }
    return .unknown
  }

  /// Whether a keyring of this process's user lies there as text; asks no bus.
  static func isSomeKeyringInClear(in folders: [String] = folders(of: nil)) -> Bool {
    folders.contains { folder in
      ((try? UserFile.names(in: folder)) ?? []).contains { name in
        name.ends(with: ".keyring")
          && start(of: "\(folder)/\(name)")?.starts(with: clearStart) == true
      }
    }
  }

  /// Where this process's user has keyrings, today's place first.
  static func folders(_ environment: (String) -> String? = StoreLocation.variable) -> [String] {
    var folders: [String] = []
    if let data = environment("XDG_DATA_HOME"), data.hasPrefix("/") {
      folders.append("\(data)/keyrings")
    }
    if let home = try? StoreLocation.home(environment) {
      folders += ["\(home)/.local/share/keyrings", "\(home)/.gnome2/keyrings"]
    }
    return folders
  }

  /// Where a daemon has keyrings, which may have been started with other variables than this process:
  /// what those say, as far as the kernel shows them; then this process's own; then the home of the
  /// user database.
  ///
  /// - Parameter process: The daemon; `nil` where the bus does not tell.
  /// - Returns: The folders, the likeliest first.
  static func folders(of process: Int32?) -> [String] {
    let theirs = process.flatMap { environment(of: $0) } ?? [:]
    let all =
      (theirs.isEmpty ? [] : folders { theirs[$0] }) + folders() + folders { _ in nil }
    var seen: Set<String> = []
    return all.filter { seen.insert($0).inserted }
  }

  /// The variables that a process was started with; `nil` where they cannot be read: proc(5).
  private static func environment(of process: Int32) -> [String: String]? {
    guard let bytes = try? UserFile.bytes(of: "/proc/\(process)/environ", limit: 1 << 20) else {
      return nil
    }
    let pairs = bytes.split(separator: 0).compactMap { entry in
      String(decoding: Array(entry), as: UTF8.self).halves(at: "=")
        .map { (String($0.before), String($0.after)) }
    }
    return Dictionary(pairs) { first, _ in first }
  }

  /// gkd-secret-util.c: each byte but letters and digits is `_` and two hexadecimal digits.
  private static func fileName(of collection: String) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(collection.lastComponent.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "_") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2,
        let escaped = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      else { return nil }
      rest = rest.dropFirst(2)
      bytes.append(escaped)
    }
    guard !bytes.isEmpty, !bytes.contains(UInt8(ascii: "/")), !bytes.contains(0) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Whether gnome-keyring can read the file of a keyring: one that is encrypted as far as its beginning
  /// tells, and one that is text if each line is what a key file has.
  ///
  /// GLib's `g_key_file_load_from_data` gives the whole file up for one line that is none of them.
  static func isReadable(_ bytes: [UInt8]) -> Bool {
    guard bytes.starts(with: clearStart) else { return bytes.starts(with: encryptedStart) }
    return bytes.split(separator: 0x0A).allSatisfy { line in
      let text = line.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
      guard let first = text.first else { return true }
      if first == UInt8(ascii: "#") { return true }
      return text.contains(UInt8(ascii: "="))
        || first == UInt8(ascii: "[") && text.contains(UInt8(ascii: "]"))
    }
  }

  private static func start(of path: String) -> [UInt8]? {
    // A pipe in its place would keep the command waiting.
    guard
      let file = try? System.open(
        path, in: AT_FDCWD, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
    else { return nil }
    defer { System.close(file) }
    guard (try? System.status(file).isRegular) == true else { return nil }
    return try? System.readStart(file, count: 64)
  }
}

extension SecretBytes {
  /// Whether a keyring that keeps text gives back something else, or loses every program's secrets
  /// by it: a control character, a backslash, a blank at an end.
  var isBrokenByText: Bool {
    withBytes { bytes in
      let count = bytes.byteCount
      guard count > 0 else { return false }
      if bytes.byte(at: 0) == 0x20 || bytes.byte(at: count - 1) == 0x20 { return true }
      return (0..<count).contains { place in
        let byte = bytes.byte(at: place)
        return byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\\")
      }
    }
  }
}
