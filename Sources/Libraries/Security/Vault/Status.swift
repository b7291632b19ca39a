import VaultCredentials
import VaultSealing
import VaultStorage

extension OSStatus {
  /// The code of Apple's for what went wrong.
  init(_ error: any Error) {
    switch error {
    case let refusal as Refusal: self = refusal.status
    case let error as CredentialError: self = Self.code(of: error)
    case let error as StorageError: self = error.code == .noLocation ? errSecNotAvailable : errSecIO
    case is SealingError: self = errSecAllocate
    default: self = errSecInternalComponent
    }
  }

  private static func code(of error: CredentialError) -> OSStatus {
    switch error.code {
    case .itemNotFound, .fieldNotFound, .versionNotFound, .slotNotFound: errSecItemNotFound
    case .itemExists, .vaultExists: errSecDuplicateItem
    case .noVault: errSecNotAvailable
    // The key file that is named is not there: nothing at hand opens the vault.
    case .locked, .fileNotFound: errSecInteractionNotAllowed
    case .wrongKey, .permissionDenied, .unsafeFile, .weakSlot: errSecAuthFailed
    case .invalidName, .invalidValue: errSecParam
    case .configuration: errSecNoSuchKeychain
    case .damaged: errSecDecode
    case .rolledBack, .forked, .otherVault: errSecInvalidKeychain
    case .newerVersion: errSecWrongSecVersion
    case .busy, .changedMeanwhile: errSecServiceNotAvailable
    case .cannotCreate: errSecDiskFull
    case .cancelled: errSecUserCanceled
    // The item is gone from the vault; its copy goes when the keyring answers again.
    case .copyRemains: errSecSuccess
    case let code where code.rawValue == "keyring-prompt-dismissed": errSecUserCanceled
    case let code where code.isAboutKeyring: errSecInteractionNotAllowed
    default: errSecIO
    }
  }
}
