package import VaultCredentials
package import VaultSealing
import VaultStorage

/// A secret that a program keeps in clear, in a file of the home.
package struct ClearTextSecret: Sendable {
  /// What tells it from the others in its file, and is none: a profile, an address, a user.
  package let entry: String
  /// The secret.
  package let main: SecretBytes
  /// What belongs to it and is secret, too.
  package var fields: [String: SecretBytes] = [:]
  /// Attributes that its item gets beside those of its form.
  var marks: [String: String] = [:]
  /// How the vault keeps it.
  let form: Form

  /// How the vault keeps a secret.
  enum Form: Sendable {
    /// As the helper of its program stores it; the attributes find it again.
    case request(any CredentialRequest, found: [String: String])
    /// As an item of these attributes, with a name of these parts.
    case item(parts: [String], attributes: [String: String], kind: Item.Kind)
  }

  init(_ entry: String, _ main: SecretBytes, _ form: Form) {
    (self.entry, self.main, self.form) = (entry, main, form)
  }
}

extension ClearTextSecret {
  /// The name of its item in a vault that has none of that name yet; `nil` where it has none of its
  /// own.
  package var itemName: ItemName? {
    guard case .store(let draft)? = try? changes(in: nil).first else { return nil }
    return draft.name
  }

  /// What stores the secret.
  ///
  /// - Parameter snapshot: The vault; `nil` if there is none.
  /// - Returns: The changes; none if the vault has it already.
  /// - Throws: ``ProtocolError``, `CredentialError`, `SealingError`.
  package func changes(in snapshot: VaultSnapshot?) throws -> [CredentialResponse.Change] {
    let known = snapshot.flatMap { item(in: $0) }
    if let known, let snapshot, try isHeld(by: known, in: snapshot) { return [] }
    switch form {
    case .request(let request, _):
      return try request.response(in: snapshot).changes.map { change in
        guard case .store(var draft) = change else { return change }
        draft.changes.attributes = (draft.changes.attributes ?? [:]).merging(marks) { $1 }
        return .store(draft)
      }
    case .item(let parts, let attributes, let kind):
      var changes = ItemChanges()
      changes.attributes = attributes
      changes.kind = kind
      let name =
        try known?.name
        ?? ServiceCredential.freeName(ServiceCredential.name(parts), in: snapshot)
      return [.store(ItemDraft(name, main: main, fields: fields, changes: changes))]
    }
  }

  /// Whether an item has the secret, and what belongs to it.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - snapshot: Its vault.
  /// - Returns: Whether nothing would be lost without the file.
  /// - Throws: `CredentialError` with code `.damaged`.
  package func isHeld(by item: Item, in snapshot: VaultSnapshot) throws -> Bool {
    let whole = try snapshot.secrets(of: item)
    return whole.main.bytes.isEqual(to: main)
      && fields.allSatisfy { whole.fields[$0.key]?.bytes.isEqual(to: $0.value) ?? false }
  }

  /// The item that has the secret, or had it before it was changed.
  ///
  /// - Parameter snapshot: The vault.
  /// - Returns: The newest one that has all attributes; `nil` if there is none.
  package func item(in snapshot: VaultSnapshot) -> Item? {
    let attributes =
      switch form {
      case .request(_, let found): found
      case .item(_, let attributes, _): attributes
      }
    var query = ItemQuery()
    query.attributes = attributes
    return snapshot.items(matching: query).filter { item in
      attributes.allSatisfy { ServiceCredential.isSame(item.attributes[$0.key], $0.value) }
    }.newest
  }
}

/// A secret that goes back into the file of its program.
package struct ClearTextValue {
  /// As ``ClearTextSecret/entry``.
  package let entry: String
  /// The secret, as text.
  package let main: String
  /// What else is secret.
  package let fields: [String: String]
  /// What is known beside the secrets.
  package let attributes: [String: String]

  package init(
    entry: String, main: String, fields: [String: String], attributes: [String: String]
  ) {
    (self.entry, self.main, self.fields, self.attributes) = (entry, main, fields, attributes)
  }
}

