import VaultSealing
import VaultStorage

extension CredentialError {
  /// Runs `body`; what the storage throws comes out as the matching ``CredentialError``.
  static func fromStorage<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as StorageError {
      throw CredentialError(error)
    } catch let error as System.Failure {
      throw CredentialError(.inputOutput, "reading failed: \(error.reason)", underlying: error)
    }
  }

  init(_ error: StorageError) {
    let code: Code
    var hint: String?
    var remedies: [Remedy] = []
    switch error.code {
    case .notFound: code = .inputOutput
    case .refused:
      code = .unsafeFile
      hint =
        error.advice
        ?? "close it to others, or put it where only you can write; another user's vault: run the "
        + "command as that user (sudo -u USER)"
    case .accessDenied: code = .permissionDenied
    case .cannotCreate, .tooLarge: code = .cannotCreate
    case .notDurable:
      code = .notDurable
      hint = "try again when the disk works"
    case .busy:
      code = .busy
      hint = "another process is writing to it; try again"
    case .damaged:
      code = .damaged
      remedies = [.check, .recoverStore]
    case .newerVersion:
      code = .newerVersion
      hint = "install a newer version of this software to open it"
    case .noLocation:
      code = .configuration
      hint = error.recovery
    case .invalidName: code = .configuration
    default: code = .inputOutput
    }
    self.init(code, error.message, hint: hint, remedies: remedies, underlying: error)
  }
}
