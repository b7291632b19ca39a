import CVaultSodium

/// libsodium's initialization, and constants that Swift cannot import as macros.
package enum Sodium {
  private static let isReady = sodium_init() >= 0

  /// Initializes libsodium once.
  package static func initialize() throws(SealingError) {
    guard isReady else { throw SealingError(.unavailable, "libsodium could not be initialized") }
  }

  /// The version of the linked library, such as `1.0.18`.
  package static var version: String { unsafe String(cString: sodium_version_string()) }
}
