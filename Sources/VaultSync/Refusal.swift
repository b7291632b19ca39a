import VaultCredentials
import VaultSealing

/// Something of a record that no vault takes: it costs that property or item, and nothing else.
struct Refusal: Sendable, Hashable {
  let record: StreamID
  let sequence: UInt64
  /// The item, 16 bytes.
  let item: [UInt8]
  /// What is wrong.
  let what: String
}

extension PropertyKey {
  /// Why a value is not taken; `nil` if it is.
  func problem(with value: PropertyValue?) -> String? {
    switch (kind, value) {
    case (.name, .text(let name)?): ItemRules.problem(ofName: name)
    case (.secret, .secret(let secret)?): ItemRules.problem(ofSecret: secret.count, field: name)
    case (.secret, _): ItemRules.problem(ofSecret: 0, field: name)
    case (.attribute, .text(let text)?): ItemRules.problem(ofAttribute: name, value: text)
    case (.attribute, _): ItemRules.problem(ofAttribute: name, value: nil)
    case (.tag, _): ItemRules.problem(ofTag: name)
    case (.note, .text(let note)?): ItemRules.problem(ofNote: note)
    default: nil
    }
  }
}

extension SharedItem.Version {
  /// Why an earlier version is not taken; `nil` if it is.
  var problem: String? {
    let fields = fields.lazy.compactMap {
      ItemRules.problem(ofSecret: $0.value.count, field: $0.key)
    }
    return ItemRules.problem(ofSecret: main.count, field: "") ?? fields.first
      ?? (self.fields.count > ItemLimits.fields ? "too many fields" : nil)
  }
}

extension SyncError {
  /// What it means that something of a record is not taken.
  static func refused(_ refusal: Refusal, from label: String, of name: String?) -> SyncError {
    let item = name.map { "'\($0)'" } ?? "an item"
    return SyncError(
      .itemRefused, "'\(label)' gave \(item) \(refusal.what): that was left out",
      hint: "everything else is here; see what is wrong with that machine, or remove it")
  }
}
