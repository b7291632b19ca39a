import VaultCredentials
import VaultOneTimeCodes
import VaultSealing
import VaultStorage

/// Addresses of one-time codes, one a line: `otpauth://…`, as most authenticators export them, and
/// `otpauth-migration://…`, the text of Google Authenticator's QR codes.
///
/// github.com/google/google-authenticator/wiki/Key-Uri-Format.
enum OTPAuthImport {
  static func read(_ bytes: [UInt8]) throws -> ImportReading {
    var rest = bytes[...]
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    guard let text = String(validating: rest, as: UTF8.self) else { throw SourceText.notUTF8() }
    var reading = ImportReading()
    var batches = Batches()
    for (number, part) in text.parts(at: "\n", keepsEmpty: true).enumerated() {
      let line = String(part).trimmingBlanks
      let origin = "line \(number + 1)"
      if line.isEmpty || line.begins(with: "#") { continue }
      let lowercase = line.lowercased()
      if lowercase.begins(with: "otpauth-migration://") {
        for code in try migration(line, origin, &batches, &reading) {
          add(try item(code, origin), to: &reading)
        }
      } else if lowercase.begins(with: "otpauth://") || lowercase.begins(with: "steam://") {
        add(try item(line, origin), to: &reading)
      } else {
        reading.lose(origin, "it is not the address of a one-time code")
      }
    }
    for (number, size) in batches.missing {
      reading.lose("QR code \(number + 1) of \(size)", "it is missing")
    }
    guard !reading.items.isEmpty || !reading.losses.isEmpty else {
      throw ExchangeError.unreadable("there are no addresses of one-time codes")
    }
    return reading
  }

  /// Adds the item of an address, unless no codes, or other ones, would be made of it.
  static func add(_ item: ImportedItem, to reading: inout ImportReading) {
    do {
      _ = try OneTimeGenerator(item.main)
      reading.add(item)
    } catch {
      let name = item.name.isEmpty ? "" : " (\(item.name))"
      let reason = (error as? OneTimeCodeError)?.message ?? "its seed cannot be read"
      reading.lose(item.origin + (item.name.isSame(as: item.origin) ? "" : name), reason)
    }
  }

  /// An item for an address; its name is the label, `Issuer:account`, with a folder for the issuer.
  private static func item(_ address: String, _ origin: String) throws -> ImportedItem {
    try item(
      (label: label(of: address), issuer: issuer(of: address), address: SecretBytes(text: address)),
      origin)
  }

  /// An item for an address and its label.
  ///
  /// - Parameters:
  ///   - code: The two, and who gave it, which may have a colon itself; empty if only the label says
  ///     so.
  ///   - origin: Where it stands in the file.
  /// - Returns: The item.
  /// - Throws: `SealingError`.
  static func item(
    _ code: (label: String, issuer: String, address: SecretBytes), _ origin: String
  ) throws -> ImportedItem {
    let isNamed = !code.issuer.isEmpty && code.label.begins(with: code.issuer + ":")
    let account = code.label.utf8.dropFirst(code.issuer.utf8.count + 1)
    let parts =
      isNamed
      ? [code.issuer, String(decoding: Array(account), as: UTF8.self)]
      : code.label.halves(at: ":").map { [String($0.before), String($0.after)] }
    let names = (parts ?? [code.label]).map { $0.trimmingBlanks.substituting("/", with: "-") }
    var item = ImportedItem(
      origin: origin, name: names.filter { !$0.isEmpty }.joined(separator: "/"), main: code.address)
    item.hasComposedName = true
    item.kind = .otp
    return item
  }

  /// The label of an address: the path behind `totp/`, or else the issuer of the query.
  private static func label(of address: String) -> String {
    let front = address.halves(at: "?")?.before ?? Substring(address)
    // otpauth: / / totp / label
    let label = front.parts(at: "/", keepsEmpty: true).dropFirst(3).joined(separator: "/")
    if let text = decoded(label[...]), !text.isEmpty { return text }
    return issuer(of: address)
  }

  /// The issuer that the query of an address names; empty if it names none.
  private static func issuer(of address: String) -> String {
    let query = address.halves(at: "?")?.after ?? ""
    let issuer = query.parts(at: "&").compactMap { $0.halves(at: "=") }
      .first { $0.before.isSame(as: "issuer") }?.after
    return issuer.flatMap(decoded) ?? ""
  }

