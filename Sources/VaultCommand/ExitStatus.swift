import VaultCredentials
import VaultExchange
import VaultSealing
import VaultStorage
import VaultTerminal

/// What the command tells its caller by its exit status; never renumbered.
///
/// sysexits.h.
package struct ExitStatus: Hashable, Sendable {
  /// The number.
  package let code: Int32

  /// Done.
  package static let done = ExitStatus(code: 0)
  /// Not found, or a command's own no.
  package static let no = ExitStatus(code: 1)
  /// The line was wrong.
  package static let usage = ExitStatus(code: 64)
  /// Damaged, tampered with, rolled back, forked, or sealed too weakly.
  package static let damaged = ExitStatus(code: 65)
  /// A service is out of reach.
  package static let unavailable = ExitStatus(code: 69)
  /// Something cannot be made.
  package static let cannotCreate = ExitStatus(code: 73)
  /// Reading or writing failed.
  package static let inputOutput = ExitStatus(code: 74)
  /// Try again.
  package static let busy = ExitStatus(code: 75)
  /// Locked, wrong passphrase, or the system refused.
  package static let noPermission = ExitStatus(code: 77)
  /// There is no vault, or a setting makes no sense.
  package static let configuration = ExitStatus(code: 78)
  /// The command of `vault run` cannot be executed.
  package static let commandNotExecutable = ExitStatus(code: 126)
  /// The command of `vault run` was not found.
  package static let commandNotFound = ExitStatus(code: 127)
  /// The person gave up.
  package static let interrupted = ExitStatus(code: 130)

  /// The status of an error: the one place where codes become numbers.
  static func of(_ error: any Error) -> ExitStatus {
    switch error {
    case let error as CommandError: return error.status
    case let error as TerminalError: return CommandError(error).status
    case let error as CredentialError: return of(error.code)
    case let error as ExchangeError: return of(error.code)
    case let error as StorageError: return of(error.code)
    case let error as SealingError: return of(error.code)
    default: return .inputOutput
    }
  }

  private static func of(_ code: CredentialError.Code) -> ExitStatus {
    // Each state of the keyring has a code of its own: there and locked, or out of reach.
    if code.isAboutKeyring { return code.isLockedKeyring ? .noPermission : .unavailable }
    return switch code {
    case .itemNotFound, .fieldNotFound, .versionNotFound, .slotNotFound, .itemExists, .lastSlot:
      .no
    case .invalidName, .invalidValue: .usage
    case .damaged, .rolledBack, .forked, .otherVault, .weakSlot: .damaged
    case .copyRemains: .unavailable
    case .cannotCreate, .vaultExists: .cannotCreate
    case .inputOutput, .notDurable: .inputOutput
    case .busy, .changedMeanwhile: .busy
    case .locked, .wrongKey, .unsafeFile, .permissionDenied: .noPermission
    case .noVault, .newerVersion, .configuration: .configuration
    case .cancelled: .interrupted
    // The keyring's states have codes of their own: locked, or out of reach.
    case _ where code.isLockedKeyring: .noPermission
    case _ where code.isAboutKeyring: .unavailable
    default: .inputOutput
    }
  }

  private static func of(_ code: ExchangeError.Code) -> ExitStatus {
    code == .invalidRequest ? .usage : .damaged
  }

  private static func of(_ code: StorageError.Code) -> ExitStatus {
    switch code {
    case .notFound: .no
    case .refused, .accessDenied: .noPermission
    case .cannotCreate, .tooLarge: .cannotCreate
    case .busy: .busy
    case .damaged, .unknownStore: .damaged
    case .newerVersion, .noLocation, .invalidName: .configuration
    case .invalidQuery: .usage
    case .interrupted: .interrupted
    default: .inputOutput
    }
  }

  private static func of(_ code: SealingError.Code) -> ExitStatus {
    code == .outOfMemory ? .unavailable : .damaged
  }
}
