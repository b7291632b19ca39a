import VaultStorage

/// The program that wrote a document, by the members that only its exports have.
enum JSONSource {
  static func recognized(_ root: JSONValue) -> (name: String, format: ImportFormat)? {
    func hasList(_ name: String) -> Bool {
      if case .array? = root[name] { true } else { false }
    }
    func firstHas(_ list: JSONValue?, _ member: String) -> Bool {
      list?.elements.first?[member] != nil
    }
    if root["db"] != nil, root["header"] != nil { return ("Aegis", .aegis) }
    if hasList("services"), root["schemaVersion"] != nil { return ("2FAS", .twoFAS) }
    if root["encrypted"] != nil, hasList("items") || root["data"] != nil {
      return ("Bitwarden", .bitwarden)
    }
    if hasList("records"), hasList("shared_folders") || firstHas(root["records"], "title") {
      return ("Keeper", .keeper)
    }
    if hasList("items"), firstHas(root["items"], "template_type") { return ("Enpass", .enpass) }
    if root["vaults"] != nil, root["encrypted"] != nil || root["userId"] != nil {
      return ("Proton Pass", .protonPass)
    }
    if hasList("accounts"), firstHas(root["accounts"], "vaults") { return ("1Password", .onePUX) }
    if case .array(let list) = root, let first = list.first, first["secret"] != nil,
      first["type"] != nil, first["label"] != nil
    {
      return ("andOTP", .andOTP)
    }
    return nil
  }
}
