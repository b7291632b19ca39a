import VaultStorage

/// A program whose credential protocol this module speaks.
public enum CredentialProtocol: String, CaseIterable, Sendable {
  /// git's credential helper.
  case git
  /// The credential helper of docker and podman.
  case docker
  /// AWS's `credential_process`.
  case aws
  /// The askpass program of ssh, git and sudo.
  case askpass
  /// Python's `keyring`.
  case keyring
  /// kubectl's `exec` plugin.
  case kubectl

  /// Returns the names of links to a command, with the protocol that each stands for.
  ///
  /// `scripts/links` makes these, and a test holds both equal. A link called `keyring` is made
  /// separately, because Python's own program has that name.
  ///
  /// - Parameter command: The name of the command.
  /// - Returns: The names and their protocols.
  public static func links(command: String) -> [(name: String, face: CredentialProtocol)] {
    [
      ("git-credential-\(command)", .git), ("docker-credential-\(command)", .docker),
      ("\(command)-askpass", .askpass),
    ]
  }

  /// The words with which the program asks.
  public var actions: [String] {
    switch self {
    case .git: ["get", "store", "erase", "capability"]
    case .docker: ["get", "store", "erase", "list", "version"]
    case .keyring: ["get", "set", "del"]
    case .aws, .askpass, .kubectl: []
    }
  }

  /// Finds the protocol for the name of a link; returns `nil` if the name stands for none.
  ///
  /// - Parameter program: The name or path by which the command was called.
  public init?(calledAs program: String) {
    let name = program.lastComponent
    if name == "keyring" {
      self = .keyring
    } else if name.begins(with: "git-credential-") {
      self = .git
    } else if name.begins(with: "docker-credential-") {
      self = .docker
    } else if name.ends(with: "-askpass") {
      self = .askpass
    } else {
      return nil
    }
  }
}
