import CVaultExpat
import VaultStorage

/// Takes what expat finds in a document, piece by piece.
protocol XMLHandler: AnyObject {
  /// The handler's error; once it is set, the handler is not called any more.
  var failure: String? { get }
  /// The word between the error and its line.
  var placeWord: String { get }
  /// The handler's words for a fault that expat found; `nil` for expat's own.
  func words(for fault: XMLFault, line: Int) -> String?
  /// An element begins.
  func start(_ name: String, _ attributes: [String: String])
  /// Text inside the innermost element; one text may come in several pieces.
  func text(_ bytes: [UInt8])
  /// The innermost element ends.
  func end()
}

extension XMLHandler {
  var placeWord: String { "at" }

  func words(for fault: XMLFault, line: Int) -> String? { nil }
}

/// What is wrong with a document that is not well-formed, as far as others have words for it.
enum XMLFault {
  /// It ends too early.
  case end
  /// The wrong element ends.
  case mismatch
  /// A `&` that begins nothing that is known.
  case ampersand
}

/// The one way to expat: it limits how far entities may grow, and nothing outside the text is read.
enum ExpatParser {
  /// The state of the callbacks.
  @safe private final class Run {
    private let handler: any XMLHandler
    private let parser: XML_Parser
    /// The handler's error and its line; expat reports its own errors.
    private(set) var failure: String?

    init(_ handler: any XMLHandler, _ parser: XML_Parser) {
      self.handler = handler
      unsafe self.parser = parser
    }

    @unsafe static func at(_ context: UnsafeMutableRawPointer?) -> Run? {
      guard let context = unsafe context else { return nil }
      return unsafe Unmanaged<Run>.fromOpaque(context).takeUnretainedValue()
    }

    /// Hands a piece over, as long as nothing is wrong.
    func take(_ body: (any XMLHandler) -> Void) {
      guard failure == nil else { return }
      body(handler)
      if let failure = handler.failure { fail(failure, handler.placeWord) }
    }

    /// Ends the walk.
    func fail(_ what: String, _ placeWord: String = "at") {
      guard failure == nil else { return }
      failure = "\(what) \(placeWord) line \(unsafe XML_GetCurrentLineNumber(parser))"
      _ = unsafe XML_StopParser(parser, XML_Bool(XML_FALSE))
    }
  }

  /// Walks through a document.
  ///
  /// A document that declares entities is refused, and so is one that uses others than XML's own
  /// five.
  ///
  /// - Throws: ``PreferenceError`` with code `.syntax`: the handler's failure, or expat's, with the
  ///   line.
  static func parse(
    _ bytes: [UInt8], into handler: some XMLHandler
  ) throws(PreferenceError) {
    guard let parser = unsafe XML_ParserCreate(nil) else {
      throw PreferenceError(.syntax, "no memory for the XML parser")
    }
    defer { unsafe XML_ParserFree(parser) }
    guard let count = Int32(exactly: bytes.count) else {
      throw PreferenceError(.syntax, "the document is too large")
    }
    let run = unsafe Run(handler, parser)
    unsafe XML_SetUserData(parser, Unmanaged.passUnretained(run).toOpaque())
    unsafe XML_SetElementHandler(
      parser,
      { context, name, attributes in
        guard let run = unsafe Run.at(context), let name = unsafe name else { return }
        var found: [String: String] = [:]
        var next = unsafe attributes
        while let pair = unsafe next, let key = unsafe pair[0], let value = unsafe pair[1] {
          unsafe found[String(cString: key)] = String(cString: value)
          unsafe next = pair + 2
        }
        let element = unsafe String(cString: name)
        run.take { $0.start(element, found) }
      },
      { context, _ in unsafe Run.at(context)?.take { $0.end() } })
    unsafe XML_SetCharacterDataHandler(
      parser,
      { context, characters, count in
        guard let run = unsafe Run.at(context), let characters = unsafe characters else {
          return
        }
        let buffer = unsafe UnsafeBufferPointer(start: characters, count: Int(count))
        let bytes = unsafe buffer.map { UInt8(bitPattern: $0) }
        run.take { $0.text(bytes) }
      })
    unsafe XML_SetEntityDeclHandler(parser) { context, _, _, _, _, _, _, _, _ in
      unsafe Run.at(context)?.fail("the document declares an entity")
    }
    // Not declared here; expat takes it for one of the DTD that it does not read, and leaves it
    // out.
    unsafe XML_SetSkippedEntityHandler(parser) { context, name, _ in
      let name = unsafe name.map { unsafe String(cString: $0) } ?? ""
      unsafe Run.at(context)?.fail("unknown entity &\(name);")
    }
    let status = withExtendedLifetime(run) {
      unsafe bytes.withUnsafeBytes { buffer in
        unsafe XML_Parse(parser, buffer.bindMemory(to: CChar.self).baseAddress, count, 1)
      }
    }
    if let failure = run.failure {
      let isEntity = failure.begins(with: "unknown entity")
      let line = unsafe Int(XML_GetCurrentLineNumber(parser))
      throw PreferenceError(
        .syntax, (isEntity ? handler.words(for: .ampersand, line: line) : nil) ?? failure)
    }
    guard status == XML_STATUS_OK else {
      let line = unsafe XML_GetCurrentLineNumber(parser)
      if let fault = unsafe fault(parser, bytes),
        let words = handler.words(for: fault, line: Int(line))
      {
        throw PreferenceError(.syntax, words)
      }
      throw PreferenceError(
        .syntax, "\(unsafe reason(XML_GetErrorCode(parser))) at line \(line)")
    }
  }

