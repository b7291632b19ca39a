import FoundationEssentials
import Glibc
import VaultPreferences
import VaultStorage

/// macOS's `PlistBuddy`, under a link of that name: reads and writes values of a property list.
///
/// The texts and rules are those of the manual page and of a re-implementation that was compared
/// with Apple's. A file keeps its form, binary or XML, and dates are shown and read in UTC.
package final class PlistBuddyTool {
  private let streams: PropertyListStreams
  private var root = PreferenceValue.dictionary([:])
  private var form = PropertyListForm.xml
  private var path = ""
  /// The domain that the path means, and its keys and values when it was read; `nil` for a file.
  private var domain: (target: DefaultsTarget, before: [String: PreferenceValue])?
  private var printsXML = false
  private var isChanged = false
  private var hasFailed = false

  package init(_ streams: PropertyListStreams) { self.streams = streams }

  /// A command that cannot be done; its text goes to stderr.
  private struct Failure: Error {
    let message: String
    init(_ message: String) { self.message = message }
  }

  /// The line says what is wrong on stdout.
  private struct Remark: Error {
    let message: String
    /// Whether the command counts as failed.
    let isFailure: Bool
  }

  /// Runs one line.
  ///
  /// - Parameter arguments: The words after the program's name.
  /// - Returns: 0; 1 on failure.
  package func run(_ arguments: [String]) -> Int32 {
    var words = arguments[...]
    var commands: [String] = []
    var files: [String] = []
    var isHelp = false
    var followsLinks = true
    while let word = words.popFirst() {
      switch word {
      case "-c":
        guard let command = words.popFirst() else {
          streams.print(Self.usage)
          return 1
        }
        commands.append(command)
      case "-x": printsXML = true
      case "-l": followsLinks = false
      case "-h": isHelp = true
      default: files.append(word)
      }
    }
    if isHelp {
      streams.print(Self.help)
      return files.isEmpty ? 1 : 0
    }
    guard let file = files.first else {
      streams.print(Self.usage)
      return 1
    }
    path = file.begins(with: "/") ? file : "\(UserFile.workingDirectory)/\(file)"
    guard files.count == 1 else {
      streams.print("Invalid Arguments\n")
      return 1
    }
    guard commands.contains(where: { Self.changes.contains(PlistBuddyCommand($0).name) }) else {
      return run(commands, followsLinks: followsLinks)
    }
    // From what is read until it is replaced; a conversation holds up nobody.
    return PropertyListFile.whileLocked(path) { run(commands, followsLinks: followsLinks) }
  }

  private func run(_ commands: [String], followsLinks: Bool) -> Int32 {
    guard load(followsLinks: followsLinks) else { return 1 }
    return commands.isEmpty ? converse() : perform(commands)
  }

  /// The commands after which a file may be written.
  private static let changes: Set = [
    "save", "clear", "set", "add", "copy", "delete", "merge", "import",
  ]

  // MARK: The file

  private func load(followsLinks: Bool) -> Bool {
    if !followsLinks, UserFile.isLink(path) {
      streams.complain("Error Opening File: \(path) [Too many levels of symbolic links]")
      streams.complain("Error Reading File: \(path)")
      return false
    }
    domain = nil
    if let domains = streams.domains, let target = domains.target(of: path) {
      do {
        if let entries = try domains.contents(of: target) {
          root = .dictionary(entries)
          domain = (target, entries)
          return true
        }
        domain = (target, [:])
      } catch {
        streams.complain("\(error)")
        streams.print("Error Reading File: \(path)")
        return false
      }
    }
    guard UserFile.exists(path, followingLinks: false) else {
      streams.print("File Doesn't Exist, Will Create: \(path)")
      return true
    }
    do {
      let bytes = try PropertyListFile.bytes(of: path)
      root = try PropertyList.parse(bytes)
      // A word is a property list of the old style, and surely not what was meant.
      if case .string = root, case .oldStyle = PropertyListForm(bytes) {
        throw PreferenceError(.syntax, "it is neither XML nor binary")
      }
      form = PropertyListForm(bytes)
      return true
    } catch {
      streams.complain((error as? System.Failure)?.reason ?? "\(error)")
      streams.print("Error Reading File: \(path)")
      return false
    }
  }

  private func save() -> Bool {
    guard !root.isDeeper(than: PreferenceValue.depthLimit) else {
      streams.complain("Too many nested arrays or dictionaries")
      streams.complain("Error Writing File: \(path)")
      return false
    }
    if let domain, let domains = streams.domains {
      do {
        for warning in try domains.write(root, over: domain.before, to: domain.target) {
          streams.complain("Warning: \(warning)")
        }
        if case .dictionary(let entries) = root { self.domain = (domain.target, entries) }
        isChanged = false
        return true
      } catch {
        streams.complain((error as? DefaultsRefusal)?.message ?? "\(error)")
        streams.complain("Error Writing File: \(path)")
        return false
      }
    }
    let isBinary: Bool
    if case .binary = form { isBinary = true } else { isBinary = false }
    let bytes: [UInt8]
    if isBinary {
      bytes = PropertyList.binary(root)
    } else {
      let document = PropertyList.xml(root)
      for loss in document.losses { streams.complain("Warning: XML cannot hold this: \(loss)") }
      bytes = document.bytes
    }
    do {
      try PropertyListFile.write(bytes, to: path, mode: 0o666)
      isChanged = false
      return true
    } catch {
      streams.complain("Error Writing File: \(path)")
      return false
    }
  }

  // MARK: Commands

  private func perform(_ commands: [String]) -> Int32 {
    for command in commands { _ = perform(command) }
    // What was changed is saved, also if another command failed or said Exit.
    if isChanged, !save() { return 1 }
    return hasFailed ? 1 : 0
  }

  private func converse() -> Int32 {
    while true {
      streams.output(Array("Command: ".utf8))
      guard let line = streams.line() else {
        streams.print("")
        break
      }
      if !line.utf8.allSatisfy({ $0 <= 0x20 }), !perform(line) { break }
    }
    return hasFailed ? 1 : 0
  }

  /// - Returns: False for `Exit`.
  private func perform(_ line: String) -> Bool {
    do {
      return try performThrowing(line)
    } catch let remark as Remark {
      streams.print(remark.message)
      hasFailed = hasFailed || remark.isFailure
    } catch {
      streams.complain((error as? Failure)?.message ?? "\(error)")
      hasFailed = true
    }
    return true
  }

  private func performThrowing(_ line: String) throws -> Bool {
    var command = PlistBuddyCommand(line)
    if command.hasOpenQuote {
      throw Remark(message: "Parse Error: Unclosed Quotes", isFailure: false)
    }
    switch command.name {
    case "help": streams.print(Self.help)
    case "exit", "quit", "bye": return false
    case "save":
      streams.print("Saving...")
      if !save() { hasFailed = true }
    case "revert":
      streams.print("Reverting to last saved state...")
      root = .dictionary([:])
      isChanged = false
      if !load(followsLinks: true) { hasFailed = true }
    case "clear": clear(command.value())
    case "print": try show(command.word())
    case "set": try set(command.word(), command.value())
    case "add": try add(command.word(), command.word(), command.value())
    case "copy": try copy(command.word(), to: command.word())
    case "delete": try delete(command.word())
    case "merge": try merge(command.word(), into: command.word())
    case "import": try importFile(command.word(), command.word())
    default: throw Remark(message: "Unrecognized Command", isFailure: true)
    }
    return true
  }

  private func clear(_ type: String) {
    let empty = Self.empty(type)
    if empty == nil { streams.print("Unrecognized Type: \(type)") }
    streams.print("Initializing Plist...")
    root = empty ?? .dictionary([:])
    isChanged = true
  }

  private func show(_ entry: String) throws {
    let value = try value(at: entry, "Print")
    streams.output(printsXML ? PropertyList.xml(value).bytes : Self.text(value, level: 0) + [0x0a])
  }

  private func set(_ entry: String, _ text: String) throws {
    let present = try value(at: entry, "Set")
    let value: PreferenceValue
    switch present {
    case .array, .dictionary: throw Failure("Set: Cannot Perform Set On Containers")
    case .integer, .unsignedInteger, .uid: value = try Self.value("integer", text)
    case .real, .float: value = try Self.value("real", text)
    case .boolean: value = try Self.value("bool", text)
    case .date: value = try Self.value("date", text)
    case .data: value = try Self.value("data", text)
    case .string: value = .string(text)
    }
    try? root.set(value, at: Self.path(entry).components[...])
    isChanged = true
  }

  private func add(_ entry: String, _ type: String, _ text: String) throws {
    guard Self.empty(type) != nil else {
      throw Remark(message: "Unrecognized Type: \(type)", isFailure: true)
    }
    let value = try Self.value(type.lowercased(), text)
    try insert(value, at: entry, "Add")
  }

  private func copy(_ source: String, to target: String) throws {
    let value = try value(at: source, "Copy")
    guard !target.isEmpty else {
      if source.isEmpty { throw Failure("Copy: \"\" Entry Already Exists") }
      return
    }
    try insert(value, at: target, "Copy")
  }

  private func delete(_ entry: String) throws {
    let path = Self.path(entry).components
    guard !path.isEmpty else {
      throw Remark(
        message: "Working Container has become Invalid.  Setting to :", isFailure: false)
    }
    do {
      try root.remove(at: path[...])
      isChanged = true
    } catch is NoSuchParent {
      throw Failure("Delete: Entry, \"\(entry)\", Does Not Exist")
    }
  }

  private func merge(_ file: String, into entry: String) throws {
    let merged: PreferenceValue
    do {
      merged = try PropertyList.parse(try contents(of: file))
    } catch {
      throw Failure("Merge: Error Reading File: \(file)")
    }
    let path = Self.path(entry).components[...]
    let result: PreferenceValue
    switch (try value(at: entry, "Merge"), merged) {
    case (.dictionary(let present), .dictionary(let more)):
      for key in more.keys.sorted(by: OldStyleWriter.precedes) where present[key] != nil {
        streams.print("Duplicate Entry Was Skipped: \(key)")
      }
      result = .dictionary(present.merging(more) { old, _ in old })
    case (.array(let present), .array(let more)): result = .array(present + more)
    case (.array(let present), let more): result = .array(present + [more])
    default: throw Failure("Merge: Can't Add Dict Entries to an Array or a Value")
    }
    try? root.set(result, at: path)
    isChanged = true
  }

  private func importFile(_ entry: String, _ file: String) throws {
    let path = Self.path(entry).components[...]
    switch root.value(at: path) {
    case .array?, .dictionary?: throw Failure("Import: Specified Entry Must Not Be a Container")
    default: break
    }
    let bytes: [UInt8]
    do {
      bytes = try contents(of: file)
    } catch {
      throw Failure("Import: Error Reading File: \(file)")
    }
    do {
      try root.set(.data(bytes), at: path)
    } catch is NoSuchParent {
      throw Failure("Import: Can't Add Entry, \"\(entry)\", to Parent")
    }
    isChanged = true
  }

  private func contents(of file: String) throws -> [UInt8] {
    do {
      return try PropertyListFile.bytes(of: file)
    } catch {
      streams.complain("Error Opening File: \(file) [\(error.reason)]")
      throw error
    }
  }

  // MARK: Entries

  /// The way to an entry: a second colon at its beginning means nothing.
  private static func path(_ entry: String) -> PropertyListPath {
    var path = PropertyListPath(entry)
    while path.components.count > 1, path.components[0].isEmpty { path.components.removeFirst() }
    return path
  }

  private func value(at entry: String, _ command: String) throws -> PreferenceValue {
    guard let value = root.value(at: Self.path(entry).components[...]) else {
      throw Failure("\(command): Entry, \"\(entry)\", Does Not Exist")
    }
    return value
  }

  /// Adds an entry; a number is the place in an array, nothing behind the last colon its end.
  private func insert(_ value: PreferenceValue, at entry: String, _ command: String) throws {
    var path = Self.path(entry).components
    let exists = Failure("\(command): \"\(entry)\" Entry Already Exists")
    if path.isEmpty {
      guard entry == ":" else { throw exists }
      // The end of an array at the root, or the empty key of a dictionary.
      path = [""]
    }
    do {
      try root.changeParent(of: path[...], isMaking: true) { parent, name in
        switch parent {
        case .dictionary(var entries):
          guard entries[name] == nil else { throw exists }
          entries[name] = value
          parent = .dictionary(entries)
        case .array(var elements):
          guard let index = name.isEmpty ? elements.count : Int(name), index >= 0 else {
            throw Failure("\(command): Entry, \"\(entry)\", Does Not Exist")
          }
          elements.insert(value, at: min(index, elements.count))
          parent = .array(elements)
        default: throw NoSuchParent()
        }
      }
      isChanged = true
    } catch is NoSuchParent {
      throw Failure("\(command): Can't Add Entry, \"\(entry)\", to Parent")
    }
  }

  // MARK: Values

  private static func empty(_ type: String) -> PreferenceValue? {
    switch type.lowercased() {
    case "string": .string("")
    case "array": .array([])
    case "dict": .dictionary([:])
    case "bool": .boolean(false)
    case "real": .real(0)
    case "integer": .integer(0)
    case "date": .date(Date(timeIntervalSinceReferenceDate: 0))
    case "data": .data([])
    default: nil
    }
  }

  private static func value(_ type: String, _ text: String) throws -> PreferenceValue {
    switch type {
    case "bool": return .boolean(["true", "yes", "1"].contains(text.lowercased()))
    case "integer":
      if text.isEmpty { return .integer(0) }
      if let number = Int64(text) { return .integer(number) }
      if let number = UInt64(text) { return .unsignedInteger(number) }
      if let number = DefaultsNumber.exactReal(text),
        let whole = Int64(exactly: number.rounded(.towardZero))
      {
        return .integer(whole)
      }
      throw Remark(message: "Unrecognized Integer Format", isFailure: false)
    case "real":
      if text.isEmpty { return .real(0) }
      if let number = DefaultsNumber.exactReal(text) { return .real(number) }
      throw Remark(message: "Unrecognized Real Format", isFailure: false)
    case "date":
      if let date = PlistBuddyDate.date(text) { return .date(date) }
      throw Remark(message: "Unrecognized Date Format", isFailure: false)
    case "data": return .data(Array(text.utf8))
    case "array": return .array([])
    case "dict": return .dictionary([:])
    default: return .string(text)
    }
  }

  /// The form of `Print`, without a final newline; bytes as they are.
  private static func text(_ value: PreferenceValue, level: Int) -> [UInt8] {
    let indent = String(repeating: "    ", count: level)
    let inner = indent + "    "
    switch value {
    case .string(let text): return Array(text.utf8)
    case .integer(let number): return Array(String(number).utf8)
    case .unsignedInteger(let number), .uid(let number): return Array(String(number).utf8)
    case .real(let number): return Array(CNumberFormat.fixed(number).utf8)
    case .float(let number): return Array(CNumberFormat.fixed(Double(number)).utf8)
    case .boolean(let flag): return Array((flag ? "true" : "false").utf8)
    case .date(let date): return Array(PlistBuddyDate.text(date).utf8)
    case .data(let bytes): return bytes
    case .array(let elements):
      return Array("Array {\n".utf8)
        + elements.flatMap { Array(inner.utf8) + text($0, level: level + 1) + [0x0a] }
        + Array("\(indent)}".utf8)
    case .dictionary(let entries):
      return Array("Dict {\n".utf8)
        + entries.keys.sorted(by: OldStyleWriter.precedes).flatMap { key in
          Array("\(inner)\(key) = ".utf8) + text(entries[key] ?? "", level: level + 1) + [0x0a]
        } + Array("\(indent)}".utf8)
    }
  }

  // MARK: Help

  private static let usage = """
    Usage: PlistBuddy [-cxlh] <file.plist>
        -c "<command>" execute command, otherwise run in interactive mode
        -x output will be in the form of an xml plist where appropriate
        -l if the path to <file.plist> contains symbolic links, they will
           not be followed.
        -h print the complete help info, with command guide

    """

  private static let help = """
    Command Format:
        Help - Prints this information
        Exit - Exits the program, changes are not saved to the file
        Save - Saves the current changes to the file
        Revert - Reloads the last saved version of the file
        Clear [<Type>] - Clears out all existing entries, and creates root of Type
        Print [<Entry>] - Prints value of Entry.  Otherwise, prints file
        Set <Entry> <Value> - Sets the value at Entry to Value
        Add <Entry> <Type> [<Value>] - Adds Entry to the plist, with value Value
        Copy <EntrySrc> <EntryDst> - Copies the EntrySrc property to EntryDst
        Delete <Entry> - Deletes Entry from the plist
        Merge <file.plist> [<Entry>] - Adds the contents of file.plist to Entry
        Import <Entry> <file> - Creates or sets Entry the contents of file

    Entry Format:
        Entries consist of property key names delimited by colons.  Array items
        are specified by a zero-based integer index.  Examples:
            :CFBundleShortVersionString
            :CFBundleDocumentTypes:2:CFBundleTypeExtensions

    Types:
        string array dict bool real integer date data

    """
}

