package import VaultSealing
package import VaultStorage
package import VaultTerminal

extension Clipboard {
  /// Copies a secret, and warns if it will stay on the clipboard although it should not.
  package func copyAndWarn(_ secret: SecretBytes) throws -> Copy {
    let copy = try copy(secret)
    if copy.isLeftBehind {
      StandardError.note("it will not be cleared: no process could be started")
    }
    return copy
  }
}

extension Clipboard.Copy {
  /// Says where the secret is, and for how long.
  package func tell() {
    switch (route.canBeRead, clearsAfter.map(TimeSpan.text)) {
    case (true, let time?):
      StandardError.note("copied; cleared in \(time), if it is still there then")
    case (true, nil): StandardError.note("copied; it stays until something else is copied")
    case (false, let time?):
      StandardError.note(
        "copied through the terminal, which confirms nothing; the clipboard is cleared in \(time)")
    case (false, nil):
      StandardError.note(
        "copied through the terminal, which confirms nothing")
    }
  }

  /// The members of `--json`.
  package var members: [(String, JSONValue)] {
    [
      ("clipboard", .string(route.name)), ("isMarkedSecret", .bool(isMarked)),
      ("clearsAfter", clearsAfter.map { .number(Int64($0)) } ?? .null),
    ]
  }
}
