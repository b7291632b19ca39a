import Glibc
import VaultSealing
import VaultStorage

/// Leave to keep a vault open in a process that answers others, until the vault is locked.
///
/// It is an empty file in the state folder and one of the same name in the runtime folder, as far
/// as these can be written, and holds while it is in each of them: who locks may see only one of
/// the two, or be able to write to only one. ``LockedVault/lock()`` removes the permits of a vault,
/// and whoever has one forgets the key: at once, since the folders are watched, and at the latest
/// when it is asked again. A permit of a killed process is removed by the next lock and opens
/// nothing.
package final class ServingPermit: Sendable {
  /// The folders of the file, to be watched.
  package let folders: [String]
  /// The file's name.
  package let name: String
  private let directories: [Directory]

  /// Asks for leave.
  ///
  /// - Parameters:
  ///   - vaultID: The vault that is to be served.
  ///   - location: Where its state is.
  /// - Throws: ``CredentialError`` with a storage error's code if neither the state folder nor the
  ///   runtime folder can be written.
  init(toServe vaultID: [UInt8], at location: StoreLocation) throws {
    let name =
      "\(Self.prefix(vaultID))\(getpid())-\(Hexadecimal.text(RandomBytes.bytes(count: 8)))"
    let made = Self.folders(of: location.state).map { folder in
      (
        folder,
        Result { () throws -> Directory in
          let directory = try Directory(folder, create: true)
          try AtomicFile.replace(name, in: directory, isDurable: false, with: [])
          return directory
        }
      )
    }
    let written = made.compactMap { folder, result in
      (try? result.get()).map { (folder: folder, directory: $0) }
    }
    if written.isEmpty { _ = try CredentialError.fromStorage { try made[0].1.get() } }
    self.name = name
    folders = written.map(\.folder)
    directories = written.map(\.directory)
  }

  /// Whether nobody has locked the vault since.
  package var isValid: Bool {
    directories.allSatisfy { (try? $0.contains(name)) == true }
  }

  /// Removes the file.
  package func giveBack() { for directory in directories { try? directory.remove(name) } }

  /// Removes what a process has left behind.
  ///
  /// - Parameters:
  ///   - process: The process, which has ended.
  ///   - folders: The ``folders`` of its permits.
  package static func removeAll(ofProcess process: Int32, in folders: [String]) {
    for (directory, names) in listed(folders) {
      for name in names where self.process(of: name) == process { try? directory.remove(name) }
    }
  }

  /// Takes all permits of a vault back.
  ///
  /// - Parameters:
  ///   - vaultID: The vault; `nil` for all of them.
  ///   - state: The state folder.
  /// - Returns: Whether there was one.
  /// - Throws: ``CredentialError`` with code `.permissionDenied` if one could be removed nowhere, so
  ///   that a process may still have the key.
  static func withdraw(vaultID: [UInt8]?, inState state: String) throws -> Bool {
    let start = vaultID.map { prefix($0) } ?? ""
    var (removed, kept): (Set<String>, Set<String>) = ([], [])
    for (directory, names) in listed(folders(of: state) + otherFolders(than: state)) {
      for name in names where name.utf8.starts(with: start.utf8) {
        let isRemoved = (try? directory.remove(name)) != nil
        if isRemoved { removed.insert(name) } else { kept.insert(name) }
      }
    }
    let open = Set(kept.subtracting(removed).compactMap { process(of: $0) }).sorted()
    guard open.isEmpty else {
      let list = open.map(String.init).joined(separator: ", ")
      throw CredentialError(
        .permissionDenied,
        "what serves the vault does not hear that it is locked: process \(list) may still have its "
          + "key",
        hint: "end it: kill \(open.map(String.init).joined(separator: " "))")
    }
    return !removed.isEmpty
  }

  /// The process that has a permit.
  private static func process(of name: String) -> Int32? {
    let parts = name.utf8.split(separator: UInt8(ascii: "-"))
    return parts.count == 3 ? String(parts[1]).flatMap { Int32($0) } : nil
  }

  private static func listed(_ folders: [String]) -> [(directory: Directory, names: [String])] {
    folders.compactMap { folder in
      guard let directory = try? Directory(folder), let names = try? directory.names() else {
        return nil
      }
      return (directory, names)
    }
  }

  private static func folders(of state: String) -> [String] {
    let runtime = StoreLocation.variable("XDG_RUNTIME_DIR").flatMap { $0.hasPrefix("/") ? $0 : nil }
    return ["\(state)/serving"] + (runtime.map { ["\($0)/vault/serving"] } ?? [])
  }

  /// Where the permits of a process are that has other variables than this one: a keyring that the
  /// session's bus has started has none of a shell's.
  private static func otherFolders(than state: String) -> [String] {
    guard (try? StoreLocation())?.state == state,
      let plain = try? StoreLocation(environment: {
        $0 == "HOME" ? StoreLocation.variable($0) : nil
      })
    else { return [] }
    return plain.state == state ? [] : ["\(plain.state)/serving"]
  }

  private static func prefix(_ vaultID: [UInt8]) -> String { Hexadecimal.text(vaultID) + "-" }
}
