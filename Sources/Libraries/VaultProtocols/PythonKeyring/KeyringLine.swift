/// A line of Python's `keyring` command.
///
/// keyring/cli.py.
///
/// Options can stand before or behind the other words. A service and a user may begin with a `-`,
/// so only words that are options to the letter count as such.
public struct KeyringLine: Equatable, Sendable {
  /// The words that `keyring` can begin with.
  public enum Action: String, Sendable { case get, set, del }

  /// The action.
  public let action: Action
  /// The service, often an address.
  public let service: String
  /// The user; `nil` if any user of the service will do.
  public let username: String?
  /// Whether the user's name is asked for, too.
  public let wantsBoth: Bool

  /// Reads a line.
  ///
  /// - Parameter words: The words behind `keyring`.
  /// - Throws: ``ProtocolError`` with code `.invalidRequest`.
  public init(_ words: [String]) throws(ProtocolError) {
    var mode = "password"
    var rest = words[...]
    Self.dropOptions(&rest, &mode)
    guard let action = rest.popFirst().flatMap(Action.init) else {
      throw Self.usage()
    }
    // keyring's own parser accepts options here, too; two words are a service and a user.
    if rest.count > 2 { Self.dropOptions(&rest, &mode) }
    guard let service = rest.popFirst() else { throw Self.usage() }
    if rest.first == "--mode", action == .get { Self.dropOptions(&rest, &mode) }
    let username = rest.popFirst()
    Self.dropOptions(&rest, &mode)
    guard rest.isEmpty, username != nil || (action == .get && mode == "creds") else {
      throw Self.usage()
    }
    (self.action, self.service, self.username) = (action, service, username)
    wantsBoth = mode == "creds"
  }

  private static func dropOptions(_ words: inout ArraySlice<String>, _ mode: inout String) {
    while let word = words.first, words.count > 1 {
      let value = words[words.startIndex + 1]
      if word == "--mode", ["password", "creds"].contains(value) {
        mode = value
      } else if word != "--output" || value != "plain" {
        return
      }
      words = words.dropFirst(2)
    }
  }

  private static func usage() -> ProtocolError {
    ProtocolError(
      .invalidRequest, "the line is not a valid keyring command", remedy: .keyringLine)
  }
}