/// The dates of PlistBuddy: `Tue Jan 01 00:00:00 UTC 2019`.
enum PlistBuddyDate {
  private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  static func text(_ date: Date) -> String {
    guard let time = CalendarTime(date) else { return "\(date.timeIntervalSince1970)" }
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    // The first day of the reference date, 2001-01-01, was a Monday.
    let day = Int((date.timeIntervalSinceReferenceDate / 86_400).rounded(.down))
    return "\(days[((day % 7) + 7) % 7]) \(months[time.month - 1]) \(two(time.day)) "
      + "\(two(time.hour)):\(two(time.minute)):\(two(time.second)) UTC \(time.year)"
  }

  /// A date of that form, with or without a zone that is UTC, or one that `defaults -date` takes.
  static func date(_ text: String) -> Date? {
    if text.isEmpty { return nil }
    let words = text.parts(at: " ").map { String($0) }
    if words.count == 5 || words.count == 6, let month = months.firstIndex(of: words[1]),
      let day = Int(words[2]), let year = Int(words[words.count - 1]),
      words.count == 5 || ["UTC", "GMT"].contains(words[4])
    {
      let clock = words[3].parts(at: ":").compactMap { Int($0) }
      guard clock.count == 3 else { return nil }
      return CalendarTime(
        year: year, month: month + 1, day: day, hour: clock[0], minute: clock[1], second: clock[2])?
        .date
    }
    return DefaultsNumber.date(text, now: Date())
  }
}
