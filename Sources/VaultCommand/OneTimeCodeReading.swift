import FoundationEssentials
import VaultCredentials
import VaultOneTimeCodes
import VaultSealing

/// The code of an item's seed, from the vault.
///
/// The seed is in the field `otp`, where `set --otp` and the imports put it, or else it is the secret itself.
struct OneTimeCodeReading {
  /// The field that a seed is kept in.
  static let field = "otp"

  let generator: OneTimeGenerator
  let code: OneTimeGenerator.Code

  /// Reads the seed and makes its code; a count moves on and is stored before there is one.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - field: Where the seed is, if not in its usual place.
  ///   - vault: The open vault.
  /// - Throws: `CredentialError` with code `.itemNotFound`, or `.fieldNotFound` where the item has no seed;
  ///   ``CommandError`` with code `invalid-seed`.
  init(of name: ItemName, field: String?, in vault: UnlockedVault.Blocking) throws {
    let (seed, place) = try Self.seed(of: name, field: field, in: vault)
    let known = try Self.telling { try OneTimeGenerator(seed.bytes) }
    switch known.kind {
    case .totp:
      generator = known
      code = try Self.telling {
        try known.code(at: Int64(Date().timeIntervalSince1970.rounded(.down)))
      }
    case .hotp:
      // Read once more by the one writer: two commands at once never give the same code.
      (generator, code) = try vault.revise(name, field: place) { seed in
        try Self.telling {
          let current = try OneTimeGenerator(seed.bytes)
          let code = OneTimeGenerator.Code(
            text: try current.code(count: current.counter), secondsLeft: nil)
          return (Secret(try current.counted(seed.bytes)), (current, code))
        }
      }
    }
  }

  /// Says what is wrong with a seed in the command's words.
  static func telling<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as OneTimeCodeError {
      throw CommandError(.invalidSeed, error.message, hint: error.hint)
    }
  }

  private static func seed(
    of name: ItemName, field: String?, in vault: UnlockedVault.Blocking
  ) throws -> (Secret, field: String?) {
    if let field { return (try vault.get(name, field: field), field) }
    do {
      return (try vault.get(name, field: Self.field), Self.field)
    } catch let error as CredentialError where error.code == .fieldNotFound {
      let secret = try vault.get(name)
      guard try OneTimeGenerator.isAddress(secret.bytes) || vault.item(name).kind == .otp else {
        throw CredentialError(
          .fieldNotFound, "the item has no seed of one-time codes",
          hint: "store one: vault set NAME --otp, or say where it is: --field")
      }
      return (secret, nil)
    }
  }
}