  /// What is wrong with a document, by expat's number for it.
  private static func reason(_ code: XML_Error) -> String {
    switch code {
    case XML_ERROR_NO_ELEMENTS: "the document ends before its first element, or inside of one"
    case XML_ERROR_INVALID_TOKEN: "a character stands where it may not"
    case XML_ERROR_UNCLOSED_TOKEN: "a tag, a comment or a text has no end"
    case XML_ERROR_PARTIAL_CHAR: "the document ends inside of a character"
    case XML_ERROR_TAG_MISMATCH: "the end of another element than the one that is open"
    case XML_ERROR_DUPLICATE_ATTRIBUTE: "an element has the same attribute twice"
    case XML_ERROR_JUNK_AFTER_DOC_ELEMENT: "there is something after the last element"
    case XML_ERROR_UNDEFINED_ENTITY: "an entity that XML does not have"
    case XML_ERROR_BAD_CHAR_REF: "a number that stands for no character"
    case XML_ERROR_MISPLACED_XML_PI: "the declaration <?xml … ?> does not stand at the beginning"
    case XML_ERROR_UNKNOWN_ENCODING, XML_ERROR_INCORRECT_ENCODING:
      "an encoding that cannot be read; UTF-8 can"
    case XML_ERROR_UNCLOSED_CDATA_SECTION: "a section <![CDATA[ has no end"
    case XML_ERROR_XML_DECL, XML_ERROR_TEXT_DECL: "the declaration <?xml … ?> is damaged"
    case XML_ERROR_AMPLIFICATION_LIMIT_BREACH: "the document's entities grow too large"
    case XML_ERROR_NO_MEMORY: "there is not enough memory for the document"
    default: "damaged XML (\(code.rawValue) of expat)"
    }
  }

  /// What expat stopped at, where others have words for it.
  @unsafe private static func fault(_ parser: XML_Parser, _ bytes: [UInt8]) -> XMLFault? {
    let place = unsafe Int(XML_GetCurrentByteIndex(parser))
    let isAmpersand = bytes.indices.contains(place) && bytes[place] == UInt8(ascii: "&")
    // Where a name is wrong, expat stops behind the sign.
    let isBehind = bytes.indices.contains(place - 1) && bytes[place - 1] == UInt8(ascii: "&")
    switch unsafe XML_GetErrorCode(parser) {
    case XML_ERROR_NO_ELEMENTS: return .end
    case XML_ERROR_UNCLOSED_TOKEN:
      return bytes[max(0, place)...].starts(with: "<!".utf8) ? nil : .end
    case XML_ERROR_TAG_MISMATCH: return .mismatch
    case XML_ERROR_UNDEFINED_ENTITY: return .ampersand
    case XML_ERROR_INVALID_TOKEN where isAmpersand || isBehind: return .ampersand
    default: return nil
    }
  }
}
