package import VaultCredentials
import VaultStorage

extension ItemName {
  /// Runs what looks items up by words of a line, each with ``ItemName/init(lookingUp:)``: an item
  /// whose name cannot be one is found by what it was called, and by the name that it is shown with.
  ///
  /// - Parameters:
  ///   - words: The words.
  ///   - body: What looks them up.
  /// - Returns: What `body` returns.
  /// - Throws: `CredentialError` with code `.invalidName` where there is no item and a word cannot
  ///   be a name; ``CommandError`` with code `usage` for a folder or a pattern; what `body` throws.
  package static func lookingUp<Result>(
    _ words: [String], _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as CredentialError where error.code == .itemNotFound {
      // What was meant is known: `/work/github`, `work/github/`.
      if error.hint?.begins(with: "did you mean: ") == true { throw error }
      for word in words {
        let isFolder = word.ends(with: "/") && (try? ItemName(String(word.dropLast()))) != nil
        guard !isFolder, !word.utf8.contains(UInt8(ascii: "*")) else {
          let (program, quoted) = (ProgramName.current, Quoting.typed(word))
          throw CommandError.usage(
            isFolder
              ? "that is a folder, and one item is wanted" : "one item is wanted, not a pattern",
            hint: "its items: \(program) list \(quoted); all of them into a process: "
              + "\(program) run \(quoted) -- COMMAND")
        }
        _ = try ItemName(word)
      }
      throw error
    }
  }
}
