import Foundation
import VaultCredentials

/// An attribute of the Keychain: what an item calls it, and what its values are.
struct ItemAttribute: Sendable {
  /// How values are written in an item.
  enum Form: Sendable {
    /// Text; bytes where a program gives bytes.
    case text
    /// Bytes, as text where they are UTF-8.
    case bytes
    /// A number, decimal; 0 where there is none.
    case number
    /// Written where it is true.
    case flag
    /// Text for one of Apple's codes; any other text stays as it is, unless only codes are taken.
    case code(CodedNames, isClosed: Bool)
  }

  /// Apple's key.
  let key: String
  /// The item's.
  let name: String
  let form: Form

  /// The attributes that items have, but for the note, times and the class.
  static let all: [ItemAttribute] = [
    ItemAttribute(key: kSecAttrAccount, name: "account", form: .text),
    ItemAttribute(key: kSecAttrService, name: "service", form: .text),
    ItemAttribute(key: kSecAttrServer, name: "server", form: .text),
    ItemAttribute(
      key: kSecAttrProtocol, name: "protocol", form: .code(.protocols, isClosed: false)),
    ItemAttribute(key: kSecAttrPort, name: "port", form: .number),
    ItemAttribute(key: kSecAttrPath, name: "path", form: .text),
    ItemAttribute(key: kSecAttrSecurityDomain, name: "security-domain", form: .text),
    ItemAttribute(
      key: kSecAttrAuthenticationType, name: "authentication-type",
      form: .code(.authenticationTypes, isClosed: false)),
    ItemAttribute(key: kSecAttrLabel, name: "label", form: .text),
    ItemAttribute(key: kSecAttrDescription, name: "description", form: .text),
    ItemAttribute(key: kSecAttrGeneric, name: "generic", form: .bytes),
    ItemAttribute(key: kSecAttrCreator, name: "creator", form: .number),
    ItemAttribute(key: kSecAttrType, name: "type", form: .number),
    ItemAttribute(key: kSecAttrIsInvisible, name: "invisible", form: .flag),
    ItemAttribute(key: kSecAttrIsNegative, name: "negative", form: .flag),
    ItemAttribute(key: kSecAttrAccessGroup, name: "access-group", form: .text),
    ItemAttribute(
      key: kSecAttrAccessible, name: "accessible", form: .code(.accessible, isClosed: true)),
    ItemAttribute(key: kSecAttrSynchronizable, name: "synchronizable", form: .flag),
  ]

  static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })

  /// The value that an item has where it says nothing.
  var standard: String {
    name == "accessible" ? CodedNames.accessible.name(of: kSecAttrAccessibleWhenUnlocked) ?? "" : ""
  }

  /// The attribute with the name of the program that added an item.
  static let application = "application"
  /// The attribute that says which attributes are bytes: `account=bytes generic=base64`.
  static let forms = "keychain-forms"
}

/// A value as an item holds it.
struct AttributeText: Sendable {
  /// The text; empty where there is no value.
  var text: String
  /// How it came, where it is not as usual: `bytes` for UTF-8, `base64` for other bytes.
  var mark: String?

  /// A value that a program gave.
  ///
  /// - Throws: ``Refusal`` of ``errSecParam`` where the attribute cannot have it.
  init(_ given: Any, for attribute: ItemAttribute) throws {
    let value = try Given(given)
    switch (attribute.form, value) {
    case (.text, .text(let text)), (.bytes, .text(let text)):
      self.init(text: text)
    case (.text, .bytes(let data)), (.bytes, .bytes(let data)):
      self.init(data, isUsual: attribute.form.isOfBytes)
    case (.text, .number(let number)):
      self.init(text: number.stringValue)
    case (.number, .number(let number)):
      self.init(text: number.int64Value == 0 ? "" : String(number.int64Value))
    case (.number, .text(let text)):
      guard let number = Int64(text) else { throw Refusal(errSecParam) }
      self.init(text: number == 0 ? "" : String(number))
    case (.flag, .number(let number)):
      self.init(text: number.int64Value == 0 ? "" : "true")
    case (.code(let names, let isClosed), .text(let code)):
      guard let name = names.name(of: code) ?? (isClosed ? nil : code) else {
        throw Refusal(errSecParam)
      }
      self.init(text: name)
    default: throw Refusal(errSecParam)
    }
  }

