import FoundationEssentials
import VaultPreferences
import VaultSealing
import VaultStorage

/// A property list as a literal of Swift or Objective-C, as `plutil -convert swift` and `objc` write
/// it.
///
/// The form is that of swift-corelibs-foundation's plutil. Where that one writes what no compiler
/// reads, such as a line break inside an Objective-C string, the escape of the language is written.
struct PlistLiteral {
  enum Language {
    case swift
    case objectiveC
  }

  /// A value that the language has no literal for.
  struct NoLiteral: Error {
    let message: String
  }

  let language: Language
  /// The name of the file that the value is from.
  let source: String

  /// The constant's name: the file's without its extension, other characters as underscores.
  var name: String {
    var bytes = Array(source.utf8)
    if let dot = bytes.lastIndex(of: 0x2e), dot > 0 { bytes = Array(bytes[..<dot]) }
    let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars.map { scalar in
      scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) ? scalar : "_"
    }
    var name = String.UnicodeScalarView()
    name.append(contentsOf: scalars)
    // A digit cannot be the first.
    if let first = name.first, ("0"..."9").contains(first) { name.insert("_", at: name.startIndex) }
    return String(name)
  }

  /// The text of a source file.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - header: The name of the header that declares it, if there is one.
  /// - Returns: The text.
  /// - Throws: ``NoLiteral``.
  func text(_ value: PreferenceValue, header: String?) throws(NoLiteral) -> String {
    let include = header.map { "#import \"\($0)\"\n\n" } ?? ""
    switch language {
    case .swift:
      return "/// Generated from \(source)\nlet \(name)\(annotation(value)) = "
        + "\(try literal(value, depth: 0))\n"
    case .objectiveC:
      return
        "\(include)/// Generated from \(source)\n\(try declaration(value)) * const \(name) = "
        + "\(try literal(value, depth: 0));\n"
    }
  }

  /// The text of the header of an Objective-C constant.
  func header(_ value: PreferenceValue) throws(NoLiteral) -> String {
    let parts = "__attribute__((visibility(\"hidden\")))\n"
    let type = try className(value)
    return "#import <Foundation/Foundation.h>\n\n/// Generated from \(source)\n\(parts)"
      + "extern \(type) * const \(name);\n"
  }

  private func declaration(_ value: PreferenceValue) throws(NoLiteral) -> String {
    "__attribute__((visibility(\"hidden\")))\n\(try className(value))"
  }

  private func className(_ value: PreferenceValue) throws(NoLiteral) -> String {
    switch value {
    case .dictionary: "NSDictionary"
    case .array: "NSArray"
    case .string: "NSString"
    case .integer, .unsignedInteger, .real, .float, .boolean: "NSNumber"
    case .data, .date, .uid: throw Self.notInObjectiveC
    }
  }

  private static let notInObjectiveC = NoLiteral(
    message: "Input contains an object that cannot be represented in Obj-C literal syntax")

  /// A type for values of several kinds, which Swift does not infer.
  private func annotation(_ value: PreferenceValue) -> String {
    func isMixed(_ values: some Sequence<PreferenceValue>) -> Bool {
      Set(values.map(\.kind)).count > 1
    }
    switch value {
    case .dictionary(let entries): return isMixed(entries.values) ? " : [String : Any]" : ""
    case .array(let elements): return isMixed(elements) ? " : [Any]" : ""
    default: return ""
    }
  }

  private func literal(_ value: PreferenceValue, depth: Int) throws(NoLiteral) -> String {
    let isSwift = language == .swift
    let indent = String(repeating: "    ", count: depth)
    let mark = isSwift ? "" : "@"
    switch value {
    case .dictionary(let entries):
      var text = isSwift ? "[\n" : "@{\n"
      for key in entries.keys.sorted(by: OldStyleWriter.precedes) {
        let part = try literal(entries[key] ?? "", depth: depth + 1)
        text += "\(indent)    \(mark)\"\(escaped(key))\" : \(part),\n"
      }
      return text + indent + (isSwift ? "]" : "}")
    case .array(let elements):
      var text = "\(mark)[\n"
      for element in elements {
        text += "\(indent)    \(try literal(element, depth: depth + 1)),\n"
      }
      return "\(text)\(indent)]"
    case .string(let text): return "\(mark)\"\(escaped(text))\""
    case .integer(let number): return "\(mark)\(number)"
    case .unsignedInteger(let number): return "\(mark)\(number)"
    case .real(let number): return mark + CNumberFormat.fixed(number)
    case .float(let number): return mark + CNumberFormat.fixed(Double(number))
    case .boolean(let flag):
      return isSwift ? (flag ? "true" : "false") : (flag ? "@YES" : "@NO")
    case .date(let date) where isSwift:
      return "Date(timeIntervalSinceReferenceDate: \(date.timeIntervalSinceReferenceDate))"
    case .data(let bytes) where isSwift:
      let digits = bytes.map { "0x\(Hexadecimal.text([$0]))," }.joined()
      let type = "Data"
      return "\(type)(bytes: [\(digits)])"
    case .date, .data: throw Self.notInObjectiveC
    case .uid:
      throw isSwift
        ? NoLiteral(
          message: "Input contains an object that cannot be represented in Swift literal syntax")
        : Self.notInObjectiveC
    }
  }

  private func escaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", "\"": result.append(contentsOf: "\\\(scalar)".unicodeScalars)
      case "\n": result.append(contentsOf: "\\n".unicodeScalars)
      case "\r": result.append(contentsOf: "\\r".unicodeScalars)
      case "\t": result.append(scalar)
      case _ where scalar.value < 0x20 || scalar.value == 0x7f:
        let code = scalar.value
        let digits =
          language == .swift
          ? "u{\(String(code, radix: 16))}"
          : String(code, radix: 8).paddedWithZeros(to: 3)
        result.append(contentsOf: "\\\(digits)".unicodeScalars)
      default: result.append(scalar)
      }
    }
    return String(result)
  }
}

extension String {
  fileprivate func paddedWithZeros(to width: Int) -> String {
    String(repeating: "0", count: max(0, width - utf8.count)) + self
  }
}
