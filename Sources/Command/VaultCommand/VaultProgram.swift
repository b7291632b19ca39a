import ArgumentParser
import Glibc
import VaultCommandCore
import VaultCredentials
import VaultProtocols
import VaultStorage
import VaultTerminal

/// The whole program, from its arguments to its exit status.
public enum VaultProgram {
  /// Runs the command with the process's arguments and ends the process.
  ///
  /// - Returns: Never.
  public static func main() -> Never {
    ProcessState.harden()
    PrivateVariables.adopt(EnvironmentNames.hidden)
    guard let words = RawArguments.all else { exit(reportMissingProc().code) }
    var arguments = words.map(RawArguments.shown)
    // execve(2) may leave out even the program's name.
    let program = arguments.isEmpty ? ProgramName.standard : arguments.removeFirst()
    // Before any text is made: each takes the name from here.
    ProgramName.adopt(program)
    // Which words are ours is asked only where it matters: that takes tables.
    guard
      words.allSatisfy(RawArguments.isText)
        || CommandLineParsing.ownWords(of: words).allSatisfy(RawArguments.isText)
    else {
      exit(reportBytes(asJSON: arguments.contains("--json")).code)
    }
    let called = String(program.lastComponent)
    if let tool = PropertyListLink(calledAs: called) { exit(tool.run(arguments).code) }
    // Typed behind the program's name, as other tools have it; no verb has such a name.
    if let tool = PropertyListLink(calledAs: arguments.first) {
      exit(tool.run(Array(arguments.dropFirst())).code)
    }
    // A link named `defaults` is macOS's command.
    if called == DefaultsCommand.verbName {
      arguments.insert(DefaultsCommand.verbName, at: 0)
    } else if let face = CredentialProtocol(calledAs: program) {
      arguments = [CredentialCommand.verbName, face.rawValue] + arguments
    }
    QuietTerminal.want()
    let status = run(arguments)
    QuietTerminal.end()
    exit(status.code)
  }

  /// Runs a line; everything that fails is told here, and nowhere else.
  static func run(_ typed: [String]) -> ExitStatus {
    defer {
      ProgressLine.end()
      Notices.tell(isAtEnd: true)
    }
    var arguments = typed
    do {
      try GuardClient.refuseOthers(CommandLineParsing.leadingOptions(typed).rest)
      if let line = FastPath(typed) {
        try line.run()
        return .done
      }
      arguments = CommandLineParsing.resolvingHabits(typed)
      if arguments != typed, let line = FastPath(arguments) {
        try line.run()
        return .done
      }
      if try answer(arguments) { return .done }
      var command = try CommandLineParsing.command(for: arguments, typed: typed)
      try command.run()
      return .done
    } catch let error as ExitStatusOnly {
      return error.status
    } catch {
      return report(error, arguments, typed: typed)
    }
  }

  /// Answers lines that ask for help in general; returns whether it did.
  private static func answer(_ arguments: [String]) throws -> Bool {
    let (options, rest) = CommandLineParsing.leadingOptions(arguments)
    switch Array(rest) {
    case []:
      try Overview(settings: GlobalOptions.parse(options).settings()).run()
    case ["help", HelpPage.optionsWord]:
      try StandardOutput.line(
        HelpPage.laidOut(HelpPage.commonOptions, to: StandardOutput.columns))
    case ["help", HelpPage.allWord], ["help"]:
      try StandardOutput.line(page(VaultTool.helpMessage()))
    default: return false
    }
    return true
  }

  private static func page(_ text: String) -> String {
    HelpPage.laidOut(HelpPage(text)?.text ?? text, to: StandardOutput.columns)
  }

  /// Without /proc the line itself is unknown.
  private static func reportMissingProc() -> ExitStatus {
    let report = ErrorReport(
      CommandError(
        .noProc, "/proc is not mounted here, and vault reads from it what it runs as and who asks",
        hint: "mount it: mount -t proc proc /proc"))
    report.write(asJSON: false)
    return report.status
  }

  /// With U+FFFD in their place two names would be one.
  private static func reportBytes(asJSON: Bool) -> ExitStatus {
    let report = ErrorReport(
      CommandError.usage(
        "an argument of the command line is not valid UTF-8",
        hint: "pass binary data through stdin or a file"))
    report.write(asJSON: asJSON)
    return report.status
  }

  private static func report(
    _ error: any Error, _ arguments: [String], typed: [String]
  ) -> ExitStatus {
    let options = arguments.prefix { $0 != "--" }
    var error = error
    if error is RunRequest.NoCommand {
      error = CommandLineParsing.missingCommand(in: arguments)
    } else if CommandLineParsing.isFromParser(error) {
      if CommandLineParsing.isAnswer(error) {
        do {
          try StandardOutput.line(page(VaultTool.fullMessage(for: error)))
          return .done
        } catch let failure {
          error = failure
        }
      } else {
        CommandLineParsing.adoptPlace(of: options)
        error = CommandLineParsing.usage(for: error, in: arguments, typed: typed)
      }
    }
    if let missing = error as? CredentialError, missing.code == .noVault,
      let other = OtherPlace(typed)
    {
      // The line of the hint names its own place.
      HintLine.adopt(vault: nil, home: nil)
      error = CommandError(.noVault, missing.message, hint: other.hint)
    }
    // A verb that refuses its line has not read which vault is meant.
    if !HintLine.isAdopted { CommandLineParsing.adoptPlace(of: options) }
    let report = ErrorReport(error)
    report.write(asJSON: options.contains("--json"))
    return report.status
  }
}
