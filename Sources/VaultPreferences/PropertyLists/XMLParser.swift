import CVaultExpat

/// Takes what expat finds in a document, piece by piece.
protocol XMLHandler: AnyObject {
  /// What is wrong with the document, once that is known; nothing more is handed over then.
  var failure: String? { get }
  /// An element begins.
  func start(_ name: String, _ attributes: [String: String])
  /// Text inside the innermost element; one text may come in several pieces.
  func text(_ bytes: [UInt8])
  /// The innermost element ends.
  func end()
}

/// The one way to expat: it limits how far entities may grow, and nothing outside the text is read.
enum XMLParser {
  /// What the callbacks reach.
  private final class Run {
    let handler: any XMLHandler

    init(_ handler: any XMLHandler) { self.handler = handler }

    @unsafe static func at(_ context: UnsafeMutableRawPointer?) -> (any XMLHandler)? {
      guard let context = unsafe context else { return nil }
      let handler = unsafe Unmanaged<Run>.fromOpaque(context).takeUnretainedValue().handler
      return handler.failure == nil ? handler : nil
    }
  }

  /// Walks through a document.
  ///
  /// - Throws: ``PreferenceError`` with code `.syntax`: the handler's failure, or expat's with the line.
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
    let run = Run(handler)
    unsafe XML_SetUserData(parser, Unmanaged.passUnretained(run).toOpaque())
    unsafe XML_SetElementHandler(
      parser,
      { context, name, attributes in
        guard let handler = unsafe Run.at(context), let name = unsafe name else { return }
        var found: [String: String] = [:]
        var next = unsafe attributes
        while let pair = unsafe next, let key = unsafe pair[0], let value = unsafe pair[1] {
          unsafe found[String(cString: key)] = String(cString: value)
          unsafe next = pair + 2
        }
        unsafe handler.start(String(cString: name), found)
      },
      { context, _ in unsafe Run.at(context)?.end() })
    unsafe XML_SetCharacterDataHandler(
      parser,
      { context, characters, count in
        guard let handler = unsafe Run.at(context), let characters = unsafe characters else {
          return
        }
        let buffer = unsafe UnsafeBufferPointer(start: characters, count: Int(count))
        let bytes = unsafe buffer.map { UInt8(bitPattern: $0) }
        handler.text(bytes)
      })
    let status = withExtendedLifetime(run) {
      unsafe bytes.withUnsafeBytes { buffer in
        unsafe XML_Parse(parser, buffer.bindMemory(to: CChar.self).baseAddress, count, 1)
      }
    }
    if let failure = handler.failure { throw PreferenceError(.syntax, failure) }
    guard status == XML_STATUS_OK else {
      let line = unsafe XML_GetCurrentLineNumber(parser)
      let reason = unsafe XML_ErrorString(XML_GetErrorCode(parser)).map {
        unsafe String(cString: $0)
      }
      throw PreferenceError(.syntax, "\(reason ?? "damaged XML") at line \(line)")
    }
  }
}
