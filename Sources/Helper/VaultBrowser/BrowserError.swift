/// What the extension is told in the place of an answer.
///
/// The numbers are those of KeePassXC and of the extension: keepassxc-browser,
/// `background/client.js`.
package enum BrowserError: Int, Error, Sendable {
  case locked = 1
  case noPublicKey = 3
  case unreadable = 4
  case denied = 6
  case cannotSeal = 7
  case associationFailed = 8
  case keyChangeFailed = 9
  case notSupported = 12
  case empty = 13
  case noAddress = 14
  case noLogins = 15
  case noGroup = 17
  case unknownItem = 18

  /// The message, which the extension shows.
  var message: String {
    switch self {
    case .locked: "the vault is locked"
    case .noPublicKey: "the extension has sent no key"
    case .unreadable: "the message cannot be read"
    case .denied: "it was not allowed"
    case .cannotSeal: "the answer cannot be sealed"
    case .associationFailed: "this browser is not associated with the vault"
    case .keyChangeFailed: "the key of the extension is none"
    case .notSupported: "the vault does not support this"
    case .empty: "the message is no JSON object"
    case .noAddress: "the address is none of a site"
    case .noLogins: "the vault has no login for this site"
    case .noGroup: "that is no name of a folder"
    case .unknownItem: "the vault has no such login for this site"
    }
  }
}
