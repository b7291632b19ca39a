import VaultProtocols
import VaultStorage
import VaultTerminal

// The line by which another program runs this command.

extension Connection {
  /// The variable that says which vault is meant, for a program that starts this command without words
  /// for a vault.
  var variableOfVault: String? {
    guard [.docker, .podman, .pip].contains(program) else { return nil }
    return [EnvironmentNames.home, EnvironmentNames.vaultName].first {
      ProcessState.variable($0) != nil
    }
  }

  /// Returns the words that run this command for this vault.
  ///
  /// Who runs them has neither this shell's variables nor its folder: they name the vault whatever
  /// named it here, and by a path from the root.
  ///
  /// - Parameters:
  ///   - words: The verb and what follows it.
  ///   - hasOwnEnvironment: Whether the words are run where no variable says what opens the vault:
  ///     then they have the key file.
  /// - Returns: The words, the first of which is the path of this program.
  /// - Throws: ``CommandError`` with code `no-proc` or `usage`.
  func command(
    _ words: [String], inOtherEnvironment hasOwnEnvironment: Bool = false
  ) throws -> [String] {
    var options: [String] = []
    if let home = settings.home ?? ProcessState.variable(EnvironmentNames.home) {
      options += ["--home", absolute(home)]
    }
    if let name = settings.vaultName ?? ProcessState.variable(EnvironmentNames.vaultName) {
      options += ["--vault", name]
    }
    if hasOwnEnvironment, let keyFile {
      guard keyFile != SecretInput.standardInput else {
        throw CommandError.usage(
          "a key file on stdin is there only once", hint: "name a file: --key-file PATH")
      }
      options += ["--key-file", absolute(keyFile)]
    }
    return [try executable()] + options + settings.precautions + words
  }

  func absolute(_ path: String) -> String {
    path.begins(with: "/") ? path : UserFile.workingDirectory + "/" + path
  }

  /// Returns the path of the running file, without links: a link may point elsewhere tomorrow.
  func executable() throws -> String {
    guard let path = System.linkTarget("/proc/self/exe") else {
      throw CommandError(
        .noProc, "/proc is not mounted, so the path of this command is unknown")
    }
    return String(decoding: path, as: UTF8.self)
  }

  /// The profiles of aws that ask a vault by a block of ours, with the options by which the block names
  /// the vault.
  ///
  /// - Returns: The profiles, as they stand in the file.
  /// - Throws: What reading throws.
  package func connectedProfiles() throws -> [(profile: String, options: String)] {
    let begin = "\(MarkedBlock.beginning)connect aws "
    var found: [(profile: String, options: String)] = []
    for line in ConfigurationFile.lines(of: try ConfigurationFile(path: blockPath()).text()) {
      if line.begins(with: begin) {
        found.append((String(line.dropFirst(begin.count)), ""))
      } else if !found.isEmpty, let end = line.firstRange(ofBytes: " credential aws "),
        let start = line.firstRange(ofBytes: " --"), start.lowerBound < end.lowerBound
      {
        found[found.count - 1].options = String(line[start.lowerBound..<end.lowerBound])
      }
    }
    return found
  }
}
