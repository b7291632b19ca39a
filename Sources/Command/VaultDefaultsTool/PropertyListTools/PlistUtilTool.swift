import FoundationEssentials
import Glibc
import VaultPreferences
import VaultSealing
import VaultStorage

/// macOS's `plutil`, under a link of that name: checks, prints, converts and changes property
/// lists.
///
/// The rules are those of swift-corelibs-foundation's plutil, which is Apple's, and so are the texts
/// where a Mac's are not known to be others. JSON may hold `null`, which a property list cannot:
/// it is read, and refused where it would be written as one.
package struct PlistUtilTool {
  private let streams: PropertyListStreams

  package init(_ streams: PropertyListStreams) { self.streams = streams }

  /// What is wrong with a line or a file.
  private struct Failure: Error {
    let message: String
    init(_ message: String) { self.message = message }
  }

  /// The options that every operation takes, and the files.
  private struct Options {
    var paths: [String] = []
    var isReadable = false
    var endsLine = true
    var output: String?
    var fileExtension: String?
    var isSilent = false
    var makesHeader = false

    init(_ words: ArraySlice<String>) throws {
      var words = words
      func value(_ option: String) throws -> String {
        guard let value = words.popFirst() else { throw Failure("Missing argument for \(option).") }
        return value
      }
      while let word = words.popFirst() {
        switch word {
        case "--":
          paths += words
          words = []
        case "-n": endsLine = false
        case "-s": isSilent = true
        case "-header": makesHeader = true
        case "-r": isReadable = true
        case "-o": output = try value("-o")
        case "-e": fileExtension = try value("-e")
        default:
          if word.utf8.count > 1, word.begins(with: "-") {
            throw Failure("unrecognized option: \(word)")
          }
          paths.append(word)
        }
      }
      guard !paths.isEmpty else { throw Failure("No files specified.") }
    }
  }

  private enum Format {
    case form(PropertyListForm)
    case literal(PlistLiteral.Language)
    case raw
    case type

    init(_ name: String) throws {
      switch name {
      case "xml1": self = .form(.xml)
      case "binary1": self = .form(.binary)
      case "json": self = .form(.json)
      case "openStep": self = .form(.oldStyle)
      case "raw": self = .raw
      case "type": self = .type
      case "swift": self = .literal(.swift)
      case "objc": self = .literal(.objectiveC)
      default: throw Failure("Unknown format specifier: \(name)")
      }
    }
  }

  /// Runs one line.
  ///
  /// - Parameter arguments: The words after the program's name.
  /// - Returns: 0; 1 on failure.
  package func run(_ arguments: [String]) -> Int32 {
    do {
      return try runThrowing(arguments[...]) ? 0 : 1
    } catch {
      streams.complain((error as? Failure)?.message ?? "\(error)")
      return 1
    }
  }

  private func runThrowing(_ arguments: ArraySlice<String>) throws -> Bool {
    var words = arguments
    guard let command = words.popFirst() else { throw Failure("No files specified.") }
    switch command {
    case "-help":
      streams.print(Self.help)
      return true
    case "-lint": return try lint(words)
    case "-p": return try printReadable(words)
    case "-convert":
      guard let name = words.popFirst() else {
        throw Failure("Missing format specifier for command.")
      }
      return try convert(words, to: Format(name))
    case "-insert", "-replace": return try insert(words, isReplacing: command == "-replace")
    case "-remove":
      guard let keyPath = words.popFirst() else { throw Failure("'Remove' requires a key path.") }
      return try change(words) { root in try Self.remove(keyPath, from: &root) }
    case "-extract", "-type":
      let isType = command == "-type"
      guard let keyPath = words.popFirst(), let name = isType ? "type" : words.popFirst() else {
        throw Failure("'Extract' requires a key path and a plist format.")
      }
      return try extract(keyPath, as: Format(name), words)
    case "-create":
      guard let name = words.popFirst() else { throw Failure("'Create' requires a plist format.") }
      let format = try Format(name)
      let options = try Options(words)
      return try forEach(options) { path in
        let input = Input(value: [:], form: .xml, domain: streams.domains?.target(of: path))
        try write([:], format, to: path, options, from: input)
      }
    default:
      return try lint([command] + words)
    }
  }

  // MARK: Operations

  private func lint(_ words: ArraySlice<String>) throws -> Bool {
    let options = try Options(words)
    if options.output != nil { throw Failure("-o is not used with -lint.") }
    if options.fileExtension != nil { throw Failure("-e is not used with -lint.") }
    return try forEach(options) { path in
      if try domain(of: path) == nil {
        let bytes = try bytes(of: path)
        do {
          _ = try PropertyList.parse(bytes, isStrict: true)
        } catch let error as PreferenceError {
          throw Failure("(\(Self.problem(error, in: bytes)))")
        }
      }
      if !options.isSilent { streams.print("\(Self.shown(path)): OK") }
    }
  }

  private func printReadable(_ words: ArraySlice<String>) throws -> Bool {
    let options = try Options(words)
    if options.output != nil { throw Failure("-o is not used with -p.") }
    if options.fileExtension != nil { throw Failure("-e is not used with -p.") }
    if options.isSilent { streams.complain("-s doesn't make a lot of sense with -p.") }
    return try forEach(options) { path in
      streams.output(Array(Self.readable(try contents(of: path).value, indent: 2).utf8))
    }
  }

  private func convert(_ words: ArraySlice<String>, to format: Format) throws -> Bool {
    let options = try Options(words)
    if options.makesHeader {
      guard case .literal(.objectiveC) = format else {
        throw Failure("-header is only valid for objc literal conversions.")
      }
    }
    return try forEach(options) { path in
      let input = try contents(of: path)
      try write(input.value, format, to: path, options, from: input)
    }
  }

  private func extract(
    _ keyPath: String, as format: Format, _ arguments: ArraySlice<String>
  ) throws -> Bool {
    var words = arguments
    var expected: String?
    if words.first == "-expect" {
      words.removeFirst()
      guard let name = words.popFirst() else { throw Failure("-expect requires a type argument.") }
      guard Self.types.contains(name) else { throw Failure("-expect type [\(name)] not valid.") }
      expected = name
    }
    let options = try Options(words)
    return try forEach(options) { path in
      let input = try contents(of: path)
      guard let value = Self.value(at: keyPath, in: input.value) else {
        throw Failure(
          "Could not extract value, error: No value at that key path or invalid key path: "
            + keyPath)
      }
      if let expected, Self.type(of: value) != expected {
        throw Failure(
          "Value at [\(keyPath)] expected to be \(expected) but is \(Self.type(of: value))")
      }
      try write(value, format, to: path, options, from: input, isPart: true)
    }
  }

  private func insert(_ arguments: ArraySlice<String>, isReplacing: Bool) throws -> Bool {
    let usage = Failure("'Insert' and 'Replace' require a key path, a type, and a value.")
    var words = arguments
    guard let keyPath = words.popFirst(), let type = words.popFirst() else { throw usage }
    let value = try Self.value(type, &words, orThrow: usage)
    let isAppending = words.first == "-append"
    if isAppending { words.removeFirst() }
    return try change(words) { root in
      try Self.insert(
        value, at: keyPath, in: &root, isReplacing: isReplacing,
        isAppending: isAppending && !isReplacing)
    }
  }

  /// Changes each file, in the form that it has.
  private func change(
    _ words: ArraySlice<String>, _ body: (inout PreferenceValue) throws -> Void
  ) throws -> Bool {
    let options = try Options(words)
    return try forEach(options) { path in
      try whileLocked(options, path) {
        let input = try contents(of: path)
        var value = input.value
        try body(&value)
        try write(value, .form(input.form), to: path, options, from: input)
      }
    }
  }

  // MARK: Files

  /// Runs what reads a file and replaces it, while no other line changes it.
  private func whileLocked(
    _ options: Options, _ path: String, _ body: () throws -> Void
  ) throws {
    let target = options.output ?? path
    guard target != "-" else { return try body() }
    try PropertyListFile.whileLocked(target, body)
  }

  /// Runs `body` for each file; one that fails does not stop the others.
  private func forEach(_ options: Options, _ body: (String) throws -> Void) throws -> Bool {
    var isDone = true
    for path in options.paths {
      do {
        try body(path)
      } catch {
        isDone = false
        let message =
          switch error {
          case let error as Failure: error.message
          case let error as System.Failure:
            "file does not exist or is not readable or is not a regular file (\(error.reason))"
          case let error as DefaultsRefusal: error.message ?? ""
          default: "\(error)"
          }
        streams.complain("\(Self.shown(path)): \(message)")
      }
    }
    return isDone
  }

  private static func shown(_ path: String) -> String { path == "-" ? "<stdin>" : path }

  private func bytes(of path: String) throws -> [UInt8] {
    if path.isEmpty { throw Failure("Empty path specified") }
    return path == "-" ? try streams.input() : try PropertyListFile.bytes(of: path)
  }

  /// What a path led to.
  private struct Input {
    let value: PreferenceValue
    let form: PropertyListForm
    /// The domain that the path means; `nil` for a file.
    var domain: DefaultsTarget?
    /// Its keys and values; `nil` if all of it is written anew.
    var before: [String: PreferenceValue]?
  }

  /// The domain that a path means, with its contents; `nil` for a file.
  private func domain(of path: String) throws -> Input? {
    guard path != "-", let domains = streams.domains, let target = domains.target(of: path) else {
      return nil
    }
    guard let entries = try domains.contents(of: target) else {
      throw System.Failure(errno: ENOENT)
    }
    return Input(value: .dictionary(entries), form: .binary, domain: target, before: entries)
  }

  /// A property list, or JSON.
  private func contents(of path: String) throws -> Input {
    if let input = try domain(of: path) { return input }
    let bytes = try bytes(of: path)
    var json: String?
    if case .oldStyle = PropertyListForm(bytes) {
      let text = PlainJSON.utf8(bytes)
      do {
        // JSON comes first only where no property list can begin so: an old-style one has no colon.
        let value = try PlainJSON.parse(text ?? bytes)
        switch value {
        case .array, .dictionary: return Input(value: value, form: .json)
        default: break
        }
      } catch {
        json = PlainJSON.problem(error, in: bytes)
      }
    }
    do {
      return Input(value: try PropertyList.parse(bytes), form: PropertyListForm(bytes))
    } catch {
      throw Failure(
        "Property List error: \(Self.problem(error, in: bytes)) / JSON error: "
          + (json ?? "Invalid value around character 0."))
    }
  }

  /// What CoreFoundation says of an error, as far as that is known.
  private static func problem(_ error: PreferenceError, in bytes: [UInt8]) -> String {
    guard !bytes.isEmpty else { return "Cannot parse a NULL or zero-length data" }
    if case .oldStyle = PropertyListForm(bytes) {
      let blanks = bytes.prefix { $0 <= 0x20 }
      guard bytes.count > 1, blanks.count < bytes.count else { return "No XML content found" }
      let line = blanks.count { $0 == 0x0a } + 1
      return "Unexpected character \(Unicode.Scalar(bytes[blanks.count])) at line \(line)"
    }
    if error.message.begins(with: "no element found")
      || error.message.begins(with: "unclosed token")
    {
      return "Encountered unexpected EOF"
    }
    return error.message
  }

  private func write(
    _ value: PreferenceValue, _ format: Format, to path: String, _ options: Options,
    from input: Input, isPart: Bool = false
  ) throws {
    if value.isDeeper(than: PreferenceValue.depthLimit) { throw Failure(Self.tooDeep) }
    let isInPlace = options.output == nil && options.fileExtension == nil && !isPart
    if let domain = input.domain, let domains = streams.domains, isInPlace,
      case .form(let form) = format
    {
      guard form != .json else {
        throw Failure("\(domain.name) is a domain, which has no form of its own")
      }
      for warning in try domains.write(value, over: input.before, to: domain) {
        streams.complain("\(Self.shown(path)): warning: \(warning)")
      }
      return
    }
    var output: [UInt8]
    var isText = false
    let isRefused =
      switch format {
      case .form(.json): false
      case .raw, .type: value == PlainJSON.null
      case .form, .literal: PlainJSON.hasNull(value)
      }
    if isRefused { throw Failure(Self.noForm) }
    switch format {
    case .form(.xml):
      let document = PropertyList.xml(value)
      for loss in document.losses {
        streams.complain("\(Self.shown(path)): warning: XML cannot hold this: \(loss)")
      }
      output = document.bytes
    case .form(.binary): output = PropertyList.binary(value)
    case .form(.json):
      guard let text = PlainJSON.text(value, isReadable: options.isReadable) else {
        throw Failure(Self.noForm)
      }
      output = Array(text.utf8)
    case .form(.oldStyle):
      throw Failure("Conversion to OpenStep format is not supported")
    case .literal(let language):
      return try write(value, as: language, to: path, options)
    case .raw, .type:
      if case .type = format {
        output = Array(Self.type(of: value).utf8)
      } else {
        output = Array(Self.raw(value).utf8)
      }
      if options.endsLine { output.append(0x0a) }
      isText = true
    }
    if options.output == "-" || options.output == nil && (isText || path == "-") {
      return streams.output(output)
    }
    let target = options.output ?? Self.path(path, withExtension: options.fileExtension)
    if let domains = streams.domains, let domain = domains.target(of: target),
      case .form = format
    {
      for warning in try domains.write(value, over: nil, to: domain) {
        streams.complain("\(Self.shown(target)): warning: \(warning)")
      }
      return
    }
    try PropertyListFile.write(output, to: target, mode: 0o666)
  }

  /// CoreFoundation's words where it reads such a file; it writes one without a word.
  private static let tooDeep = "Too many nested arrays or dictionaries"

  /// A Mac's words; swift-corelibs-foundation's are others.
  private static let noForm = "invalid object in plist for destination format"

  /// Writes source text, and for Objective-C the header that declares it.
  private func write(
    _ value: PreferenceValue, as language: PlistLiteral.Language, to path: String,
    _ options: Options
  ) throws {
    func name(_ path: String) -> String { path.parts(at: "/").last.map { String($0) } ?? path }
    let literal = PlistLiteral(language: language, source: path == "-" ? "stdin" : name(path))
    let isStream = options.output == "-" || options.output == nil && path == "-"
    let ending = language == .swift ? "swift" : "m"
    let target = options.output ?? Self.path(path, withExtension: options.fileExtension ?? ending)
    let header = Self.path(target, withExtension: "h")
    do {
      let isAlone = isStream || language == .swift
      let text = try literal.text(value, header: isAlone ? nil : name(header))
      if isStream { return streams.output(Array(text.utf8)) }
      try PropertyListFile.write(Array(text.utf8), to: target, mode: 0o666)
      if options.makesHeader {
        try PropertyListFile.write(Array(try literal.header(value).utf8), to: header, mode: 0o666)
      }
    } catch let error as PlistLiteral.NoLiteral {
      throw Failure(error.message)
    }
  }

  private static func path(_ path: String, withExtension fileExtension: String?) -> String {
    guard let fileExtension else { return path }
    var bytes = path.utf8[...]
    if let dot = bytes.lastIndex(of: 0x2e), !bytes[dot...].contains(0x2f) { bytes = bytes[..<dot] }
    return "\(Substring(bytes)).\(fileExtension)"
  }

  // MARK: Values

  private static let types = [
    "(any)", "bool", "integer", "float", "string", "array", "dictionary", "date", "data",
  ]

  private static func type(of value: PreferenceValue) -> String {
    switch value {
    case .boolean: "bool"
    case .uid: "(any)"
    default: value.kind.rawValue
    }
  }

  private static func raw(_ value: PreferenceValue) -> String {
    switch value {
    case .string(let text): text
    case .integer(let number): String(number)
    case .unsignedInteger(let number), .uid(let number): String(number)
    case .real(let number): CNumberFormat.fixed(number)
    case .float(let number): CNumberFormat.fixed(Double(number))
    case .boolean(let flag): flag ? "true" : "false"
    case .date(let date): CalendarTime(date)?.iso8601 ?? "\(date.timeIntervalSince1970)"
    case .data(let bytes): DefaultsNumber.base64(bytes)
    case .array(let elements): String(elements.count)
    case .dictionary(let entries):
      entries.keys.sorted(by: OldStyleWriter.precedes).joined(separator: "\n")
    }
  }

  /// The form of `-p`.
  private static func readable(_ value: PreferenceValue, indent: Int) -> String {
    let blanks = String(repeating: " ", count: indent)
    let outer = String(repeating: " ", count: indent - 2)
    switch value {
    case .dictionary(let entries):
      return "{\n"
        + entries.keys.sorted(by: OldStyleWriter.precedes).map { key in
          "\(blanks)\"\(key)\" => \(readable(entries[key] ?? "", indent: indent + 2))"
        }.joined() + "\(outer)}\n"
    case .array(let elements):
      return "[\n"
        + elements.enumerated().map { index, element in
          "\(blanks)\(index) => \(readable(element, indent: indent + 2))"
        }.joined() + "\(outer)]\n"
    case .string(let text): return "\"\(text)\"\n"
    case .data(let bytes):
      func digits(_ bytes: some Sequence<UInt8>) -> String { Hexadecimal.text(Array(bytes)) }
      let shown =
        bytes.count > 24
        ? "\(digits(bytes.prefix(16)))... \(digits(bytes.suffix(8)))" : digits(bytes)
      return "{length = \(bytes.count), bytes = 0x\(shown)}\n"
    case .boolean(let flag): return flag ? "true\n" : "false\n"
    case PlainJSON.null: return "<null>\n"
    case .real(let number): return "\(number)\n"
    case .float(let number): return "\(number)\n"
    case .uid(let number): return "<CFKeyedArchiverUID>{value = \(number)}\n"
    default: return OldStyleWriter().text(value) + "\n"
    }
  }

  /// The value of `-insert` and `-replace`.
  private static func value(
    _ type: String, _ words: inout ArraySlice<String>, orThrow usage: Failure
  ) throws -> PreferenceValue {
    func next() throws -> String {
      guard let word = words.popFirst() else { throw usage }
      return word
    }
    switch type {
    case "-bool": return .boolean(["true", "yes"].contains(try next().lowercased()))
    case "-integer": return .integer(DefaultsNumber.integer(try next()))
    case "-float": return .real(DefaultsNumber.real(try next()))
    case "-string": return .string(try next())
    case "-date":
      guard let date = DefaultsNumber.iso8601(try next()) else {
        throw Failure("Invalid date in argument")
      }
      return .date(date)
    case "-data":
      let text = try next()
      // Foundation wants the padding, which everything else here does without.
      guard text.utf8.count(where: { $0 > 0x20 }) % 4 == 0,
        let bytes = DefaultsNumber.base64(text)
      else { throw Failure("Invalid base64 data in argument") }
      return .data(bytes)
    case "-xml":
      do {
        return try PropertyList.parse(Array(try next().utf8))
      } catch let error as PreferenceError {
        throw Failure("Unable to parse xml property list: \(error.message)")
      }
    case "-json":
      do {
        return try PlainJSON.parse(Array(try next().utf8))
      } catch let error as JSONSyntaxError {
        throw Failure("Unable to parse JSON: \(error.message)")
      }
    case "-dictionary": return .dictionary([:])
    case "-array": return .array([])
    default: throw Failure("Unknown insert or replace type \(type)")
    }
  }

  // MARK: Key paths

  /// The parts of a key path; a dot that is part of a key has a backslash before it.
  private static func components(_ keyPath: String) -> [String] {
    var components: [String] = []
    var component = String.UnicodeScalarView()
    var scalars = keyPath.unicodeScalars[...]
    while let scalar = scalars.popFirst() {
      if scalar == "\\", scalars.first == "." {
        component.append(".")
        scalars.removeFirst()
      } else if scalar == "." {
        components.append(String(component))
        component = String.UnicodeScalarView()
      } else {
        component.append(scalar)
      }
    }
    return components + [String(component)]
  }

  private static func value(at keyPath: String, in root: PreferenceValue) -> PreferenceValue? {
    let path = components(keyPath)
    return path.contains("") ? nil : root.value(at: path[...])
  }

  private static func remove(_ keyPath: String, from root: inout PreferenceValue) throws {
    let path = components(keyPath)
    let missing = Failure("No value to remove at key path \(keyPath)")
    guard !path.contains("") else { throw missing }
    do {
      try root.remove(at: path[...])
    } catch is NoSuchParent {
      throw missing
    }
  }

  private static func insert(
    _ value: PreferenceValue, at keyPath: String, in root: inout PreferenceValue,
    isReplacing: Bool, isAppending: Bool
  ) throws {
    do {
      try root.changeParent(of: components(keyPath)[...]) { parent, name in
        switch parent {
        case .dictionary(var entries):
          switch entries[name] {
          case let present? where isAppending:
            guard case .array(let elements) = present else {
              throw Failure("Appending to a non-array at key path \(keyPath)")
            }
            entries[name] = .array(elements + [value])
          case .some where !isReplacing:
            throw Failure("Value already exists at key path \(keyPath)")
          default: entries[name] = value
          }
          parent = .dictionary(entries)
        case .array(var elements):
          guard let index = Int(name) else {
            throw Failure("Unable to index into array with key path \(keyPath)")
          }
          if isAppending {
            guard elements.indices.contains(index), case .array(let inner) = elements[index] else {
              throw Failure("Attempt to append value to non-array at key path \(keyPath)")
            }
            elements[index] = .array(inner + [value])
          } else {
            guard (0...elements.count).contains(index) else {
              throw Failure("Index \(index) out of bounds in array at key path \(keyPath)")
            }
            if isReplacing, index < elements.count { elements.remove(at: index) }
            elements.insert(value, at: index)
          }
          parent = .array(elements)
        default: throw Failure("Unable to insert value at key path \(keyPath)")
        }
      }
    } catch is NoSuchParent {
      throw Failure("Key path not found \(keyPath)")
    }
  }

  // MARK: Help

  private static let help = """
    plutil: [command_option] [other_options] file...
    The file '-' means stdin
    Command options are (-lint is the default):
     -help                         show this message and exit
     -lint                         check the property list files for syntax errors
     -p                            print property list in a human-readable fashion
     -convert fmt                  rewrite property list files in format
                                   fmt is one of: xml1 binary1 json swift objc
     -insert keypath -type value   insert a value, at an index of an array or a new key
                                   type is one of: bool, integer, float, date, string, data, xml,
                                   json; -dictionary and -array take no value
                                   -append behind the value: at the end of the array at keypath
     -replace keypath -type value  same as -insert, but overwrites an existing value
     -remove keypath               removes the value at keypath
     -extract keypath fmt          outputs the value at keypath as a new plist of type fmt
                                   fmt is one of: xml1 binary1 json raw
     -type keypath                 outputs the type of the value at keypath
                                   behind -extract and -type: -expect type
     -create fmt                   creates an empty property list
    Other options:
     -s                            be silent on success
     -o path                       write the result to path; '-' means stdout
     -e extension                  write the result beside the file, with this extension
     -r                            write JSON in human-readable form
     -header                       with objc, write the header beside it, too
     -n                            no newline behind what raw and -type print
     --                            all further arguments are file names
    """
}
