package import VaultCredentials
import VaultSealing
import VaultStorage
import VaultTerminal

/// Runs the editor and saves, again until saving succeeds or the person gives up.
package struct EditingSession {
  private let vault: UnlockedVault.Blocking
  private let name: ItemName

  /// A session with an item, which may not exist yet.
  package init(vault: UnlockedVault.Blocking, name: ItemName) {
    self.vault = vault
    self.name = name
  }

  /// Lets the person edit one secret.
  ///
  /// - Returns: The saved change; `nil` if nothing was changed.
  package func edit(_ field: String?, keepingNewline keepsNewline: Bool) throws -> ItemChange? {
    let (item, before) = try current(field)
    if before == nil {
      StandardError.note(
        "there is no such \(item == nil ? "item" : "field") yet: saving creates it")
    }
    return try run(
      before ?? SecretBytes(copying: []), replacing: item, named: field,
      reading: { edited -> Secret? in
        // From here on, this is the only copy of what the person typed.
        let secret = try Self.withoutAddedNewline(edited, before: before, keepsNewline)
        if let before, secret.isEqual(to: before) { return nil }
        guard secret.count > 0 else {
          guard before != nil else { return nil }
          throw CommandError(
            .empty, "the file is empty: nothing was saved",
            hint: "to store an empty secret: "
              + "\(ProgramName.current) set NAME --stdin --allow-empty < /dev/null")
        }
        return Secret(secret)
      },
      saving: { secret, item in
        let change = try vault.set(name, to: secret, field: field, replacing: item)
        for oddity in SecretText.oddities(of: secret.bytes) {
          StandardError.note("the secret may not be what you meant: \(oddity)")
        }
        return change
      })
  }

  /// Lets the person edit all secrets of the item as one text.
  ///
  /// - Returns: The saved change; `nil` if nothing was changed.
  package func editAll() throws -> ItemChange? {
    let snapshot = try vault.read(only: [name])
    let item = snapshot[name]
    let document = try ItemDocument(item.map { try snapshot.secrets(of: $0) })
    if let item { snapshot.record([Usage(item, field: .all, verb: .edit, account: .stated)]) }
    if item == nil { StandardError.note("there is no such item yet: saving creates it") }
    if !document.leftOut.isEmpty {
      let names = document.leftOut.map(Sanitizer.visible).joined(separator: ", ")
      StandardError.note("not in the text, and kept as they are: \(names)")
    }
    let text = try document.text()
    return try run(
      text, replacing: item, named: nil,
      reading: { edited in
        if edited.isEqual(to: text) { return nil }
        guard edited.count > 0 else {
          throw CommandError(.empty, "the file is empty: nothing was saved")
        }
        let changes = try document.changes(in: edited)
        return changes.isEmpty ? nil : changes
      },
      saving: { try vault.change(name, $0, replacing: $1) })
  }

  /// Runs the editor until what it left is saved, or is nothing to be saved.
  ///
  /// - Parameters:
  ///   - text: The text before.
  ///   - item: The item when editing began.
  ///   - field: The field, for the name of the file.
  ///   - read: Makes of the edited text what is to be saved; `nil` if nothing was changed.
  ///   - save: Saves it, if the item is still the one that it gets.
  /// - Returns: The saved change; `nil` if nothing was changed.
  /// - Throws: ``TerminalError``, ``CommandError``, or what `save` throws.
  private func run<Change>(
    _ text: SecretBytes, replacing item: Item?, named field: String?,
    reading read: (SecretBytes) throws -> Change?,
    saving save: (Change, Item?) throws -> ItemChange
  ) throws -> ItemChange? {
    var text = text
    let editor = try chosenEditor()
    while true {
      let edited = try EditorRun.edit(
        text, with: editor,
        named: ([name.text] + (field.map { [$0] } ?? [])).joined(separator: "."),
        limit: Secret.maximumLength + (1 << 16))
      guard let change = try readable(edited, read) else { return nil }
      if case .value(let change) = change, let saved = try saved(change, replacing: item, save) {
        return saved
      }
      text = edited
    }
  }

  private enum Reading<Change> {
    case value(Change)
    /// The person wants to edit it again.
    case again
  }

  /// Reads what was edited; a text that cannot be read may be edited again.
  private func readable<Change>(
    _ edited: SecretBytes, _ read: (SecretBytes) throws -> Change?
  ) throws -> Reading<Change>? {
    do {
      return try read(edited).map { .value($0) }
    } catch let error as CommandError where error.code == .invalidValue {
      guard try answer(to: error) == .again else { throw error }
      return .again
    }
  }

  /// The user's editor, with a note if it may keep copies.
  private func chosenEditor() throws -> Editor {
    let editor = try Editor.chosen()
    guard !editor.needsTerminal || Prompt.isPossible else {
      throw CommandError(
        .noTerminal, "\(editor.name) needs a terminal, and there is none",
        hint: "without one: \(ProgramName.current) set NAME --stdin")
    }
    switch editor.copies {
    case .none: break
    case .kept:
      StandardError.note(
        "\(editor.name) may keep copies, in its history of files and of undone changes",
        hint: "EDITOR=vim and EDITOR=nano keep none")
    case .unknown:
      StandardError.note("\(editor.name) is not a known editor: it may keep copies")
    }
    return editor
  }

  /// Saves what was edited; a failure is not the end of it while there is somebody to ask.
  ///
  /// - Returns: `nil` to edit again.
  private func saved<Change>(
    _ change: Change, replacing item: Item?, _ save: (Change, Item?) throws -> ItemChange
  ) throws -> ItemChange? {
    var replaced = item
    while true {
      do {
        return try save(change, replaced)
      } catch {
        switch try answer(to: error) {
        case .giveUp: throw error
        case .again: return nil
        // What the other command stored stays in the history.
        case .overwrite: replaced = try? vault.item(name)
        }
      }
    }
  }

  /// The item and its secret when editing begins.
  private func current(_ field: String?) throws -> (Item?, SecretBytes?) {
    let snapshot = try vault.read(only: [name])
    guard let item = snapshot[name] else { return (nil, nil) }
    do {
      let secret = try snapshot.secret(of: item, field: field).bytes
      guard SecretText.isText(secret) else { throw CommandError.notTextForEditor }
      snapshot.record([Usage(item, field: .init(field), verb: .edit, account: .stated)])
      return (item, secret)
    } catch let error as CredentialError where error.code == .fieldNotFound {
      return (item, nil)
    }
  }

  /// Drops the newline that editors add to the last line, if the secret had none before.
  private static func withoutAddedNewline(
    _ edited: SecretBytes, before: SecretBytes?, _ keepsNewline: Bool
  ) throws -> SecretBytes {
    guard !keepsNewline else { return edited }
    guard let before else {
      return SecretText.isSingleLine(edited) ? try SecretInput.droppingNewline(edited) : edited
    }
    return before.endsWithNewline ? edited : try SecretInput.droppingNewline(edited)
  }

  private enum Answer { case giveUp, again, overwrite }

  /// Asks the person what to do after saving failed, because the text would be lost.
  private func answer(to error: any Error) throws -> Answer {
    let code = (error as? CredentialError)?.code
    // A secret that was stored, even if the disk did not confirm it, is not lost.
    guard Prompt.isPossible, code != .notDurable else { return .giveUp }
    let isChanged = code == .changedMeanwhile
    ErrorReport(error).write(asJSON: false)
    let question =
      isChanged
      ? "[s]ave yours over it (theirs stays in the history), [e]dit again, or [q]uit?"
      : "[e]dit again, or [q]uit and lose what you typed?"
    while true {
      guard let typed = try Prompt.line(question) else { return .giveUp }
      switch typed.withBytes({ $0.byteCount == 0 ? 0 : $0.byte(at: 0) | 0x20 }) {
      case UInt8(ascii: "s") where isChanged: return .overwrite
      case UInt8(ascii: "e"): return .again
      case UInt8(ascii: "q"): return .giveUp
      default: continue
      }
    }
  }
}
