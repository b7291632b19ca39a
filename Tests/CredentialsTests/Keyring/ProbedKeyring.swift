import Foundation
import TestSupport

/// The keyring of a session, asked by a process of its own.
struct ProbedKeyring {
  let session: KeyringSession

  init(_ state: KeyringSession.State, seed: String? = nil) throws {
    session = try KeyringSession(state, seed: seed)
  }

  /// What one call of the package's seam came to.
  func ask(
    _ words: String..., input: Data = Data(), adding variables: [String: String] = [:]
  ) throws -> KeyringSession.Run {
    try session.run(
      KeyringSession.product("keyring-probe"), words, input: input, adding: variables)
  }

  /// How one secret is read.
  enum Way: CaseIterable {
    /// By libsecret alone.
    case library
    /// As the command does, which asks libsecret where its own lookup is not enough.
    case direct
  }

  /// What reading the secret of an item came to.
  func secret(_ service: String, _ name: String, by way: Way) throws -> KeyringSession.Run {
    switch way {
    case .library: try ask("secret", service, name)
    case .direct: try ask("--direct", "secret", service, name)
    }
  }

  /// What other programs see.
  func secretTool(_ words: String..., input: Data = Data()) throws -> KeyringSession.Run {
    try session.run("/usr/bin/secret-tool", words, input: input)
  }
}
