import FoundationEssentials
package import VaultCredentials
package import VaultOneTimeCodes
package import VaultSealing

/// A one-time code of an item.
///
/// The seed is in the field `otp`, where `set --otp` and the imports put it, or else in the main
/// secret.
package struct OneTimeCodeReading {
  /// The field for a seed.
  package static let field = "otp"

  package let generator: OneTimeGenerator
  package let code: OneTimeGenerator.Code

  /// Reads the seed and makes a code; a counter is moved on and stored first.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - field: The field of the seed, if it is not in its usual place.
  ///   - vault: The vault.
  ///   - verb: How the code is used, to be recorded.
  /// - Throws: `CredentialError` with code `.itemNotFound`, or `.fieldNotFound` if the item has no
  ///   seed; ``CommandError`` with code `invalid-seed`.
  package init(
    of name: ItemName, field: String?, in vault: UnlockedVault.Blocking,
    for verb: UsageRecord.Verb
  ) throws {
    let found = try FoundSeed(of: name, field: field, in: vault)
    let (seed, place) = (found.seed, found.field)
    let known = try Self.telling { try OneTimeGenerator(seed.bytes) }
    found.record(verb)
    switch known.kind {
    case .totp:
      generator = known
      code = try Self.telling {
        try known.code(at: Int64(Date().timeIntervalSince1970.rounded(.down)))
      }
    case .hotp:
      // The seed is read again under the writers' lock, so two commands never give the same code.
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

  /// The seed as an address, from which a phone makes the same codes.
  ///
  /// - Throws: As ``init(of:field:in:)``.
  package static func address(
    of name: ItemName, field: String?, in vault: UnlockedVault.Blocking
  ) throws -> SecretBytes {
    let found = try FoundSeed(of: name, field: field, in: vault)
    let seed = found.seed.bytes
    let address = try telling { try OneTimeGenerator(seed).address(from: seed, label: name.text) }
    found.record(.otp)
    return address
  }

  /// Turns an error of a seed into one of the command.
  package static func telling<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as OneTimeCodeError {
      throw CommandError(.invalidSeed, error.message, hint: error.hint)
    }
  }
}

/// The seed of an item, and where it was found.
private struct FoundSeed {
  let seed: Secret
  /// The field; `nil` for the main secret.
  let field: String?
  private let item: Item
  private let snapshot: VaultSnapshot

  init(of name: ItemName, field: String?, in vault: UnlockedVault.Blocking) throws {
    snapshot = try vault.read(only: [name])
    item = try snapshot.item(name)
    if let field {
      seed = try snapshot.secret(of: item, field: field)
      self.field = field
      return
    }
    do {
      seed = try snapshot.secret(of: item, field: OneTimeCodeReading.field)
      self.field = OneTimeCodeReading.field
    } catch let error as CredentialError where error.code == .fieldNotFound {
      seed = try snapshot.secret(of: item)
      self.field = nil
      guard OneTimeGenerator.isAddress(seed.bytes) || item.kind == .otp else {
        throw CredentialError(
          .fieldNotFound, "the item has no seed of one-time codes",
          hint: "store one: \(ProgramName.current) set NAME --otp, or say where it is: --field")
      }
    }
  }

  func record(_ verb: UsageRecord.Verb) {
    snapshot.record([Usage(item, field: .init(field), verb: verb, account: .stated)])
  }
}
