import VaultStorage

/// A protocol of another program that the command speaks.
package enum CredentialProtocol: String, CaseIterable, Sendable {
  case git, docker, aws, askpass, keyring

  /// The names of links to the command, and what each speaks: the one list of them.
  ///
  /// `scripts/links` has those that an installation makes; a test holds both equal. `keyring` is made
  /// by `vault connect pip` alone, since Python's own program has that name.
  package static func links(command: String) -> [(name: String, face: CredentialProtocol)] {
    [
      ("git-credential-\(command)", .git), ("docker-credential-\(command)", .docker),
      ("\(command)-askpass", .askpass),
    ]
  }

  /// The words by which the other program asks.
  package var actions: [String] {
    switch self {
    case .git: ["get", "store", "erase", "capability"]
    case .docker: ["get", "store", "erase", "list", "version"]
    case .keyring: ["get", "set", "del"]
    case .aws, .askpass: []
    }
  }

  /// What a link of this name speaks; `nil` where the name is the command's own.
  package init?(calledAs program: String) {
    let name = program.parts(at: "/").last.map(String.init) ?? program
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
