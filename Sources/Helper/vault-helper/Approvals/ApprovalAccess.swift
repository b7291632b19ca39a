import VaultCredentials
import VaultDBus
import VaultStorage
import VaultTerminal

/// Who may answer the questions of a process that serves.
///
/// Everything else of the user could do so, too, by nature: it can run the same program on a terminal
/// of its own. What is kept away for certain is what lives behind a wall, or in a container; beside
/// that, what answers by accident: without a terminal, or as a part of the command that is served.
struct ApprovalAccess: Sendable {
  /// What is served: `guard`, `mcp`, `ssh-agent`, `keyring`.
  let serves: String
  /// The process that is served, whose descendants do not answer; `nil` where it is no one.
  let command: Int32?
  /// Whether that command may be hostile, and reads what is typed on its terminal.
  let isWalled: Bool
  /// How many seconds a person has.
  let patience: Int
  /// Folders in which a hostile program may write.
  var writable: [String] = []

  /// Why a process may not show questions; `nil` if it may.
  func refusal(of peer: LocalSocket.Peer) -> String? {
    guard peer.user == System.effectiveUser else { return "it is another user's" }
    if let command, GuardedProcess.isWithin(peer.process, below: command) {
      return "the command that is asked about does not answer for itself"
    }
    guard !GuardedProcess.isNested(peer.process) else {
      return "a program in another namespace of processes does not answer"
    }
    return nil
  }

  /// Why a process may not answer; `nil` if it may.
  func refusalOfAnswers(of peer: LocalSocket.Peer) -> String? {
    let terminal = UsageCaller(process: peer.process, user: peer.user).terminalDevice
    guard terminal != 0 else { return "an answer needs a terminal" }
    if isWalled, let command,
      UsageCaller(process: command, user: peer.user).terminalDevice == terminal
    {
      return "the command behind the wall reads this terminal: answer in another one"
    }
    return nil
  }
}

extension GuardedProcess {
  /// Whether a process lives in a namespace of processes below this one's: proc_pid_status(5),
  /// `NSpid`, which is there for everybody, also of a program that lets nobody look into it.
  static func isNested(_ process: Int32) -> Bool {
    guard let numbers = field("NSpid", of: process), let own = field("NSpid", of: nil) else {
      return true
    }
    return numbers.count != own.count
  }
}
