/// An element of any XML document, with all that is in it.
package struct XMLTree: Sendable {
  /// Its tag.
  package let name: String
  /// Its attributes.
  package let attributes: [String: String]
  /// Its elements.
  package fileprivate(set) var children: [XMLTree] = []
  /// Its own text, exactly.
  package fileprivate(set) var text = ""

  /// Its first element of this name.
  package func child(_ name: String) -> XMLTree? { children.first { $0.name == name } }

  /// The text of its first element of this name.
  package func text(of name: String) -> String? { child(name)?.text }

  /// All elements of this name below it.
  package func descendants(_ name: String) -> [XMLTree] {
    children.flatMap { ($0.name == name ? [$0] : []) + $0.descendants(name) }
  }

  /// Reads a document.
  ///
  /// - Throws: ``PreferenceError`` with code `.syntax` and the line.
  package static func document(_ bytes: [UInt8]) throws(PreferenceError) -> XMLTree {
    try XMLElementReader.parse(bytes)
  }
}

/// Collects elements as expat finds them.
private final class XMLElementReader: XMLHandler {
  private static let depthLimit = 256

  private var stack: [(element: XMLTree, text: [UInt8])] = []
  private var result: XMLTree?
  private(set) var failure: String?

  static func parse(_ bytes: [UInt8]) throws(PreferenceError) -> XMLTree {
    let reader = XMLElementReader()
    try ExpatParser.parse(bytes, into: reader)
    guard let result = reader.result else {
      throw PreferenceError(.syntax, "the document has no element")
    }
    return result
  }

  func start(_ name: String, _ attributes: [String: String]) {
    guard stack.count < Self.depthLimit else {
      failure = "the document is too deep"
      return
    }
    stack.append((XMLTree(name: name, attributes: attributes), []))
  }

  func text(_ bytes: [UInt8]) {
    guard !stack.isEmpty else { return }
    stack[stack.count - 1].text += bytes
  }

  func end() {
    guard var (element, text) = stack.popLast() else { return }
    element.text = String(decoding: text, as: UTF8.self)
    text = []
    if stack.isEmpty {
      result = element
    } else {
      stack[stack.count - 1].element.children.append(element)
    }
  }
}
