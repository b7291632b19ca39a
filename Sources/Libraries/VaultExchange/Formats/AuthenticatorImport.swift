import VaultCredentials
import VaultSealing
import VaultStorage

/// The JSON of authenticators: Aegis, 2FAS and andOTP.
///
/// github.com/beemdevelopment/Aegis, "The vault"; github.com/twofas, schema version 4;
/// github.com/andOTP/andOTP, "Backup formats".
enum AuthenticatorImport {
  case aegis, twoFAS, andOTP

  /// A code as all of them describe it.
  private struct Code {
    var id: String?
    var issuer = ""
    var account = ""
    var seed = ""
    var kind = "totp"
    var algorithm = ""
    var digits = ""
    var period = ""
    var counter = ""
    var tags: [String] = []
    var note: String?
  }

  // Those whose codes can be made; Yandex' and mOTP's are made of a PIN, too.
  private static let kinds: Set<String> = ["totp", "hotp", "steam"]

  func read(_ bytes: [UInt8]) throws -> ImportReading {
    guard SourceText.looksLikeJSON(bytes) else {
      // andOTP's and Aegis' encrypted files are no text; their text exports have addresses.
      if String(validating: bytes, as: UTF8.self)?.contains(bytes: "otpauth://") == true {
        return try OTPAuthImport.read(bytes)
      }
      throw ExchangeError.unreadable("it is not JSON; if it is encrypted, export it as plain JSON")
    }
    let (root, repeated) = try JSONValue.document(bytes)
    var reading = ImportReading()
    for place in repeated { reading.lose(place, "a second member with this name") }
    for (number, code) in try codes(root).enumerated() {
      let origin = Self.label(code).isEmpty ? "code \(number + 1)" : Self.label(code)
      guard !code.seed.isEmpty else {
        reading.lose(origin, "it has no seed")
        continue
      }
      guard Self.kinds.contains(code.kind) else {
        reading.lose(
          origin, "its codes are of another kind, \(code.kind): other ones would be made")
        continue
      }
      OTPAuthImport.add(try Self.item(code, origin), to: &reading)
    }
    return reading
  }

  private func codes(_ root: JSONValue) throws -> [Code] {
    func encrypted() -> ExchangeError {
      ExchangeError(.encrypted, "the export is encrypted", remedy: .exportUnencrypted)
    }
    switch self {
    case .aegis:
      if case .string? = root["db"] { throw encrypted() }
      guard case .array(let entries)? = root["db"]?["entries"] else {
        throw ExchangeError.unreadable("there are no entries")
      }
      let groups = Self.names(root["db"]?["groups"], id: "uuid")
      return entries.map { entry in
        var code = Self.code(entry["info"])
        code.id = entry["uuid"]?.scalarText
        code.issuer = entry["issuer"]?.scalarText ?? ""
        code.account = entry["name"]?.scalarText ?? ""
        code.kind = entry["type"]?.scalarText?.lowercased() ?? "totp"
        code.note = entry["note"]?.scalarText
        code.tags = (entry["groups"]?.elements ?? []).compactMap(\.scalarText).map {
          groups[$0] ?? $0
        }
        if let group = entry["group"]?.scalarText { code.tags.append(group) }
        return code
      }
    case .twoFAS:
      if case .array(let services)? = root["services"], !services.isEmpty {
        let groups = Self.names(root["groups"], id: "id")
        return services.map { Self.service($0, groups) }
      }
      if root["servicesEncrypted"]?.scalarText?.isEmpty == false { throw encrypted() }
      guard root["services"] != nil else { throw ExchangeError.unreadable("there are no services") }
      return []
    case .andOTP:
      guard case .array(let entries) = root else {
        throw ExchangeError.unreadable("it is not a list")
      }
      return entries.map { entry in
        var code = Self.code(entry)
        code.issuer = entry["issuer"]?.scalarText ?? ""
        code.account = entry["label"]?.scalarText ?? ""
        code.kind = entry["type"]?.scalarText?.lowercased() ?? "totp"
        code.tags = (entry["tags"]?.elements ?? []).compactMap(\.scalarText)
        return code
      }
    }
  }

  private static func names(_ groups: JSONValue?, id: String) -> [String: String] {
    Dictionary(
      (groups?.elements ?? []).map { ($0[id]?.scalarText ?? "", $0["name"]?.scalarText ?? "") },
      uniquingKeysWith: { first, _ in first })
  }

  private static func service(_ service: JSONValue, _ groups: [String: String]) -> Code {
    let otp = service["otp"]
    var code = code(otp)
    code.seed = service["secret"]?.scalarText ?? ""
    let issuer = otp?["issuer"]?.scalarText ?? ""
    code.issuer = issuer.isEmpty ? service["name"]?.scalarText ?? "" : issuer
    let account = otp?["account"]?.scalarText ?? ""
    code.account = account.isEmpty ? otp?["label"]?.scalarText ?? "" : account
    code.kind = otp?["tokenType"]?.scalarText?.lowercased() ?? "totp"
    if let group = service["groupId"]?.scalarText { code.tags = [groups[group] ?? group] }
    return code
  }

  /// The parts that have the same names in all of these formats.
  private static func code(_ tree: JSONValue?) -> Code {
    var code = Code()
    code.seed = tree?["secret"]?.scalarText ?? ""
    code.algorithm = tree?["algo"]?.scalarText ?? tree?["algorithm"]?.scalarText ?? ""
    code.digits = tree?["digits"]?.scalarText ?? ""
    code.period = tree?["period"]?.scalarText ?? ""
    code.counter = tree?["counter"]?.scalarText ?? ""
    return code
  }

  private static func label(_ code: Code) -> String {
    let isNamed = code.issuer.isEmpty || code.account.begins(with: code.issuer + ":")
    let label = isNamed ? code.account : "\(code.issuer):\(code.account)"
    return label.ends(with: ":") ? String(label.dropLast()) : label
  }

  private static func item(_ code: Code, _ origin: String) throws -> ImportedItem {
    let type = code.kind.isSame(as: "hotp") ? "hotp" : "totp"
    var address = "otpauth://\(type)/\(PercentEncoding.encoded(label(code)))?secret="
    address += PercentEncoding.encoded(code.seed.substituting(" ", with: ""))
    func put(_ name: String, _ value: String, unless usual: String = "") {
      guard !value.isEmpty, !value.isSame(as: usual) else { return }
      address += "&\(name)=\(PercentEncoding.encoded(value))"
    }
    put("issuer", code.issuer)
    put("algorithm", code.algorithm.uppercased(), unless: "SHA1")
    if code.kind.isSame(as: "steam") {
      put("encoder", "steam")
    } else {
      put("digits", code.digits, unless: "6")
    }
    if type == "hotp" {
      put("counter", code.counter)
    } else {
      put("period", code.period, unless: "30")
    }
    var item = try OTPAuthImport.item(
      (label: label(code), issuer: code.issuer, address: SecretBytes(text: address)), origin)
    item.identify(code.id, in: "aegis")
    item.tags = code.tags.filter { !$0.isEmpty }
    try item.add("notes", code.note)
    return item
  }
}
