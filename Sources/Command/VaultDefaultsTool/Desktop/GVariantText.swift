package import VaultPreferences
import VaultStorage

/// Values in GVariant's text format, as `gsettings` and `dconf` print and take them, read and
/// written with their types.
///
/// `docs.gtk.org/glib/gvariant-text-format.html`. A tuple is an array here, a maybe is its value or
/// an empty array, and a variant is what is in it; the type tells them apart again.
package struct GVariantText: Equatable, Sendable {
  /// The value.
  package let value: PreferenceValue
  /// Its type, such as `a{sv}`.
  package let signature: String
  /// The text as GLib would write it, with the types inside of variants, which the value lacks.
  package let normal: String

  /// GLib's own limit of types and values in others.
  static let depthLimit = 128

  /// Reads a text.
  ///
  /// - Parameters:
  ///   - text: Such as `uint32 300` or `@as []`.
  ///   - signature: The type that it has; `nil` for the one that the text says.
  /// - Throws: ``PreferenceError`` with code `.syntax`.
  package init(_ text: String, as signature: String? = nil) throws(PreferenceError) {
    var reader = GVariantReader(text)
    self = try reader.document(signature)
  }

  init(value: PreferenceValue, signature: String, normal: String) {
    self.value = value
    self.signature = signature
    self.normal = normal
  }

  /// The type that a value has if nothing else is said; `nil` if GVariant has none for it.
  package static func natural(_ value: PreferenceValue) -> String? { natural(value, depth: 0) }

  private static func natural(_ value: PreferenceValue, depth: Int) -> String? {
    guard depth < depthLimit else { return nil }
    switch value {
    case .string: return "s"
    case .boolean: return "b"
    case .integer(let number): return Int32(exactly: number) == nil ? "x" : "i"
    case .unsignedInteger: return "t"
    case .real, .float: return "d"
    case .data: return "ay"
    case .array(let elements):
      guard !elements.isEmpty else { return "as" }
      let types = Set(elements.map { natural($0, depth: depth + 1) })
      if types == ["i", "x"] { return "ax" }
      guard types.count == 1 else { return "av" }
      guard let type = types.first ?? nil else { return nil }
      return "a\(type)"
    case .dictionary: return "a{sv}"
    case .date, .uid: return nil
    }
  }

  /// Writes a value.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - signature: Its type; `nil` for its natural one.
  /// - Returns: A text that says the type where it must.
  /// - Throws: ``PreferenceError`` with code `.lossy` if the type cannot hold the value.
  package static func text(
    _ value: PreferenceValue, as signature: String? = nil
  ) throws(PreferenceError) -> String {
    try text(value, as: signature, hasTypes: false, depth: 0)
  }

  /// Writes a value inside of others.
  ///
  /// With `hasTypes` it is as ``GVariantReader`` makes it for
  /// ``normal``: what is in a variant is its text, and a maybe is an array of one or none.
  static func text(
    _ value: PreferenceValue, as signature: String?, hasTypes: Bool, depth: Int
  ) throws(PreferenceError) -> String {
    guard let signature = signature ?? natural(value) else {
      throw PreferenceError(
        .lossy, "GVariant has no form for a value of type \(value.kind.rawValue)")
    }
    var types = Array(signature.utf8)[...]
    guard let type = Self.first(of: &types), types.isEmpty else {
      throw PreferenceError(.syntax, "'\(signature)' is not a type of GVariant")
    }
    return try written(value, type, saysType: true, hasTypes, depth)
  }

  /// The words before values of types that a text alone does not tell.
  private static let words: [UInt8: String] = [
    UInt8(ascii: "y"): "byte ", UInt8(ascii: "n"): "int16 ", UInt8(ascii: "q"): "uint16 ",
    UInt8(ascii: "u"): "uint32 ", UInt8(ascii: "h"): "handle ", UInt8(ascii: "x"): "int64 ",
    UInt8(ascii: "t"): "uint64 ", UInt8(ascii: "o"): "objectpath ",
    UInt8(ascii: "g"): "signature ",
  ]

  /// The text of a value; of an array's elements the first one alone says the type, as GLib writes
  /// it.
  private static func written(
    _ value: PreferenceValue, _ type: [UInt8], saysType: Bool, _ hasTypes: Bool, _ depth: Int
  ) throws(PreferenceError) -> String {
    func misfit() -> PreferenceError {
      PreferenceError(
        .lossy,
        "a value of type \(value.kind.rawValue) is not one of GVariant's type "
          + "\(String(decoding: type, as: UTF8.self))")
    }
    guard let head = type.first, depth < depthLimit else { throw misfit() }
    let depth = depth + 1
    let word = saysType ? words[head] ?? "" : ""
    let whole = saysType ? "@\(String(decoding: type, as: UTF8.self)) " : ""
    switch head {
    case UInt8(ascii: "s"), UInt8(ascii: "o"), UInt8(ascii: "g"):
      guard case .string(let text) = value else { throw misfit() }
      return word + quoted(text)
    case UInt8(ascii: "b"):
      guard case .boolean(let flag) = value else { throw misfit() }
      return flag ? "true" : "false"
    case UInt8(ascii: "d"):
      // As it was typed: 1.1 of 32 bits is 1.10000002384 of 64.
      if case .float(let number) = value, let typed = Double("\(number)") { return real(typed) }
      guard let number = Double(preferenceValue: value), value.kind != .boolean else {
        throw misfit()
      }
      return real(number)
    case UInt8(ascii: "v"):
      if hasTypes, case .string(let text) = value { return "<\(text)>" }
      return "<\(try text(value, as: nil, hasTypes: false, depth: depth))>"
    case UInt8(ascii: "m"):
      if case .array(let elements) = value, elements.isEmpty { return "\(whole)nothing" }
      var inner = value
      if hasTypes, case .array(let elements) = value, let first = elements.first { inner = first }
      let text = try written(inner, Array(type.dropFirst()), saysType: false, hasTypes, depth)
      return "\(whole)just \(text)"
    case UInt8(ascii: "("):
      guard case .array(let elements) = value else { throw misfit() }
      var rest = type.dropFirst().dropLast()
      var parts: [String] = []
      for element in elements {
        guard let next = first(of: &rest) else { throw misfit() }
        parts.append(try written(element, next, saysType: saysType, hasTypes, depth))
      }
      guard rest.isEmpty else { throw misfit() }
      return parts.count == 1 ? "(\(parts[0]),)" : "(\(parts.joined(separator: ", ")))"
    case UInt8(ascii: "a"):
      let element = Array(type.dropFirst())
      var parts: [String] = []
      if element == [UInt8(ascii: "y")] {
        guard case .data(let bytes) = value else { throw misfit() }
        for byte in bytes {
          parts.append((parts.isEmpty && saysType ? "byte " : "") + hexadecimal(byte))
        }
        return parts.isEmpty ? "\(whole)[]" : "[\(parts.joined(separator: ", "))]"
      }
      if element.first == UInt8(ascii: "{") {
        var rest = element.dropFirst().dropLast()
        guard let key = first(of: &rest), let inner = first(of: &rest),
          case .dictionary(let entries) = value
        else { throw misfit() }
        for name in entries.keys.sorted(by: OldStyleWriter.precedes) {
          let isFirst = parts.isEmpty && saysType
          let left = try written(keyValue(name, key), key, saysType: isFirst, hasTypes, depth)
          let right = try written(entries[name] ?? "", inner, saysType: isFirst, hasTypes, depth)
          parts.append("\(left): \(right)")
        }
        return parts.isEmpty ? "\(whole){}" : "{\(parts.joined(separator: ", "))}"
      }
      guard case .array(let elements) = value else { throw misfit() }
      for part in elements {
        let isFirst = parts.isEmpty && saysType
        parts.append(try written(part, element, saysType: isFirst, hasTypes, depth))
      }
      return parts.isEmpty ? "\(whole)[]" : "[\(parts.joined(separator: ", "))]"
    case UInt8(ascii: "y"):
      guard let number = self.whole(value), let byte = UInt8(exactly: number) else {
        throw misfit()
      }
      return word + hexadecimal(byte)
    default:
      guard let number = self.whole(value), range(of: head).contains(number), number < .max else {
        throw misfit()
      }
      return word + String(number)
    }
  }

  /// A key of a dictionary, which is a text here, as its type has it.
  private static func keyValue(_ name: String, _ type: [UInt8]) -> PreferenceValue {
    switch type.first {
    case UInt8(ascii: "s"), UInt8(ascii: "o"), UInt8(ascii: "g"): .string(name)
    case UInt8(ascii: "b"): .boolean(name == "true")
    case UInt8(ascii: "d"): .real(Double(name) ?? 0)
    default:
      Int64(name).map { .integer($0) } ?? UInt64(name).map { PreferenceValue(unsigned: $0) }
        ?? .string(name)
    }
  }

  private static func whole(_ value: PreferenceValue) -> Int128? {
    switch value {
    case .integer(let number): Int128(number)
    case .unsignedInteger(let number): Int128(number)
    default: nil
    }
  }

  /// The numbers that a type holds; empty for one that is no whole number.
  package static func range(of type: UInt8?) -> ClosedRange<Int128> {
    switch type {
    case UInt8(ascii: "y"): 0...255
    case UInt8(ascii: "n"): Int128(Int16.min)...Int128(Int16.max)
    case UInt8(ascii: "q"): 0...Int128(UInt16.max)
    case UInt8(ascii: "i"), UInt8(ascii: "h"): Int128(Int32.min)...Int128(Int32.max)
    case UInt8(ascii: "u"): 0...Int128(UInt32.max)
    case UInt8(ascii: "x"): Int128(Int64.min)...Int128(Int64.max)
    case UInt8(ascii: "t"): 0...Int128(UInt64.max)
    default: Int128.max...Int128.max
    }
  }

  /// Takes the first complete type off a signature.
  static func first(of types: inout ArraySlice<UInt8>) -> [UInt8]? {
    guard let end = end(in: types, from: types.startIndex, depth: 0) else { return nil }
    defer { types = types[end...] }
    return Array(types[..<end])
  }

  /// Where the complete type ends that begins at an index; `nil` if none does, or too deep a one.
  private static func end(in types: ArraySlice<UInt8>, from start: Int, depth: Int) -> Int? {
    guard start < types.endIndex, depth < depthLimit else { return nil }
    let head = types[start]
    switch head {
    case UInt8(ascii: "a"), UInt8(ascii: "m"):
      return end(in: types, from: start + 1, depth: depth + 1)
    case UInt8(ascii: "("), UInt8(ascii: "{"):
      let close = head == UInt8(ascii: "(") ? UInt8(ascii: ")") : UInt8(ascii: "}")
      var index = start + 1
      while index < types.endIndex, types[index] != close {
        guard let next = end(in: types, from: index, depth: depth + 1) else { return nil }
        index = next
      }
      return index < types.endIndex ? index + 1 : nil
    default: return "bynqiuxthdsogv".utf8.contains(head) ? start + 1 : nil
    }
  }

  private static func real(_ number: Double) -> String {
    if number.isNaN { return "nan" }
    return number.isFinite ? "\(number)" : number < 0 ? "-inf" : "inf"
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return "0x" + (digits.utf8.count == 1 ? "0" : "") + digits
  }

  private static func quoted(_ text: String) -> String {
    let mark: Unicode.Scalar =
      text.utf8.contains(UInt8(ascii: "'")) && !text.utf8.contains(UInt8(ascii: "\""))
      ? "\"" : "'"
    var result = String(mark)
    for scalar in text.unicodeScalars {
      switch scalar {
      case mark, "\\": result += "\\\(scalar)"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7f:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    result.unicodeScalars.append(mark)
    return result
  }
}
