import ArgumentParser
import VaultCredentials
import VaultSealing
import VaultStorage
import VaultTerminal

/// `vault edit`.
struct EditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Change a secret in your editor.",
    discussion: """
      Opens $VISUAL or $EDITOR on a file in memory, with the editor's swap, backup and history files \
      turned off. The file is overwritten and removed afterwards, whatever happens. An unchanged or empty \
      file is not saved. The previous version is kept.

      \(ProgramName.current) edit tls/key
      \(ProgramName.current) edit work/github --field note
      """)

  @Argument(help: "The item; created if it does not exist.", completion: .live)
  var name: String

  @Option(
    name: [.long, .customShort("f")],
    help: ArgumentHelp("The field; the main secret if omitted.", valueName: "name"),
    completion: .live)
  var field: String?

  @Flag(help: "Keep a final newline that the secret did not have before.")
  var exact = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let name = try ItemName(name)
    try settings.withVault { vault in
      let session = EditingSession(
        vault: vault, name: name, field: field.flatMap { $0.isEmpty ? nil : $0 },
        keepsNewline: exact)
      guard let change = try session.run() else {
        StandardError.note("unchanged: nothing was saved")
        guard settings.writesJSON else { return }
        return try StandardOutput.write([("name", .string(name.text)), ("isChanged", .bool(false))])
      }
      if settings.writesJSON {
        try StandardOutput.write([
          ("name", .string(change.item.name.text)), ("isChanged", .bool(true)),
          ("isNew", .bool(change.isNew)),
          ("version", .number(Int64(clamping: change.item.version))),
          ("length", .number(Int64(change.fingerprint.length))),
          ("fingerprint", .string(change.fingerprint.hash)),
        ])
      } else {
        let version = change.isNew ? "" : ", version \(change.item.version)"
        StandardError.note(
          "stored\(version): \(change.fingerprint.length) bytes, "
            + "fingerprint \(change.fingerprint.hash)")
      }
    }
  }
}

/// Runs the editor and saves, again until saving succeeds or the person gives up.
private struct EditingSession {
  let vault: UnlockedVault.Blocking
  let name: ItemName
  let field: String?
  let keepsNewline: Bool

  /// The item when editing began.
  private struct State {
    var item: Item?
    var secret: SecretBytes?
  }

  /// - Returns: The saved change; `nil` if nothing was changed.
  func run() throws -> ItemChange? {
    let state = try current()
    let empty = try SecretBytes(copying: [])
    var text = state.secret ?? empty
    if state.secret == nil {
      StandardError.note(
        "there is no such \(state.item == nil ? "item" : "field") yet: saving creates it")
    }
    let editor = try chosenEditor()
    while true {
      let edited = try EditorRun.edit(text, with: editor, limit: Secret.maximumLength + 1)
      // From here on, this is the only copy of what the person typed.
      let secret = try withoutAddedNewline(edited, before: state.secret)
      if let before = state.secret, secret.isEqual(to: before) { return nil }
      guard secret.count > 0 else {
        guard state.secret != nil else { return nil }
        throw CommandError(
          .empty, "the file is empty: nothing was saved",
          hint: "to store an empty secret: \(ProgramName.current) set NAME --stdin < /dev/null")
      }
      if let change = try save(secret, replacing: state.item) { return change }
      text = edited
    }
  }

  /// The user's editor, with a note if it may keep copies.
  private func chosenEditor() throws -> Editor {
    let editor = try Editor.chosen()
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
  private func save(_ secret: SecretBytes, replacing item: Item?) throws -> ItemChange? {
    var replaced = item
    while true {
      do {
        let change = try vault.set(name, to: Secret(secret), field: field, replacing: replaced)
        for oddity in SecretText.oddities(of: secret) {
          StandardError.note("the secret may not be what you meant: \(oddity)")
        }
        return change
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

  private func current() throws -> State {
    do {
      let item = try vault.item(name)
      do {
        let secret = try vault.get(name, field: field).bytes
        guard SecretText.isText(secret) else {
          throw CommandError(
            .notText, "the secret is not text, and an editor would change it",
            hint:
              "'\(ProgramName.current) get NAME --out FILE' and '\(ProgramName.current) set NAME --file FILE'"
          )
        }
        return State(item: item, secret: secret)
      } catch let error as CredentialError where error.code == .fieldNotFound {
        return State(item: item)
      }
    } catch let error as CredentialError where error.code == .itemNotFound {
      return State()
    }
  }

  /// Drops the newline that editors add to the last line, if the secret had none before.
  private func withoutAddedNewline(
    _ edited: SecretBytes, before: SecretBytes?
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

extension SecretBytes {
  /// Whether the last byte is a newline.
  fileprivate var endsWithNewline: Bool {
    withBytes { $0.byteCount > 0 && $0.byte(at: $0.byteCount - 1) == 0x0A }
  }
}
