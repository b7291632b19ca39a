import CVaultLinux
import Glibc
package import VaultSealing
import VaultStorage

/// A sealed memfd holding a secret: memfd_create(2).
///
/// Nobody can change it, and it needs no cleanup. A program gets it as an open descriptor, or by
/// the path `/proc/self/fd/N`.
@safe package enum SealedMemoryFile {
  // From linux/fcntl.h; Glibc's module lacks them.
  private static let addSeals: Int32 = 1033
  private static let duplicateCloseOnExec: Int32 = 1030
  private static let everySeal: Int32 = 0xf
  /// Above the numbers that a caller may ask for, so that they cannot collide.
  private static let firstOwnDescriptor: Int32 = 256

  /// The numbers that a caller may ask for.
  package static let numbers: ClosedRange<Int32> = 3...255

  /// Makes a file; execve(2) closes its descriptor unless it is placed.
  package static func make(_ bytes: SecretBytes) throws -> Int32 {
    let file = unsafe cvault_memfd_create("secret", UInt32(MFD_CLOEXEC | MFD_ALLOW_SEALING))
    guard file >= 0 else { throw failure("make") }
    defer { close(file) }
    // The kernel makes it 0777, and ssh, psql and mysql take no file that others may read.
    guard fchmod(file, 0o600) == 0 else { throw failure("close to others") }
    try bytes.withBytes { bytes throws(System.Failure) in try System.writeAll(file, bytes) }
    guard lseek(file, 0, SEEK_SET) == 0, fcntl(file, addSeals, everySeal) == 0 else {
      throw failure("seal")
    }
    let own = fcntl(file, duplicateCloseOnExec, firstOwnDescriptor)
    guard own >= 0 else { throw failure("keep") }
    return own
  }

  /// Closes a file that was made.
  package static func close(_ file: Int32) { Glibc.close(file) }

  /// Duplicates a file to the number that a program expects.
  package static func place(_ file: Int32, at number: Int32) throws {
    guard dup2(file, number) == number else { throw failure("hand over") }
  }

  /// The lowest number from 3 on that is neither open nor in `taken`.
  package static func freeNumber(besides taken: Set<Int32>) throws -> Int32 {
    guard let number = numbers.first(where: { !taken.contains($0) && fcntl($0, F_GETFD) < 0 })
    else { throw failure("find a number for") }
    return number
  }

  private static func failure(_ what: String) -> TerminalError {
    TerminalError(.inputOutput, "cannot \(what) a file in memory")
  }
}
