import ArgumentParser
import VaultCommandCore
import VaultStorage
import VaultSync
import VaultTerminal

/// `vault sync role`.
struct SyncRoleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "role", abstract: "Give a machine another role.",
    discussion: """
      A reader reads. A writer also changes items. An admin also invites machines, and removes those that came \
      later, but not owners. An owner may do all that, and removes everybody but an owner who came before.

      \(ProgramName.current) sync role desktop owner
      """)

  @Argument(help: "The machine's name, or the beginning of its id.")
  var device: String

  @Argument(
    help: "owner, admin, writer or reader.",
    completion: .list(["owner", "admin", "writer", "reader"]))
  var role: String

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let role = try Self.role(role)
    let (label, copies) = try settings.withSpace { space in
      let label = try space.setRole(role, of: device)
      return (label, try space.copies(of: label))
    }
    StandardError.note("\(StandardOutput.shown(label)) is \(role.phrase) from now on")
    for copy in copies where role < copy.role {
      let shown = StandardOutput.shown(copy.label)
      StandardError.warning(
        "\(shown) goes on from a copy of its home, and stays \(copy.role.phrase)",
        hint:
          "to give it the same role: \(ProgramName.current) sync role \(Quoting.typed(copy.label)) "
          + role.name)
    }
  }

  /// The role of a word.
  static func role(_ word: String) throws -> SyncRole {
    guard let role = SyncRole(name: word) else {
      throw CommandError.usage(
        "the role must be owner, admin, writer or reader",
        hint: "\(ProgramName.current) sync role NAME writer")
    }
    return role
  }
}

/// `vault sync admit`.
struct SyncAdmitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "admit",
    abstract: "Let a machine in whose invitation had ended before an admin's machine saw it.",
    discussion: """
      'sync now' names such machines. A machine that joins in time is let in by the next 'sync now' of an admin.

      \(ProgramName.current) sync admit desktop
      """)

  @Argument(help: "Its name, or the beginning of its id.")
  var device: String

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let label = try settings.withSpace { try $0.admit(device) }
    StandardError.note("\(StandardOutput.shown(label)) is in")
  }
}

extension SyncRole {
  /// The role with its article.
  fileprivate var phrase: String {
    switch self {
    case .reader, .writer: "a \(name)"
    case .admin, .owner: "an \(name)"
    }
  }
}