/// How a program writes its secrets into a file.
protocol ClearTextFormat {
  /// The secrets of a file, as far as they are understood.
  ///
  /// - Parameter text: The file.
  /// - Returns: The secrets, each with an entry of its own.
  /// - Throws: `SealingError`; ``ProtocolError`` with code `.configurationUnreadable`.
  static func secrets(in text: String) throws -> [ClearTextSecret]

  /// The file without some of them; all else stays as it is.
  ///
  /// - Parameters:
  ///   - entries: Which ones.
  ///   - text: The file.
  /// - Returns: The text; without anything but blanks if nothing is left.
  /// - Throws: ``ProtocolError`` with code `.configurationUnreadable`.
  static func removing(_ entries: Set<String>, from text: String) throws -> String

  /// The file with a secret again.
  ///
  /// - Parameters:
  ///   - value: The secret.
  ///   - text: The file; empty if there is none.
  /// - Returns: The text.
  /// - Throws: ``ProtocolError`` with code `.configurationUnreadable`.
  static func adding(_ value: ClearTextValue, to text: String) throws -> String

  /// The lines that may hold a secret, of a file from which all that are understood were taken out.
  ///
  /// - Parameter text: The file.
  /// - Returns: Their numbers, from 0 on, in their order.
  /// - Throws: ``ProtocolError`` with code `.configurationUnreadable`.
  static func doubtfulLines(in text: String) throws -> [Int]
}

extension ClearTextFormat {
  /// The lines, but for comments, of which something is true.
  static func lines(
    in text: String, comments: [String] = ["#", ";"], where isDoubtful: (String) -> Bool
  ) -> [Int] {
    text.parts(at: "\n", keepsEmpty: true).enumerated().compactMap { place, line in
      let line = line.trimmingBlanks
      return !comments.contains { line.begins(with: $0) } && isDoubtful(line) ? place : nil
    }
  }

  /// Whether a line sets one of some names to something, by `=` or `:`.
  static func sets(_ names: [String], _ line: String) -> Bool {
    let lower = line.lowercased()
    return names.contains { name in
      guard let place = lower.firstRange(ofBytes: name) else { return false }
      // Quotes may stand around the name, and around the value.
      let fillers: Set<UInt8> = [0x22, 0x27, 0x20, 0x09]
      let rest = lower[place.upperBound...].utf8.drop { fillers.contains($0) }
      guard rest.first == 0x3D || rest.first == 0x3A else { return false }
      let value = rest.dropFirst().drop { fillers.contains($0) }
      return !value.isEmpty && !value.starts(with: "${".utf8)
    }
  }
}

extension SecretEncoding {
  /// A text in this form.
  ///
  /// - Throws: ``ProtocolError`` with code `.notText`; `SealingError`.
  func word(_ text: String) throws -> String {
    try encode(SecretBytes(text: text)).text ?? text
  }
}

extension ClearTextSecret {
  /// The attribute of the variable that `run` puts an item into.
  static let variable = "variable"

  /// A secret that its program takes from a variable.
  ///
  /// - Parameters:
  ///   - entry: What tells it from others.
  ///   - secret: The secret.
  ///   - parts: The name, in parts.
  ///   - attributes: What finds the item again.
  ///   - variable: The variable.
  /// - Returns: The secret.
  /// - Throws: `SealingError`.
  static func inVariable(
    _ entry: String, _ secret: String, name parts: [String], _ attributes: [String: String],
    _ variable: String
  ) throws -> ClearTextSecret {
    ClearTextSecret(
      entry, try SecretBytes(text: secret),
      .item(
        parts: parts, attributes: attributes.merging([self.variable: variable]) { $1 },
        kind: .token))
  }

  /// The variable of a text: letters, digits and underscores, in upper case.
  static func variable(_ text: String) -> String {
    var name = ""
    for scalar in text.uppercased().unicodeScalars {
      let isKept = ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
      name.unicodeScalars.append(isKept ? scalar : "_")
    }
    return name
  }
}
