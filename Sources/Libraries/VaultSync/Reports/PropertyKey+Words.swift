extension PropertyKey {
  /// The property in words; `nil` for what no person changes by itself.
  var words: String? {
    switch kind {
    case .name: "name"
    case .secret: name.isEmpty ? "secret" : "field \(name)"
    case .attribute: name.utf8.starts(with: "vault:".utf8) ? nil : "attribute \(name)"
    case .tag: "tag \(name)"
    case .note: "note"
    case .expires: "expiry"
    case .trashed: "trash"
    case .kind: "kind"
    }
  }
}
