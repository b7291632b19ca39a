import VaultCommand
import VaultCommandCore
import VaultCredentials
import VaultExchange
import VaultOneTimeCodes
import VaultPreferences
import VaultProtocols
import VaultSealing
import VaultStorage
import VaultTerminal

/// A decoder of bytes that others may have written, with what must hold for each input.
///
/// `scripts/fuzz` compiles this folder into a fuzzer (`Tests/Fuzz`); ``FuzzInputTests`` runs the
/// kept inputs.
package struct FuzzTarget: Sendable {
  /// The name, and that of the folder of inputs in `Tests/Fuzz/Corpus`.
  package let name: String
  private let decode: @Sendable ([UInt8]) throws -> Void

  /// A target that decodes an input, and throws a ``Finding`` where something does not hold.
  package init(_ name: String, _ decode: @escaping @Sendable ([UInt8]) throws -> Void) {
    self.name = name
    self.decode = decode
  }

  /// Something that does not hold.
  struct Finding: Error, CustomStringConvertible {
    let description: String
  }

  /// All targets.
  package static let all =
    vaultFiles + exchange + propertyLists + texts + stores + sync + clearText

  /// Decodes an input; what is wrong with the answer, or `nil` for a value or one of our own
  /// errors.
  package func finding(in input: [UInt8]) -> String? {
    do {
      try Self.attempt { try decode(input) }
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// Lets our own errors pass: they are answers.
  static func attempt(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch is CommandError, is TerminalError, is CredentialError, is StorageError, is SealingError
    {
    } catch is ExchangeError, is ProtocolError {
    } catch is PreferenceError, is OneTimeCodeError, is CSVReader.Failure {
    }
  }

  /// - Throws: ``Finding`` if `condition` does not hold.
  static func check(_ condition: Bool, _ complaint: @autoclosure () -> String) throws {
    guard condition else { throw Finding(description: complaint()) }
  }

  /// The bytes as text; what is no UTF-8 is replaced.
  static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