  private static func decoded(_ text: Substring) -> String? {
    PercentEncoding.decoded(text).flatMap { String(validating: $0, as: UTF8.self) }
  }

  // MARK: Google Authenticator

  /// The QR codes of one export that have been read: it may have several.
  private struct Batches {
    /// By the id of the export: how many there are, and which have been read.
    private var known: [UInt64: (size: UInt64, read: Set<UInt64>)] = [:]

    mutating func add(id: UInt64, index: UInt64, size: UInt64) {
      known[id, default: (size, [])].read.insert(index)
    }

    var missing: [(number: UInt64, size: UInt64)] {
      known.sorted { $0.key < $1.key }.flatMap { _, batch in
        // Nobody has more than a hundred QR codes; a larger number is damage.
        (0..<min(batch.size, 100)).filter { !batch.read.contains($0) }.map { ($0, batch.size) }
      }
    }
  }

  private static func migration(
    _ line: String, _ origin: String, _ batches: inout Batches, _ reading: inout ImportReading
  ) throws -> [(label: String, issuer: String, address: SecretBytes)] {
    let data = line.halves(at: "?")?.after.parts(at: "&").compactMap { $0.halves(at: "=") }
      .first { $0.before.isSame(as: "data") }?.after
    guard let data, let text = decoded(data), let payload = try Base64.decoded(text) else {
      reading.lose(origin, "it has no readable data")
      return []
    }
    guard let fields = try? ProtocolBufferReader.fields(of: payload) else {
      reading.lose(origin, "its data is damaged")
      return []
    }
    // MigrationPayload: 1 otp_parameters, 3 batch_size, 4 batch_index, 5 batch_id.
    func number(_ tag: UInt64) -> UInt64? { fields.last { $0.tag == tag }?.number }
    batches.add(id: number(5) ?? 0, index: number(4) ?? 0, size: number(3) ?? 1)
    var codes: [(label: String, issuer: String, address: SecretBytes)] = []
    for field in fields where field.tag == 1 {
      guard let range = field.range, let code = try? parameters(payload.slice(range)) else {
        reading.lose(origin, "one of its codes is damaged")
        continue
      }
      codes.append(code)
    }
    return codes
  }

  private enum Damage: Error {
    case code
  }

  /// The address of one code.
  ///
  /// OtpParameters: 1 secret, 2 name, 3 issuer, 4 algorithm, 5 digits, 6 type, 7 counter.
  private static func parameters(
    _ message: SecretBytes
  ) throws -> (label: String, issuer: String, address: SecretBytes) {
    let fields = try ProtocolBufferReader.fields(of: message)
    func last(_ tag: UInt64) -> ProtocolBufferReader.Field? { fields.last { $0.tag == tag } }
    func text(_ tag: UInt64) -> String {
      last(tag)?.range.flatMap { range in message.withBytes { $0.text(range) } } ?? ""
    }
    guard let seed = last(1)?.range, !seed.isEmpty else { throw Damage.code }
    let (name, issuer) = (text(2), text(3))
    let hasIssuer = issuer.isEmpty || name.begins(with: issuer + ":")
    let label = hasIssuer ? name : "\(issuer):\(name)"
    let algorithm =
      switch last(4)?.number {
      case 2: "&algorithm=SHA256"
      case 3: "&algorithm=SHA512"
      case 4: "&algorithm=MD5"
      default: ""
      }
    let digits = last(5)?.number == 2 ? "&digits=8" : ""
    let isCounted = last(6)?.number == 1
    let counter = isCounted ? "&counter=\(last(7)?.number ?? 0)" : ""
    let from = issuer.isEmpty ? "" : "&issuer=\(PercentEncoding.encoded(issuer))"
    let address = try SecretBytes.joined([
      SecretBytes(
        text: "otpauth://\(isCounted ? "hotp" : "totp")/\(PercentEncoding.encoded(label))?secret="),
      Base32.encoded(message.slice(seed)),
      SecretBytes(text: from + algorithm + digits + counter),
    ])
    return (label, issuer, address)
  }
}
