import CVaultLinux
import Glibc
import VaultSealing

/// Replaces this process by a command, with secrets added to its environment.
///
/// The environment is built in C memory and execve(2) is called in place: the old image and every copy in
/// it are gone, and no parent waits with one. Same process id, terminal and signals.
@safe struct Execution {
  /// The command and its arguments, byte for byte.
  let command: [[UInt8]]
  /// What is added to the environment, or replaces what is there.
  let secrets: [(variable: String, value: SecretBytes)]
  /// Variables that the command does not get.
  let removedVariables: Set<String>
  /// Whether the rest of the environment is left out, but for what hardly a program can do without.
  var keepsLittle = false
  /// Open files that the command gets, and under which number.
  var files: [(file: Int32, number: Int32)] = []

  private static let littleVariables: Set<String> = [
    "HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER", "XDG_RUNTIME_DIR",
  ]

  /// Runs the command; comes back only if it could not be started.
  ///
  /// - Throws: ``CommandError`` with status 126 or 127.
  func replaceProcess() throws -> Never {
    let arguments = unsafe CStrings(command)
    var environment = unsafe inherited()
    for secret in secrets {
      // A missing one would end the list, and the command would start without the rest.
      guard let entry = unsafe Self.assignment(secret.variable, secret.value) else {
        throw CommandError(
          "input-output", "there is no memory for the environment", status: .inputOutput)
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
    throw Self.error(failure)
  }

  /// The pointers of the environment as it is, but for what is removed or replaced.
  @unsafe private func inherited() -> [UnsafeMutablePointer<CChar>?] {
    let dropped = removedVariables.union(secrets.map(\.variable))
    var kept: [UnsafeMutablePointer<CChar>?] = unsafe []
    var entry = unsafe cvault_environment()
    while let text = unsafe entry?.pointee {
      let length = unsafe strcspn(text, "=")
      let name = unsafe String(
        decoding: UnsafeRawBufferPointer(start: text, count: length), as: UTF8.self)
      let isWanted =
        !keepsLittle || Self.littleVariables.contains(name) || name.hasPrefix("LC_")
      if isWanted, !dropped.contains(name) { unsafe kept.append(text) }
      unsafe entry = entry?.advanced(by: 1)
    }
    return unsafe kept
  }

  /// `NAME=value` in C memory of its own, which lives until the process image goes.
  @unsafe private static func assignment(
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

  private static func error(_ code: Int32) -> CommandError {
    switch code {
    case ENOENT, ENOTDIR:
      CommandError(
        "command-not-found", "the command was not found", hint: "check its name and PATH",
        status: .commandNotFound)
    default:
      CommandError(
        "command-not-executable",
        "the command could not be started: \(unsafe String(cString: strerror(code)))",
        status: .commandNotExecutable)
    }
  }
}

/// An array of C strings, ended by NULL, that is never freed: it is made right before an execve(2) or
/// a spawn.
@unsafe struct CStrings {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

  init(_ strings: [String]) { unsafe self.init(strings.map { Array($0.utf8) }) }

  /// Words of bytes, which need not be UTF-8.
  init(_ words: [[UInt8]]) {
    unsafe pointers = .allocate(capacity: words.count + 1)
    for (index, word) in words.enumerated() {
      let copy = unsafe word.withUnsafeBytes { bytes in
        unsafe bytes.bindMemory(to: CChar.self).baseAddress.map { unsafe strndup($0, bytes.count) }
      }
      unsafe (pointers + index).initialize(to: copy ?? strdup(""))
    }
    unsafe (pointers + words.count).initialize(to: nil)
  }
}
