import VaultCredentials
import VaultSealing
import VaultStorage

/// One run of the editor on a file in memory, which is gone before anything else happens.
enum EditorRun {
  /// Lets a person edit `text`.
  ///
  /// - Returns: The text as the editor left it.
  /// - Throws: ``CommandError`` with code `program-missing`, `editor-failed`, `no-memory-file-system`,
  ///   `too-long`.
  static func edit(_ text: SecretBytes) throws -> SecretBytes {
    let editor = try chosen()
    switch editor.copies {
    case .none: break
    case .kept:
      StandardError.note(
        "\(editor.name) may keep copies of its own, in its history of files and of undone changes",
        hint: "EDITOR=vim and EDITOR=nano keep none")
    case .unknown:
      StandardError.note("whether \(editor.name) keeps copies of what it edits is not known here")
    }
    return try EditorProcess.guarded { watch in
      let folder = try MemoryDirectory()
      defer { folder.remove() }
      try folder.write(text)
      // Temporary files of the editor go with ours; one with windows of its own may outlive them.
      let variables = editor.copies == .kept ? [:] : ["TMPDIR": folder.path]
      let end = EditorProcess.run(
        editor.command + [folder.file], variables: variables, keeping: folder.lock, watch)
      if let error = failure(end, editor) { throw error }
      if watch.isToEnd { throw CommandError.cancelled }
      return try folder.read(limit: Secret.maximumLength + 1)
    }
  }

  private static func chosen() throws -> Editor {
    for name in ["VISUAL", "EDITOR"] {
      if let text = ProcessState.variable(name), text.utf8.contains(where: { $0 != 0x20 }) {
        return Editor(text, resolve: ProcessState.resolvedProgram)
      }
    }
    guard let usual = Editor.usual.first(where: ProcessState.hasProgram) else {
      throw CommandError(
        "program-missing", "there is no editor",
        hint: "say which one: EDITOR=nano vault edit NAME", status: .unavailable)
    }
    return Editor(usual, resolve: ProcessState.resolvedProgram)
  }

  private static func failure(_ end: EditorProcess.End, _ editor: Editor) -> CommandError? {
    switch end {
    case .done: nil
    case .notStarted, .failed(status: 127), .failed(status: 126):
      CommandError(
        "program-missing", "\(editor.name) could not be started: nothing was saved",
        hint: "say which editor: EDITOR=nano vault edit NAME", status: .unavailable)
    case .failed(let status):
      CommandError(
        "editor-failed", "\(editor.name) ended with status \(status): nothing was saved",
        status: .no)
    case .killed(let signal):
      CommandError(
        "editor-failed", "signal \(signal) ended \(editor.name): nothing was saved", status: .no)
    }
  }
}
