import VaultSealing

extension UnlockedVault.Blocking {
  /// Replaces a secret by what `change` makes of it, with no other writer in between.
  ///
  /// It stays the same version, written when it was, and what was there before is not kept: for a count that
  /// moves on with each use, whose earlier states nobody wants back. When this returns, the change is on the
  /// disk; if it throws, nothing has changed.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - field: One of its further fields; `nil` for the main secret.
  ///   - change: Makes the new secret of the one that is there.
  /// - Returns: What `change` returns beside it.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, `.fieldNotFound`, or what writing or `change` throws.
  package func revise<Result>(
    _ name: ItemName, field: String? = nil, _ change: (Secret) throws -> (Secret, Result)
  ) throws -> Result {
    let field = field.flatMap { $0.isEmpty ? nil : $0 }
    let (record, result) = try vault.commit { draft in
      let position = try draft.requirePosition(of: name)
      var contents = try draft.contents(at: position)
      let (secret, result) = try change(try contents.secret(field: field))
      if let field {
        contents.fields[field] = secret.bytes
      } else {
        contents.main = secret.bytes
        draft.copyIsOutdated(at: position)
      }
      try draft.seal(contents, at: position)
      return (draft.index.items[position], result)
    }
    if field == nil { _ = try vault.synchroniseCopies(after: record) }
    return result
  }
}
