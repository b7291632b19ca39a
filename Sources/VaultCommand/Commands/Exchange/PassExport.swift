import FoundationEssentials
import VaultCredentials
import VaultSealing
import VaultStorage

/// A file for each item in the folder of `pass`, encrypted by gpg.
struct PassExport {
  let folder: String

  /// Writes items that are not there yet.
  ///
  /// - Returns: The names of items that a file of pass cannot hold as they are: nothing is written of them.
  /// - Throws: ``CommandError`` with code `cannot-create` where a file is there already, before any is written.
  func write(_ items: [Item], in vault: UnlockedVault.Blocking) throws -> [ItemName] {
    let manager = FileManager.default
    guard let list = manager.contents(atPath: "\(folder)/.gpg-id"),
      let text = String(data: list, encoding: .utf8)
    else {
      throw CommandError(
        "not-a-password-store", "the folder has no .gpg-id", hint: "make it: pass init KEY",
        status: .configuration)
    }
    let keys = text.parts(at: "\n").map { line in
      (line.halves(at: "#")?.before ?? line).trimmingBlanks
    }.filter { !$0.isEmpty }
    // A name like '..' must not lead out of the folder.
    for item in items {
      guard !item.name.text.parts(at: "/").contains(where: { $0.begins(with: ".") }) else {
        throw CommandError.usage(
          "'\(item.name.text)' has a part that begins with a dot", hint: "rename it first")
      }
      guard !manager.fileExists(atPath: path(item)) else {
        throw CommandError(
          "cannot-create", "'\(item.name.text)' is in the folder already",
          hint: "move it away, or export other names", status: .cannotCreate)
      }
    }
    let progress = ProgressLine("exporting item")
    let look = try vault.wholeItems()
    var left: [ItemName] = []
    for (number, item) in items.enumerated() {
      progress.show(number, of: items.count)
      let whole = try JSONExport.whole(item, look)
      let entry = PassEntry(
        main: whole.main.bytes, fields: whole.fields.mapValues(\.bytes))
      if let file = try entry.file() {
        try write(file, of: item, for: keys)
      } else {
        left.append(item.name)
      }
    }
    return left
  }

  private func path(_ item: Item) -> String { "\(folder)/\(item.name.text).gpg" }

  private func write(_ file: SecretBytes, of item: Item, for keys: [String]) throws {
    let path = path(item)
    if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) {
      try FileManager.default.createDirectory(
        atPath: String(path[..<slash]), withIntermediateDirectories: true)
    }
    let recipients = keys.flatMap { ["--recipient", $0] }
    let run = try ChildProgram.runInstalled(
      ["gpg", "--quiet", "--batch", "--yes", "--trust-model", "always", "--encrypt"] + recipients,
      input: .bytes(file))
    guard run.isSuccess else {
      throw CommandError(
        "gpg-failed", "gpg could not encrypt '\(item.name.text)'",
        hint: "check that the keys of .gpg-id are there: gpg --list-keys", status: .inputOutput)
    }
    // Whole or not at all, also where the export is interrupted.
    try OutputFile.write(run.output, to: path)
  }
}
