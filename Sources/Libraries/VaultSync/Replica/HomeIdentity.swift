import VaultCredentials
import VaultSealing
import VaultStorage

/// What tells a home from its copies: the machine that it is on, and the folder that it is in.
///
/// A copy on another machine has another id, and one on the same machine is in a
/// folder that was made later, where the file system keeps that time. A whole disk that was copied or
/// put back with its machine looks the same: there the store shows what the other one has written.
package struct HomeIdentity {
  /// What a state keeps of it, 16 bytes.
  package let bytes: [UInt8]
  /// What states of earlier versions, and file systems without a time, have in its place.
  let machine: [UInt8]

  /// Looks at a home.
  ///
  /// - Parameters:
  ///   - machine: The machine's id.
  ///   - folder: The folder of the vault file.
  /// - Throws: `SealingError`.
  package init(machine: [UInt8], folder: String) throws {
    self.machine = machine
    guard let made = System.birthTime(of: folder) else {
      bytes = machine
      return
    }
    var time: [UInt8] = []
    time.append(littleEndian: made)
    bytes = try Hash.blake2b(Array("VSS1/home".utf8) + machine + time, count: 16)
  }

  /// Whether a state was written in this home.
  func wrote(_ state: SyncState) -> Bool { state.machine == bytes || state.machine == machine }
}
