import VaultSealing

/// The receiving side of D-Bus' authentication, line by line.
///
/// The one mechanism is `EXTERNAL`: the kernel has said who the peer is, and the peer names the
/// user that it wants to be. D-Bus specification, "Authentication Protocol".
package struct Authentication {
  /// What follows a line.
  package enum Step: Equatable {
    /// The peer gets this line.
    case answer(String)
    /// Messages begin.
    case begin
    /// The connection is closed.
    case refuse
  }

  /// The most bytes of a line.
  package static let maximumLine = 16 << 10
  /// The number of lines that a peer may need.
  private static let maximumLines = 32

  private let id: String
  private let user: UInt32
  private let isSameUser: Bool
  private var lines = 0
  private var awaitsData = false
  private var isAuthenticated = false

  /// The state before the first line.
  ///
  /// - Parameters:
  ///   - id: The id of the server, 32 hex digits.
  ///   - peer: The user at the other end, as the kernel knows it.
  ///   - user: The only user who may connect.
  package init(id: String, peer: UInt32, user: UInt32) {
    self.id = id
    self.user = peer
    isSameUser = peer == user
  }

  /// Takes one line, without its end.
  package mutating func receive(_ line: String) -> Step {
    lines += 1
    guard lines <= Self.maximumLines else { return .refuse }
    let words = line.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
      .map { String(decoding: Array($0), as: UTF8.self) }
    switch (words[0], words.count) {
    case ("AUTH", 2...) where words[1] == "EXTERNAL" && !isAuthenticated:
      if words.count == 2 {
        awaitsData = true
        return .answer("DATA")
      }
      return authenticate(words[2])
    case ("AUTH", _): return reject()
    case ("DATA", _) where awaitsData: return authenticate(words.count > 1 ? words[1] : "")
    case ("CANCEL", 1), ("ERROR", _): return reject()
    case ("BEGIN", 1): return isAuthenticated ? .begin : .refuse
    // Descriptors are never passed here.
    case ("NEGOTIATE_UNIX_FD", 1): return .answer("ERROR descriptors are not passed")
    default: return .answer("ERROR unknown command")
    }
  }

  private mutating func authenticate(_ hex: String) -> Step {
    awaitsData = false
    // Nobody named is the user whom the kernel names.
    let wanted = Array(hex.utf8).isEmpty ? String(user) : Self.text(hex)
    guard isSameUser, wanted == String(user) else { return reject() }
    isAuthenticated = true
    return .answer("OK \(id)")
  }

  private mutating func reject() -> Step {
    (awaitsData, isAuthenticated) = (false, false)
    return .answer("REJECTED EXTERNAL")
  }

  private static func text(_ hex: String) -> String? {
    Hexadecimal.bytes(hex).map { String(decoding: $0, as: UTF8.self) }
  }
}
