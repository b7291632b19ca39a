import CVaultLinux
import Glibc
package import VaultSealing
import VaultStorage

/// Takes the passphrase off a private key of ssh, by ssh-keygen(1).
///
/// The key is a file in memory, which the child has by its number; the passphrase comes on stdin,
/// since the child's session has no terminal. Neither stands in an argument, in a variable or on a
/// disk. Documentation/design/decisions/0016-passphrases-of-ssh-keys.md has why.
@safe package enum SSHKeygen {
  /// Why a passphrase stays on a key.
  package enum Failure: Error {
    case notInstalled
    case wrongPassphrase
    case other
  }

  private static let number: Int32 = 3
  private static let limit = 64 << 10

  /// Returns the key without its passphrase, in OpenSSH's format.
  ///
  /// - Parameters:
  ///   - key: The file, in any format that ssh-keygen reads.
  ///   - passphrase: Its passphrase.
  /// - Returns: The file without it.
  /// - Throws: ``Failure``; `System.Failure` and `TerminalError` where there is no memory.
  package static func opened(_ key: SecretBytes, passphrase: SecretBytes) throws -> SecretBytes {
    let file = unsafe cvault_memfd_create("key", UInt32(MFD_CLOEXEC))
    guard file >= 0 else { throw System.Failure(errno: errno) }
    defer { close(file) }
    // ssh-keygen takes no key that others may read.
    guard fchmod(file, 0o600) == 0 else { throw System.Failure(errno: errno) }
    try key.withBytes { bytes throws(System.Failure) in try System.writeAll(file, bytes) }
    let line = try SecretBytes(capacity: passphrase.count + 1) { output in
      passphrase.withBytes { output.write($0, at: 0) }
      output.write(byte: 0x0A, at: passphrase.count)
      return passphrase.count + 1
    }
    let input = try SealedMemoryFile.make(line)
    defer { close(input) }
    guard let errors = Pipe(flags: O_CLOEXEC) else { throw System.Failure(errno: errno) }
    defer { close(errors.read) }
    let child = unsafe ChildProgram.launch(
      ["ssh-keygen", "-q", "-p", "-N", "", "-f", "/proc/self/fd/\(number)"],
      variables: ["SSH_ASKPASS_REQUIRE": "never", "LC_ALL": "C"], flags: ChildProgram.newSession
    ) { actions in
      unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
      unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
      unsafe posix_spawn_file_actions_adddup2(&actions, errors.write, 2)
      unsafe posix_spawn_file_actions_adddup2(&actions, file, number)
    }
    close(errors.write)
    guard let child else { throw Failure.notInstalled }
    let complaint = try? SecretInput.read(errors.read, limit: limit)
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
    guard status == 0 else {
      let text = complaint?.withBytes { $0.text(0..<$0.byteCount) } ?? ""
      throw text.utf8.split(separator: 0x20).contains { $0.elementsEqual("passphrase".utf8) }
        ? Failure.wrongPassphrase : Failure.other
    }
    guard lseek(file, 0, SEEK_SET) == 0 else { throw System.Failure(errno: errno) }
    return try SecretInput.read(file, limit: limit)
  }
}
