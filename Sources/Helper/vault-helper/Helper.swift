import CVaultLinux
import Glibc
import VaultCredentials
import VaultServerEngines
import VaultTerminal

/// The helper's own main function: its first argument says what it is to do.
enum Helper {
  static func main() -> Never {
    SignalMask.clear()
    let words = CommandLine.arguments.dropFirst()
    // What this process was given is not for those that it starts: the reader would wait for them.
    for number in words.compactMap({ Int32($0) }) where number > STDERR_FILENO {
      _ = cvault_fcntl(number, F_SETFD, Int(FD_CLOEXEC))
    }
    switch (words.first, words.dropFirst().map { Int32($0) }) {
    case (KeyringServing.verb?, let numbers) where numbers.count == 2 && !numbers.contains(nil):
      KeyringServing.run(orders: numbers[0] ?? -1, answers: numbers[1] ?? -1)
    case (KeyringServing.busVerb?, let numbers) where numbers.count == 1:
      KeyringServing.runOnBus(orders: numbers[0] ?? -1)
    case (KeyringServing.socketVerb?, let numbers) where numbers.count == 2:
      KeyringServing.runOnSocket(orders: numbers[0] ?? -1, listening: numbers[1] ?? -1)
    case (SSHServing.verb?, let numbers) where numbers.count == 2 && !numbers.contains(nil):
      SSHServing.run(orders: numbers[0] ?? -1, answers: numbers[1] ?? -1)
    case (SSHServing.pathVerb?, let numbers) where numbers.count == 1:
      SSHServing.runAtPath(orders: numbers[0] ?? -1)
    case (SSHServing.socketVerb?, let numbers) where numbers.count == 2:
      SSHServing.runOnSocket(orders: numbers[0] ?? -1, listening: numbers[1] ?? -1)
    case (GuardServing.verb?, let numbers) where numbers.count == 2 && !numbers.contains(nil):
      GuardServing.run(orders: numbers[0] ?? -1, answers: numbers[1] ?? -1)
    case (MCPServing.verb?, let numbers) where numbers.count == 1:
      MCPServing.run(orders: numbers[0] ?? -1)
    case (MCPCommand.keeperVerb?, let numbers) where numbers.count > 1 && numbers[0] != nil:
      MCPCommand.keep(numbers[0] ?? -1, RawArguments.last(numbers.count - 1))
    case (MCPCommand.commandVerb?, let numbers) where numbers.count > 1 && numbers[0] != nil:
      MCPCommand.become(numbers[0] ?? -1, RawArguments.last(numbers.count - 1))
    case (SSHKeyWork.verb?, let numbers) where numbers.count == 2 && !numbers.contains(nil):
      SSHKeyWork.run(orders: numbers[0] ?? -1, answers: numbers[1] ?? -1)
    case (SessionWatching.verb?, let numbers) where numbers.count == 1:
      SessionWatching.run(orders: numbers[0] ?? -1)
    case (HeldFiles.verb?, let numbers) where numbers.count == 2 && !numbers.contains(nil):
      FileHolding.run(orders: numbers[0] ?? -1, answers: numbers[1] ?? -1)
    case (BrowserServing.verb?, _): BrowserServing.run(Array(words.dropFirst()))
    case (EngineService.verb?, let numbers) where numbers.count == 1:
      EngineService.run(words.last ?? "")
    case (SocketFolder.cleaningVerb?, let numbers) where numbers.count >= 5:
      let words = Array(words)
      SocketFolder.cleanUp(
        numbers[1] ?? -1, words[4], in: numbers[2] ?? -1, after: numbers[0] ?? -1
      ) {
        ServingPermit.removeAll(ofProcess: numbers[4] ?? 0, in: Array(words[6...]))
        ApprovalPlace(in: ProcessState.variable("XDG_RUNTIME_DIR"), makes: false)?
          .remove(String(numbers[4] ?? 0))
      }
    default:
      // No more than this: `vault` is what people type.
      StandardError.write(
        "vault-helper: 'vault' starts it, as 'vault keyring serve' does; it is not started by hand\n"
      )
      exit(64)
    }
  }
}
