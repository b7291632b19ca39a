import CVaultExpat

/// An element of any XML document, with all that is in it.
///
/// expat limits how far entities may grow, and nothing outside the text is read.
package struct XMLElement: Sendable {
  /// Its tag.
  package let name: String
  /// Its attributes.
  package let attributes: [String: String]
  /// Its elements.
  package fileprivate(set) var children: [XMLElement] = []
  /// Its own text, exactly.
  package fileprivate(set) var text = ""

  /// Its first element of this name.
  package func child(_ name: String) -> XMLElement? { children.first { $0.name == name } }

  /// The text of its first element of this name.
  package func text(of name: String) -> String? { child(name)?.text }

  /// All elements of this name below it.
  package func descendants(_ name: String) -> [XMLElement] {
    children.flatMap { ($0.name == name ? [$0] : []) + $0.descendants(name) }
  }

  /// Reads a document.
  ///
  /// - Throws: ``PreferenceError`` with code `.syntax` and the line.
  package static func document(_ bytes: [UInt8]) throws(PreferenceError) -> XMLElement {
    try XMLElementReader.parse(bytes)
  }
}

/// Collects elements as expat finds them.
private final class XMLElementReader {
  private static let depthLimit = 256

  private var stack: [(element: XMLElement, text: [UInt8])] = []
  private var result: XMLElement?
  private var isTooDeep = false

  static func parse(_ bytes: [UInt8]) throws(PreferenceError) -> XMLElement {
    guard let parser = unsafe XML_ParserCreate(nil) else {
      throw PreferenceError(.syntax, "no memory for the XML parser")
    }
    defer { unsafe XML_ParserFree(parser) }
    let reader = XMLElementReader()
    unsafe XML_SetUserData(parser, Unmanaged.passUnretained(reader).toOpaque())
    unsafe XML_SetElementHandler(
      parser,
      { context, name, attributes in
        guard let context = unsafe context, let name = unsafe name else { return }
        var found: [String: String] = [:]
        var next = unsafe attributes
        while let pair = unsafe next, let key = unsafe pair[0], let value = unsafe pair[1] {
          unsafe found[String(cString: key)] = String(cString: value)
          unsafe next = pair + 2
        }
        unsafe Unmanaged<XMLElementReader>.fromOpaque(context).takeUnretainedValue()
          .start(String(cString: name), found)
      },
      { context, _ in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<XMLElementReader>.fromOpaque(context).takeUnretainedValue().end()
      })
    unsafe XML_SetCharacterDataHandler(
      parser,
      { context, characters, count in
        guard let context = unsafe context, let characters = unsafe characters else { return }
        let reader = unsafe Unmanaged<XMLElementReader>.fromOpaque(context).takeUnretainedValue()
        let buffer = unsafe UnsafeBufferPointer(start: characters, count: Int(count))
        let bytes = unsafe buffer.map { UInt8(bitPattern: $0) }
        reader.add(bytes)
      })
    guard let count = Int32(exactly: bytes.count) else {
      throw PreferenceError(.syntax, "the document is too large")
    }
    let status = unsafe bytes.withUnsafeBytes { buffer in
      unsafe XML_Parse(parser, buffer.bindMemory(to: CChar.self).baseAddress, count, 1)
    }
    if reader.isTooDeep { throw PreferenceError(.syntax, "the document is too deep") }
    guard status == XML_STATUS_OK, let result = reader.result else {
      let line = unsafe XML_GetCurrentLineNumber(parser)
      let reason = unsafe XML_ErrorString(XML_GetErrorCode(parser)).map {
        unsafe String(cString: $0)
      }
      throw PreferenceError(.syntax, "\(reason ?? "damaged XML") at line \(line)")
    }
    return result
  }

  private func start(_ name: String, _ attributes: [String: String]) {
    if stack.count >= Self.depthLimit { isTooDeep = true }
    stack.append((XMLElement(name: name, attributes: attributes), []))
  }

  private func add(_ bytes: [UInt8]) {
    guard !stack.isEmpty else { return }
    stack[stack.count - 1].text += bytes
  }

  private func end() {
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
