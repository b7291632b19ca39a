public import VaultCredentials
public import VaultSealing
import VaultStorage

/// The main secrets of items as `NAME='value'` lines.
///
/// Programs that read `.env` files disagree about quotes; the export chooses those that most of
/// them read alike, and says which of the others read another text.
public struct DotenvExport: Sendable {
  /// A difference between an item and its line.
  public enum Remark: Sendable {
    /// The item would set a variable by which programs run other code; it is not in the file.
    case isLeftOut(ItemName)
    /// The further fields of the item are not in the file.
    case leavesOutFields(ItemName)
    /// Some programs read another text.
    case isReadDifferently(ItemName, by: [String])
  }

  /// The part of an item's name that makes the variable.
  public enum Naming: Sendable {
    /// The whole name: `work/api-token` is `WORK_API_TOKEN`.
    case wholeName
    /// The last part: `work/api-token` is `API_TOKEN`. An attribute `variable` overrides it.
    case lastPart
  }

  /// The file.
  public let document: SecretBytes
  /// The differences, in the order of the items.
  public let remarks: [Remark]

  /// Exports items.
  ///
  /// The document is in clear. It is text that passes through ordinary memory.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - snapshot: The vault that they are in; secrets are opened one item at a time.
  ///   - naming: How their names become variables.
  ///   - progress: Called before each item with the number of those before it.
  /// - Throws: ``ExchangeError`` with code `.invalidRequest` if two items have the same variable,
  ///   or a secret is not text; `CredentialError` with code `.itemNotFound`, `.damaged`;
  ///   `SealingError` with code `.outOfMemory`.
  public init(
    _ items: [Item], in snapshot: VaultSnapshot, naming: Naming = .wholeName,
    progress: (Int) -> Void = { _ in }
  ) throws {
    var text = ""
    var remarks: [Remark] = []
    var names: [String: ItemName] = [:]
    for (number, item) in items.enumerated() {
      progress(number)
      let name = item.name
      let variable = EnvironmentVariable.name(
        forItem: name.text, attributes: item.attributes, isWhole: naming == .wholeName)
      // Whoever may change an item would choose what the file's readers run.
      guard !EnvironmentVariable.steersPrograms(variable) else {
        remarks.append(.isLeftOut(name))
        continue
      }
      if let other = names[variable] {
        throw ExchangeError(
          .invalidRequest, "'\(other.text)' and '\(name.text)' would both be \(variable)",
          remedy: .exportApartOrRename)
      }
      names[variable] = name
      let whole = try snapshot.secrets(of: item)
      guard let value = whole.main.text, !value.utf8.contains(0) else {
        throw ExchangeError(
          .invalidRequest, "'\(name.text)' is not text, which a .env file requires",
          remedy: .exportJSON)
      }
      if !whole.fields.isEmpty { remarks.append(.leavesOutFields(name)) }
      let quoted = DotenvQuoting(value)
      let others = DotenvQuoting.Reader.allCases.filter { !quoted.readers.contains($0) }
      if !others.isEmpty {
        remarks.append(.isReadDifferently(name, by: others.map(\.rawValue)))
      }
      text += "\(variable)=\(quoted.text)\n"
    }
    document = try SecretBytes(text: text)
    self.remarks = remarks
  }
}
