public import VaultCredentials
public import VaultSealing
import VaultStorage

/// The main secrets of items as a file of variables for one program.
///
/// ```swift
/// let snapshot = try await vault.read()
/// let export = try EnvironmentExport(snapshot.items(), in: snapshot, as: .systemd)
/// for name in export.left { print("systemd cannot read the secret of \(name)") }
/// ```
public struct EnvironmentExport: Sendable {
  /// The file.
  public let document: SecretBytes
  /// Items whose secret the program cannot read from such a file; they are not in it.
  public let left: [ItemName]
  /// Items that would set a variable by which programs run other code; they are not in the file.
  public let steering: [ItemName]
  /// Items whose names have no letter that a variable may have; they are not in the document.
  public let nameless: [ItemName]
  /// Items whose further fields are not in the file.
  public let withFields: [ItemName]

  /// Exports items.
  ///
  /// The document is in clear. It is text that passes through ordinary memory.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - snapshot: The vault that they are in; secrets are opened one item at a time.
  ///   - file: The program that reads the file.
  ///   - naming: How their names become variables.
  ///   - progress: Called before each item with the number of those before it.
  /// - Throws: ``ExchangeError`` with code `.invalidRequest` if two items have the same variable;
  ///   `CredentialError` with code `.itemNotFound`, `.damaged`; `SealingError` with code
  ///   `.outOfMemory`.
  public init(
    _ items: [Item], in snapshot: VaultSnapshot, as file: EnvironmentFile,
    naming: DotenvExport.Naming = .wholeName, progress: (Int) -> Void = { _ in }
  ) throws {
    var text = ""
    var left: [ItemName] = []
    var steering: [ItemName] = []
    var nameless: [ItemName] = []
    var withFields: [ItemName] = []
    var names: [String: ItemName] = [:]
    for (number, item) in items.enumerated() {
      progress(number)
      let variable = EnvironmentVariable.name(
        forItem: item.name.text, attributes: item.attributes, isWhole: naming == .wholeName)
      // Whoever may change an item would choose what the file's readers run.
      guard !EnvironmentVariable.steersPrograms(variable) else {
        steering.append(item.name)
        continue
      }
      // Letters that no variable has leave nothing of such a name: `run` refuses it, too.
      guard EnvironmentVariable.isReadable(variable) else {
        nameless.append(item.name)
        continue
      }
      if let other = names.updateValue(item.name, forKey: variable) {
        throw ExchangeError(
          .invalidRequest, "'\(other.text)' and '\(item.name.text)' would both be \(variable)",
          remedy: .exportApartOrRename)
      }
      let whole = try snapshot.secrets(of: item)
      guard let value = whole.main.text, let line = file.line(variable, value) else {
        left.append(item.name)
        continue
      }
      if !whole.fields.isEmpty { withFields.append(item.name) }
      text += line + "\n"
    }
    document = try SecretBytes(text: text)
    (self.left, self.steering, self.withFields) = (left, steering, withFields)
    self.nameless = nameless
  }
}
