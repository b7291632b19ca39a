import Glibc
import VaultSealing
import VaultStorage

/// Leave to keep a vault open in a process that answers others, until the vault is locked.
///
/// It is an empty file in the state folder. ``LockedVault/lock()`` removes the permits of a vault,
/// and whoever has one forgets the key: at once, since the folder is watched, and at the latest
/// when it is asked again. A permit of a killed process is removed by the next lock and opens
/// nothing.
package final class ServingPermit: Sendable {
  /// The folder of the file, to be watched.
  package let folder: String
  /// The file's name.
  package let name: String
  private let directory: Directory

  /// Asks for leave.
  ///
  /// - Parameters:
  ///   - vaultID: The vault that is to be served.
  ///   - location: Where its state is.
  /// - Throws: ``CredentialError`` with a storage error's code if the state folder cannot be
  ///   written.
  init(toServe vaultID: [UInt8], at location: StoreLocation) throws {
    folder = Self.folder(in: location)
    name =
      "\(Self.prefix(vaultID))\(getpid())-\(Hexadecimal.text(RandomBytes.bytes(count: 8)))"
    directory = try CredentialError.fromStorage { [folder, name] in
      let directory = try Directory(folder, create: true)
      try AtomicFile.replace(name, in: directory, isDurable: false, with: [])
      return directory
    }
  }

  /// Whether nobody has locked the vault since.
  package var isValid: Bool { (try? directory.contains(name)) == true }

  /// Removes the file.
  package func giveBack() { try? directory.remove(name) }

  /// Removes what a process has left behind.
  ///
  /// - Parameters:
  ///   - process: The process, which has ended.
  ///   - folder: The ``folder`` of its permits.
  package static func removeAll(ofProcess process: Int32, in folder: String) {
    guard let directory = try? Directory(folder), let names = try? directory.names() else { return }
    for name in names {
      let parts = Array(name.utf8).split(separator: UInt8(ascii: "-"))
      guard parts.count == 3, parts[1].elementsEqual(String(process).utf8) else { continue }
      try? directory.remove(name)
    }
  }

  /// Takes all permits of a vault back.
  ///
  /// - Parameters:
  ///   - vaultID: The vault; `nil` for all of them.
  ///   - location: Where its state is.
  /// - Returns: Whether there was one.
  static func withdraw(vaultID: [UInt8]?, location: StoreLocation) -> Bool {
    withdraw(start: vaultID.map { prefix($0) } ?? "", in: folder(in: location))
  }

  /// Takes the permits of all vaults of a home back.
  ///
  /// - Parameter state: The state folder.
  /// - Returns: Whether there was one.
  static func withdrawAll(inState state: String) -> Bool {
    withdraw(start: "", in: "\(state)/serving")
  }

  private static func withdraw(start: String, in folder: String) -> Bool {
    guard let directory = try? Directory(folder), let names = try? directory.names() else {
      return false
    }
    let permits = names.filter { $0.utf8.starts(with: start.utf8) }
    for permit in permits { try? directory.remove(permit) }
    return !permits.isEmpty
  }

  private static func folder(in location: StoreLocation) -> String { "\(location.state)/serving" }

  private static func prefix(_ vaultID: [UInt8]) -> String { Hexadecimal.text(vaultID) + "-" }
}
