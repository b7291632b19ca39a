package import VaultSealing

/// One run of an editor on a file in memory, which is removed before the run returns.
package enum EditorRun {
  /// Lets a person edit `text`.
  ///
  /// - Parameters:
  ///   - text: The text before.
  ///   - editor: The editor, such as ``Editor/chosen()``.
  ///   - name: What the file is named after, such as an item; the editor shows it.
  ///   - limit: A longer file is refused.
  /// - Returns: The text as the editor left it.
  /// - Throws: ``TerminalError`` with code `.programMissing`, `.editorFailed`, `.tooLong`,
  ///   `.noMemoryFileSystem`, or `.cancelled` if the process was asked to end meanwhile.
  package static func edit(
    _ text: SecretBytes, with editor: Editor, named name: String, limit: Int
  ) throws -> SecretBytes {
    try EditorProcess.guarded { watch in
      let folder = try MemoryDirectory(fileNamed: name)
      defer { folder.remove() }
      try folder.write(text)
      // The editor's temporary files are removed with ours, unless its windows outlive the call.
      let variables = editor.copies == .kept ? [:] : ["TMPDIR": folder.path]
      let end = EditorProcess.run(
        editor.command + [folder.file], variables: variables, keeping: folder.lock, watch)
      if let error = failure(end, editor) { throw error }
      if watch.isToEnd { throw TerminalError.cancelled }
      return try folder.read(limit: limit)
    }
  }

  private static func failure(_ end: EditorProcess.End, _ editor: Editor) -> TerminalError? {
    switch end {
    case .done: nil
    case .notStarted, .failed(status: 127), .failed(status: 126):
      TerminalError(
        .programMissing, "\(editor.name) could not be started: nothing was saved", .nameOtherEditor)
    case .failed(let status):
      TerminalError(
        .editorFailed, "\(editor.name) ended with status \(status): nothing was saved")
    case .killed(let signal):
      TerminalError(.editorFailed, "signal \(signal) ended \(editor.name): nothing was saved")
    }
  }
}
