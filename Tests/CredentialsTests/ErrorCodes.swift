import VaultCredentials

func name(_ text: String) throws -> ItemName { try ItemName(text) }

/// Runs `body` and answers the code it failed with; `nil` if it did not fail.
func code(_ body: () throws -> Void) -> CredentialError.Code? {
  do {
    try body()
    return nil
  } catch let error as CredentialError {
    return error.code
  } catch {
    return CredentialError.Code(rawValue: "other: \(error)")
  }
}
