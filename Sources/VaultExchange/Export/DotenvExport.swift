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
    /// The further fields of the item are not in the file.
    case leavesOutFields(ItemName)
    /// Some programs read another text.
    case isReadDifferently(ItemName, by: [String])
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
  ///   - items: The items. An item `work/api-token` becomes `WORK_API_TOKEN`.
  ///   - snapshot: The vault that they are in; secrets are opened one item at a time.
  ///   - progress: Called before each item with the number of those before it.
  /// - Throws: ``ExchangeError`` with code `.invalidRequest` if two items have the same variable,
  ///   or a secret is not text; `CredentialError` with code `.itemNotFound`, `.damaged`;
  ///   `SealingError` with code `.outOfMemory`.
  public init(
    _ items: [Item], in snapshot: VaultSnapshot, progress: (Int) -> Void = { _ in }
  ) throws {
    var text = ""
    var remarks: [Remark] = []
    var names: [String: ItemName] = [:]
    for (number, item) in items.enumerated() {
      progress(number)
      let name = item.name
      let variable = Self.variable(name.text)
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

  /// Returns the variable for an item: `work/api-token` is `WORK_API_TOKEN`.
  private static func variable(_ name: String) -> String {
    var text = ""
    for scalar in name.uppercased().unicodeScalars {
      let isPlain =
        scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
      text.unicodeScalars.append(isPlain ? scalar : "_")
    }
    return text.utf8.first.map { (0x30...0x39).contains($0) } == true ? "_" + text : text
  }
}
