/// A step of unlocking a vault, for a person who asks why it does not open.
///
/// It holds no secret: sources by their kind, files by their path.
package enum UnlockStep: Sendable, Equatable, CustomStringConvertible {
  /// The vault file was read; these are its key slots.
  case file(String, slots: [KeySlot.Kind])
  /// A source has opened the vault.
  case opened(by: String)
  /// A source has nothing for this vault.
  case nothing(in: String)
  /// A source could not be read, or what it has opens no slot.
  case failed(String, why: String)

  /// The step as a line of a log.
  package var description: String {
    switch self {
    case .file(let path, let slots):
      "\(path) has key slots for: \(slots.map(\.words).joined(separator: ", "))"
    case .opened(let source): "\(source): opened the vault"
    case .nothing(let source): "\(source): nothing there for this vault"
    case .failed(let source, let why): "\(source): \(why)"
    }
  }
}
