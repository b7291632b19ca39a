package import VaultPreferences
import VaultStorage

/// The schemas of GSettings: `.gschema.xml` files, read into schemas of ours.
///
/// `docs.gtk.org/gio/class.Settings.html` and `gschema.dtd`. Enumerations and flags may be in
/// another file than the schemas that use them, so all files are read together.
package struct GSettingsSchemas: Sendable {
  /// One schema.
  package struct Found: Sendable {
    /// Such as `org.gnome.desktop.interface`.
    package let id: String
    /// Where dconf keeps it, such as `/org/gnome/desktop/interface/`; `nil` for one that any number
    /// of places use.
    package let path: String?
    /// The keys.
    package let schema: PreferenceSchema
    /// The file.
    package let file: String
  }

  /// The schemas, in the order of their files.
  package private(set) var found: [Found] = []
  /// What was left out, with its reason.
  package private(set) var problems: [String] = []
  private var enumerations: [String: [PreferenceValue]] = [:]

  package init() {}

  /// Reads files.
  ///
  /// - Parameter files: Paths and bytes.
  package init(_ files: [(path: String, bytes: [UInt8])]) {
    var trees: [(String, XMLTree)] = []
    for (path, bytes) in files {
      do {
        let tree = try XMLTree.document(bytes)
        guard tree.name == "schemalist" else {
          problems.append("\(path): this is not a list of schemas")
          continue
        }
        trees.append((path, tree))
      } catch {
        problems.append("\(path): \(error.message)")
      }
    }
    for (_, tree) in trees {
      for element in tree.children where element.name == "enum" || element.name == "flags" {
        guard let id = element.attributes["id"] else { continue }
        enumerations[id] = element.children.compactMap { value in
          value.attributes["nick"].map { .string($0) }
        }
      }
    }
    var elements: [String: (XMLTree, String)] = [:]
    for (path, tree) in trees {
      for element in tree.children where element.name == "schema" {
        if let id = element.attributes["id"] { elements[id] = (element, path) }
      }
    }
    for (id, (element, path)) in elements.sorted(by: { $0.key < $1.key }) {
      var keys: [String: PreferenceSchema.Key] = [:]
      collect(element, elements, path, into: &keys, depth: 0)
      var schema = PreferenceSchema()
      schema.keys = keys
      found.append(
        Found(id: id, path: element.attributes["path"], schema: schema, file: path))
    }
  }

  /// The keys of a schema and of those that it extends, weaker ones first.
  private mutating func collect(
    _ element: XMLTree, _ all: [String: (XMLTree, String)], _ file: String,
    into keys: inout [String: PreferenceSchema.Key], depth: Int
  ) {
    if let base = element.attributes["extends"], let (parent, path) = all[base], depth < 16 {
      collect(parent, all, path, into: &keys, depth: depth + 1)
    }
    let id = element.attributes["id"] ?? ""
    for child in element.children {
      guard let name = child.attributes["name"] else { continue }
      do throws(PreferenceError) {
        switch child.name {
        case "key": keys[name] = try key(name, child)
        case "override":
          guard let signature = keys[name]?.signature else { continue }
          keys[name]?.defaultValue = try GVariantText(child.text, as: signature).value
        default: break
        }
      } catch {
        problems.append("\(file): \(id) \(name): \(error.message)")
      }
    }
  }

  private func key(_ name: String, _ element: XMLTree) throws(PreferenceError)
    -> PreferenceSchema.Key
  {
    var key = PreferenceSchema.Key(name)
    let signature: String
    if let type = element.attributes["type"] {
      signature = type
    } else if let id = element.attributes["enum"] {
      signature = "s"
      guard let values = enumerations[id] else {
        throw PreferenceError(.syntax, "there is no enumeration \(id)")
      }
      key.values = values
    } else if let id = element.attributes["flags"] {
      signature = "as"
      guard let values = enumerations[id] else {
        throw PreferenceError(.syntax, "there are no flags \(id)")
      }
      key.values = values
    } else {
      throw PreferenceError(.syntax, "there is no type")
    }
    key.signature = signature
    key.type = Self.kind(of: signature)
    if let range = element.child("range") {
      key.limit(
        from: try bound(range.attributes["min"], signature),
        to: try bound(range.attributes["max"], signature))
    }
    // Whole numbers are limited by their types; of 32 and 64 bits there are enough.
    let limits = GVariantText.range(of: signature.utf8.first)
    if ["y", "n", "q"].contains(signature) {
      key.maximum = key.maximum ?? Double(limits.upperBound)
    }
    if ["y", "n", "q", "u", "t"].contains(signature) {
      key.minimum = key.minimum ?? Double(limits.lowerBound)
    }
    for choice in element.child("choices")?.children ?? [] {
      if let value = choice.attributes["value"] { key.values.append(.string(value)) }
    }
    for alias in element.child("aliases")?.children ?? [] where key.type == "string" {
      if let value = alias.attributes["value"] { key.values.append(.string(value)) }
    }
    if let summary = Self.line(element.text(of: "summary")) {
      key.description = summary
      if let more = Self.line(element.text(of: "description")), more != summary {
        key.description = "\(summary)\(summary.hasSuffix(".") ? "" : ".") \(more)"
      }
    } else {
      key.description = Self.line(element.text(of: "description"))
    }
    guard let text = element.text(of: "default") else {
      throw PreferenceError(.syntax, "there is no default")
    }
    let value = try GVariantText(text, as: signature).value
    if let problem = key.problem(of: value) {
      throw PreferenceError(.syntax, "the default does not fit: \(problem)")
    }
    key.defaultValue = value
    return key
  }

  private func bound(_ text: String?, _ signature: String) throws(PreferenceError)
    -> PreferenceValue?
  {
    guard let text, !text.isEmpty else { return nil }
    return try GVariantText(text, as: signature).value
  }

  /// A text in one line.
  private static func line(_ text: String?) -> String? {
    guard let text else { return nil }
    let words = text.unicodeScalars.split { $0.value <= 0x20 }.map { String($0) }
    return words.isEmpty ? nil : words.joined(separator: " ")
  }

  /// What `read-type` prints of values of a type; `nil` for any.
  package static func kind(of signature: String) -> String? {
    switch signature.utf8.first {
    case UInt8(ascii: "b"): "boolean"
    case UInt8(ascii: "s"), UInt8(ascii: "o"), UInt8(ascii: "g"): "string"
    case UInt8(ascii: "d"): "float"
    case UInt8(ascii: "("): "array"
    case UInt8(ascii: "a"):
      signature == "ay"
        ? "data"
        : signature.utf8.dropFirst().first == UInt8(ascii: "{")
          ? "dictionary" : "array"
    case UInt8(ascii: "v"), UInt8(ascii: "m"): nil
    default: "integer"
    }
  }
}
