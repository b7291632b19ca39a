import CVaultLinux
import Glibc
package import VaultSealing

/// A replacement of this process by a program, with secrets added to its environment.
///
/// The environment is built in C memory, and execve(2) replaces the image in place. Every copy of a
/// secret in the old image is gone, no parent process waits with one, and the program has the same
/// process id, terminal and signals.
@safe package struct Execution {
  /// The program and its arguments, byte for byte.
  package let command: [[UInt8]]
  /// Variables to add to the environment or to replace.
  package let secrets: [(variable: String, value: SecretBytes)]
  /// Variables to leave out.
  package let removedVariables: Set<String>
  /// Whether the environment is reduced to what most programs need.
  package let keepsLittle: Bool
  /// Open files to pass on, with the numbers that the program expects.
  package let files: [(file: Int32, number: Int32)]
  /// Which variables of the environment it gets, in place of all or the few; `nil` for those.
  package var keptVariables: (@Sendable (String) -> Bool)?

  /// Makes a replacement; see the properties.
  package init(
    command: [[UInt8]], secrets: [(variable: String, value: SecretBytes)],
    removedVariables: Set<String>, keepsLittle: Bool, files: [(file: Int32, number: Int32)]
  ) {
    self.command = command
    self.secrets = secrets
    self.removedVariables = removedVariables
    self.keepsLittle = keepsLittle
    self.files = files
  }

  private static let littleVariables: Set<String> = [
    "HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER", "XDG_RUNTIME_DIR",
  ]

  /// Runs the program; returns only if it could not be started.
  ///
  /// - Throws: ``TerminalError`` with code `.commandNotFound` or `.commandNotExecutable`.
  package func replaceProcess() throws -> Never {
    QuietTerminal.end()
    let arguments = unsafe CStrings(command)
    var environment = unsafe inherited()
    for secret in secrets {
      // A NULL in its place would end the list, and the program would lack the rest.
      guard let entry = unsafe Self.assignment(secret.variable, secret.value) else {
        throw TerminalError(.inputOutput, "there is no memory for the environment")
      }
      unsafe environment.append(entry)
    }
    unsafe environment.append(nil)
    for placed in files { try SealedMemoryFile.place(placed.file, at: placed.number) }
    ProcessState.restore()
    _ = unsafe cvault_execvpe(arguments.pointers[0], arguments.pointers, environment)
    let failure = errno
    ProcessState.hardenAgain()
    for index in unsafe environment.indices.suffix(secrets.count + 1) {
      if let entry = unsafe environment[index] { unsafe explicit_bzero(entry, strlen(entry)) }
    }
    throw error(failure)
  }

  /// The pointers of the current environment, without what is removed or replaced.
  @unsafe func inherited() -> [UnsafeMutablePointer<CChar>?] {
    let dropped = removedVariables.union(secrets.map(\.variable))
    var kept: [UnsafeMutablePointer<CChar>?] = unsafe []
    var entry = unsafe cvault_environment()
    while let text = unsafe entry?.pointee {
      let length = unsafe strcspn(text, "=")
      let name = unsafe String(
        decoding: UnsafeRawBufferPointer(start: text, count: length), as: UTF8.self)
      let isWanted =
        keptVariables?(name)
        ?? (!keepsLittle || Self.littleVariables.contains(name) || name.hasPrefix("LC_"))
      if isWanted, !dropped.contains(name) { unsafe kept.append(text) }
      unsafe entry = entry?.advanced(by: 1)
    }
    return unsafe kept
  }

  /// `NAME=value` in C memory, which is freed with the process image.
  @unsafe static func assignment(
    _ variable: String, _ value: SecretBytes
  ) -> UnsafeMutablePointer<CChar>? {
    let prefix = Array("\(variable)=".utf8)
    let length = prefix.count + value.count
    guard let memory = unsafe malloc(length + 1) else { return nil }
    unsafe memory.copyMemory(from: prefix, byteCount: prefix.count)
    value.withBytes { bytes in
      unsafe bytes.withUnsafeBytes { source in
        if let base = source.baseAddress {
          unsafe (memory + prefix.count).copyMemory(from: base, byteCount: source.count)
        }
      }
    }
    unsafe memory.storeBytes(of: 0, toByteOffset: length, as: CChar.self)
    return unsafe memory.assumingMemoryBound(to: CChar.self)
  }

  func error(_ code: Int32) -> TerminalError {
    let word = command.first ?? []
    // The shell looks a name up in PATH; a path is only itself.
    let path = word.contains(UInt8(ascii: "/")) ? RawArguments.shown(word) : nil
    switch code {
    case ENOENT where path.map(SecretInput.exists) == true:
      return TerminalError(
        .commandNotFound, "\(path ?? "") names an interpreter that does not exist",
        .checkInterpreter)
    case ENOENT, ENOTDIR:
      guard let path else {
        return TerminalError(.commandNotFound, "the command was not found", .checkName)
      }
      return TerminalError(.commandNotFound, "\(path) does not exist", .checkPath)
    case E2BIG:
      return TerminalError(
        .commandNotExecutable,
        "the command could not be started: its variables and arguments are too long", .useFiles)
    default:
      return TerminalError(
        .commandNotExecutable,
        "the command could not be started: \(unsafe String(cString: strerror(code)))",
        code == EACCES ? .checkPath : nil)
    }
  }
}