  /// The value of an item; of a name of the vault's own, as a person or another program wrote it.
  init(_ attribute: ItemAttribute, of item: [String: String]) {
    text = item[attribute.name] ?? attribute.standard
    mark = Self.marks(of: item)[attribute.name]
    if case .flag = attribute.form, text == "false" { text = "" }
  }

  private init(text: String, mark: String? = nil) {
    self.text = text
    self.mark = mark
  }

  private init(_ data: Data, isUsual: Bool) {
    if let text = String(validating: data, as: UTF8.self) {
      self.init(text: text, mark: isUsual || text.isEmpty ? nil : Self.bytesMark)
    } else {
      self.init(text: data.base64EncodedString(), mark: Self.base64Mark)
    }
  }

  private static let bytesMark = "bytes"
  private static let base64Mark = "base64"

  /// Whether two are one value: byte by byte, for what looks alike is not the same.
  func isSame(as other: AttributeText, ignoringCase: Bool = false) -> Bool {
    guard (mark == Self.base64Mark) == (other.mark == Self.base64Mark) else { return false }
    if text.utf8.elementsEqual(other.text.utf8) { return true }
    return ignoringCase && mark != Self.base64Mark
      && text.lowercased().utf8.elementsEqual(other.text.lowercased().utf8)
  }

  /// The value as Apple returns it; `nil` where there is none.
  func value(for attribute: ItemAttribute) -> (any Sendable)? {
    switch attribute.form {
    case .flag: return NSNumber(value: !text.isEmpty)
    case _ where text.isEmpty: return nil
    case .number: return Int64(text).map { NSNumber(value: $0) }
    case .code(let names, _): return names.code(of: text) ?? text
    case .text where mark == nil: return text
    case .text, .bytes:
      return mark == Self.base64Mark ? Data(base64Encoded: text) : Data(text.utf8)
    }
  }

  // MARK: - What is written into an item

  /// Puts the value into attributes of an item.
  func write(_ attribute: ItemAttribute, into item: inout [String: String]) {
    item[attribute.name] = text.isEmpty ? nil : text
    var marks = Self.marks(of: item)
    marks[attribute.name] = text.isEmpty ? nil : mark
    item[ItemAttribute.forms] =
      marks.isEmpty
      ? nil : marks.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ")
  }

  private static func marks(of item: [String: String]) -> [String: String] {
    guard let text = item[ItemAttribute.forms] else { return [:] }
    return text.split(separator: " ").reduce(into: [:]) { marks, word in
      let parts = word.split(separator: "=", maxSplits: 1)
      if parts.count == 2 { marks[String(parts[0])] = String(parts[1]) }
    }
  }
}

extension ItemAttribute.Form {
  fileprivate var isOfBytes: Bool { if case .bytes = self { true } else { false } }
}

/// A value of a query, whatever wraps it: an optional, a box of Foundation's.
enum Given {
  case text(String)
  case bytes(Data)
  /// A number, or true and false.
  case number(NSNumber)
  case date(Date)

  /// - Throws: ``Refusal`` of ``errSecParam`` for any other type.
  init(_ any: Any) throws {
    let value = try Self.unwrapped(any)
    if let text = value as? String {
      self = .text(text)
    } else if let data = value as? Data {
      self = .bytes(data)
    } else if let bytes = value as? [UInt8] {
      self = .bytes(Data(bytes))
    } else if let number = value as? NSNumber {
      self = .number(number)
    } else if let text = value as? Substring {
      self = .text(String(text))
    } else if let date = value as? Date {
      self = .date(date)
    } else {
      throw Refusal(errSecParam)
    }
  }

  /// What optionals hold: `kCFBooleanTrue` in a dictionary of `Any` is one.
  static func unwrapped(_ any: Any) throws -> Any {
    var value = any
    while let optional = value as? any OptionalValue {
      guard let wrapped = optional.wrappedValue else { throw Refusal(errSecParam) }
      value = wrapped
    }
    return value
  }

  /// Whether a switch of a query is on; Apple takes anything but false and 0 as on.
  static func isTrue(_ any: Any) throws -> Bool {
    guard case .number(let number) = try Given(any) else { throw Refusal(errSecParam) }
    return number.boolValue
  }
}

/// An optional of any type.
private protocol OptionalValue {
  var wrappedValue: Any? { get }
}

extension Optional: OptionalValue {
  fileprivate var wrappedValue: Any? { self }
}

/// The code of a call that does nothing.
struct Refusal: Error {
  let status: OSStatus

  init(_ status: OSStatus) { self.status = status }
}
