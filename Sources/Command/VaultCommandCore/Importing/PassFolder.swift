import Glibc
package import VaultCredentials
package import VaultExchange
import VaultSealing
import VaultStorage
import VaultTerminal

/// A folder of `pass` or `gopass`, whose files gpg encrypts and decrypts.
package struct PassFolder {
  package let path: String
  package var isGopass = false
  /// A larger list of keys is none.
  private static let listLimit = 1 << 20

  package init(path: String, isGopass: Bool = false) {
    self.path = path
    self.isGopass = isGopass
  }

  /// Reads all files of the folder.
  ///
  /// - Returns: The items, and the files that gpg could not open.
  /// - Throws: ``CommandError`` with code `file-not-found`, `import-unreadable`,
  ///   `program-missing`.
  package func read() throws -> ImportReading {
    let names = try names()
    var reading = ImportReading()
    let progress = ProgressLine("opening file")
    for (number, name) in names.enumerated() where !PassStore.isForeign(name) {
      progress.show(number, of: names.count)
      let file = "\(path)/\(name)"
      guard UserFile.exists(file) else {
        reading.lose(name, "nothing can be found under this name")
        continue
      }
      if UserFile.isFolder(file) {
        if System.linkTarget(file) != nil { reading.lose(name, "it is a link to a folder") }
        continue
      }
      // gpg would wait for a pipe's other end.
      guard (try? System.targetStatus(of: file, in: AT_FDCWD))?.isRegular == true else {
        reading.lose(name, "it is not a regular file")
        continue
      }
      guard let item = PassStore.name(ofFile: name) else {
        reading.lose(
          name,
          name.hasSuffix(".age")
            ? "only gopass opens files of age" : "it is not a .gpg file")
        continue
      }
      let run = try ChildProgram.runInstalled(
        ["gpg", "--quiet", "--decrypt", "--", file], input: .inherited)
      guard run.isSuccess else {
        reading.lose(name, "gpg could not open it")
        continue
      }
      reading.add(
        isGopass
          ? try GopassImport.item(item, run.output) : try PassImport.item(item, run.output))
    }
    return reading
  }

  /// Writes a file for each item.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - snapshot: The vault that they are in.
  ///   - progress: Called before each item with the number of those before it.
  /// - Returns: The items that a folder of `pass` cannot hold, and why; nothing of them is written.
  /// - Throws: ``CommandError`` with code `cannot-create` if a file exists already, before any is
  ///   written.
  package func write(
    _ items: [Item], in snapshot: VaultSnapshot, progress: (Int) -> Void
  ) throws -> [(name: ItemName, reason: String)] {
    guard
      let list = try? UserFile.bytes(of: "\(path)/\(PassStore.keyFile)", limit: Self.listLimit),
      let text = String(validating: list, as: UTF8.self)
    else {
      throw CommandError(
        .notAPasswordStore, "the folder has no .gpg-id", hint: "make it: pass init KEY")
    }
    let keys = PassStore.keys(in: text)
    var files: [(item: Item, path: String)] = []
    var left: [(name: ItemName, reason: String)] = []
    let all = Set(items.map { $0.name.text + PassStore.suffix })
    for item in items {
      if let reason = obstacle(to: item.name, among: all) {
        left.append((item.name, reason))
        continue
      }
      let file = "\(path)/\(item.name.text)\(PassStore.suffix)"
      guard !UserFile.exists(file) else {
        throw CommandError(
          .cannotCreate, "'\(item.name.text)' already exists in the folder",
          hint: "move it away, or export other names")
      }
      files.append((item, file))
    }
    for (number, (item, file)) in files.enumerated() {
      progress(number)
      let whole = try snapshot.secrets(of: item)
      let entry = PassEntry(main: whole.main.bytes, fields: whole.fields.mapValues(\.bytes))
      if let contents = try entry.file() {
        try write(contents, of: item, to: file, for: keys)
      } else {
        left.append(
          (
            item.name,
            "it has fields, and a secret or field with several lines, which a file of pass cannot "
              + "keep apart"
          ))
      }
    }
    return left
  }

  /// Why there can be no file for an item.
  ///
  /// - Parameters:
  ///   - name: The item's name.
  ///   - files: The files of all items, below the folder.
  /// - Returns: The reason; `nil` if there can be one.
  private func obstacle(to name: ItemName, among files: Set<String>) -> String? {
    guard !PassStore.isHidden(name.text) else {
      return "a part of its name begins with a dot, and pass does not list it"
    }
    let parts = (name.text + PassStore.suffix).parts(at: "/").map(String.init)
    guard parts.allSatisfy({ $0.utf8.count <= Int(NAME_MAX) }),
      path.utf8.count + name.text.utf8.count + 16 < Int(PATH_MAX)
    else { return "its name is too long for a file" }
    for end in parts.indices.dropFirst() {
      let folder = parts[..<end].joined(separator: "/")
      let inStore = "\(path)/\(folder)"
      guard !files.contains(folder), !UserFile.exists(inStore) || UserFile.isFolder(inStore) else {
        return "the folder of its file has the name of another file: \(folder)"
      }
    }
    return nil
  }

  private func names() throws -> [String] {
    do {
      return try UserFile.paths(below: path)
    } catch  where error.errno == ENOENT {
      throw CommandError(
        .fileNotFound, "\(LineValue.shown(path)) does not exist",
        hint: "check the path that was given")
    } catch  where error.errno == ENOTDIR {
      throw ImportSource.notAFolder
    } catch {
      throw CommandError(.importUnreadable, "\(path) cannot be read: \(error.reason)")
    }
  }

  private func write(
    _ contents: SecretBytes, of item: Item, to path: String, for keys: [String]
  ) throws {
    do {
      try UserFile.makeFolders(UserFile.folder(of: path))
    } catch {
      throw CommandError(.cannotCreate, "the folder of \(path) cannot be made: \(error.reason)")
    }
    let recipients = keys.flatMap { ["--recipient", $0] }
    let run = try ChildProgram.runInstalled(
      ["gpg", "--quiet", "--batch", "--yes", "--trust-model", "always", "--encrypt"] + recipients,
      input: .bytes(contents))
    guard run.isSuccess else {
      throw CommandError(
        .gpgFailed, "gpg could not encrypt '\(item.name.text)'",
        hint: "check that the keys of .gpg-id are there: gpg --list-keys")
    }
    // An interrupted export must not leave half a file.
    try OutputFile.write(run.output, to: path)
  }
}
