package import FoundationEssentials
package import VaultCredentials
import VaultStorage
import VaultTerminal

extension Item {
  /// Says on stderr that the secret has expired, if it has.
  package func tellIfExpired(now: Date = Date()) {
    guard let expires, expires < now else { return }
    let day = Timestamp.text(expires).unicodeScalars.prefix { $0 != "T" }
    StandardError.note("note: \(Sanitizer.visible(name.text)) expired on \(String(day))")
  }
}
