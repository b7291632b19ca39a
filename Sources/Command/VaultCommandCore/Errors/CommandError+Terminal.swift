package import VaultTerminal

extension CommandError {
  /// A failure at the terminal in the command's words.
  package init(_ error: TerminalError) {
    self.init(
      Code(rawValue: error.code.rawValue) ?? .unexpected,
      error.code == .cancelled ? Self.cancelled.message : error.message,
      hint: error.remedy.map { Self.hint(for: $0, error.code) })
  }

  /// The command's error that `error` is, or that says the same; `nil` for errors of libraries with
  /// codes of their own.
  package init?(ownOrTerminal error: any Error) {
    switch error {
    case let error as CommandError: self = error
    case let error as TerminalError: self.init(error)
    default: return nil
    }
  }

  private static func hint(for remedy: TerminalError.Remedy, _ code: TerminalError.Code) -> String {
    switch remedy {
    case .useStreamOrFile: "use --stdin or --file"
    case .pasteElsewhere:
      "paste one line alone; a secret of several lines: \(ProgramName.current) edit NAME, or --stdin, "
        + "or --file PATH"
    case .keepElsewhere: "keep large files elsewhere and only their key in the vault"
    case .checkPath: "check the path that was given"
    case .checkInterpreter: "check its first line: #!/usr/bin/env …"
    case .useFiles: "give large ones as files: --as-file NAME, or --fd NAME"
    case .checkName: "check its name and PATH"
    case .giveInput: "give the line an input: … < FILE, or COMMAND | …"
    case .writeToFile where code == .tooLong: "write it to a file: --out FILE"
    case .writeToFile: "write it to a file with --out FILE"
    case .install(let program): "install \(program ?? "it")"
    case .installHelper:
      "install \(ProgramName.current) whole; the helper comes with it, for this directory"
    case .nameEditor: "name one: EDITOR=nano \(ProgramName.current) edit NAME"
    case .nameOtherEditor: "name another one: EDITOR=nano \(ProgramName.current) edit NAME"
    case .mountMemory:
      "mount a tmpfs at /dev/shm, or set XDG_RUNTIME_DIR to a folder of yours on one; "
        + "without: \(ProgramName.current) set NAME --stdin"
    case .leaveClipboardOut(let route):
      "--clipboard \(route.name) cannot be used here; leave it out to use one that can"
    case .useTerminalClipboard: "the display did not answer; on a terminal: --clipboard terminal"
    case .noDisplay:
      "there is neither a display nor a terminal with a clipboard; use --out FILE"
    }
  }
}
