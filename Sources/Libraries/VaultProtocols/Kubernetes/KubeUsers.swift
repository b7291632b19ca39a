import VaultStorage

/// The users of a kubeconfig file, in the form in which kubectl writes it: one setting a line, with
/// blanks before it that say what it belongs to.
///
/// kubernetes.io, "Organizing Cluster Access Using kubeconfig Files"; client-go,
/// `tools/clientcmd/api/v1`. This is no YAML: what has another form is not seen, and stays.
struct KubeUsers {
  /// A user.
  private struct User {
    let name: String
    /// The line of its `user:`.
    let line: Int
    /// How far that is indented.
    let indent: Int
    /// The lines below it.
    var below: Range<Int>
  }

  private var lines: [String]
  private let lineEnd: String
  private var users: [User] = []
  /// The line of `users:`; `nil` if there is none, or none that can be read.
  private var heading: Int?
  /// How far its entries are indented, and behind which line the next one goes.
  private var (entryIndent, end) = (0, 0)
  /// Whether all of the file's users have been read.
  private var isWhole = true

  /// Reads the users.
  ///
  /// - Parameter text: The file.
  init(_ text: String) {
    let parts = text.parts(at: "\n", keepsEmpty: true).map(String.init)
    let isOfWindows = parts.count > 1 && parts.dropLast().allSatisfy { $0.utf8.last == 0x0D }
    lineEnd = isOfWindows ? "\r\n" : "\n"
    lines = isOfWindows ? parts.map { $0.utf8.last == 0x0D ? $0.withoutLastByte : $0 } : parts
    read()
  }

  /// The file.
  var text: String { lines.joined(separator: lineEnd) }

  /// The names of the users, in their order.
  var names: [String] { users.map(\.name) }

  // MARK: - Reading

  private static func indent(_ line: String) -> Int { line.utf8.prefix { $0 == 0x20 }.count }

  private static func isEmpty(_ line: String) -> Bool {
    let content = line.trimmingBlanks
    return content.isEmpty || content.begins(with: "#")
  }

  /// The name and the value of a setting, without a dash before it.
  private static func setting(_ line: String) -> (key: String, value: String)? {
    guard let (key, value) = line.halves(at: ":"),
      value.isEmpty || value.begins(with: " ") || value.begins(with: "\r")
    else { return nil }
    let text = value.trimmingBlanks
    return (key.trimmingBlanks, text.begins(with: "#") ? "" : text)
  }

  private mutating func read() {
    (users, heading) = ([], nil)
    // JSON, or several documents: of these no users are read.
    isWhole =
      !lines.contains { $0.begins(with: "{") || $0.begins(with: "---") }
      && !lines.contains { $0.begins(with: "users:") || $0.begins(with: "\"users\"") }
    guard
      let top = lines.firstIndex(where: { line in
        !line.begins(with: " ") && Self.setting(line)?.key == "users"
      }), ["", "[]", "null"].contains(Self.setting(lines[top])?.value)
    else { return }
    (heading, end) = (top, top + 1)
    isWhole = !lines.contains { $0.begins(with: "{") || $0.begins(with: "---") }
    guard let first = lines[end...].firstIndex(where: { !Self.isEmpty($0) }),
      lines[first].trimmingBlanks.begins(with: "-")
    else { return }
    entryIndent = Self.indent(lines[first])
    var entries: [Range<Int>] = []
    for place in lines[first...].indices where !Self.isEmpty(lines[place]) {
      let indent = Self.indent(lines[place])
      let isEntry = lines[place].dropFirst(indent).begins(with: "- ")
      guard indent > entryIndent || indent == entryIndent && isEntry else { break }
      end = place + 1
      if indent == entryIndent {
        entries.append(place..<place + 1)
      } else if let last = entries.indices.last {
        entries[last] = entries[last].lowerBound..<place + 1
      }
    }
    users = entries.compactMap(user(in:))
    isWhole = isWhole && users.count == entries.count
  }

  private func user(in entry: Range<Int>) -> User? {
    // The dash stands where a blank could.
    let own = entry.map { place in
      place == entry.lowerBound
        ? String(repeating: " ", count: entryIndent + 1) + lines[place].dropFirst(entryIndent + 1)
        : lines[place]
    }
    let indent = Self.indent(own[0])
    var (name, line): (String?, Int?) = (nil, nil)
    for (place, text) in zip(entry, own) where Self.indent(text) == indent {
      guard !Self.isEmpty(text), let (key, value) = Self.setting(text) else { continue }
      if key == "name" { name = YAMLScalar.value(value) }
      if key == "user", ["", "{}", "null"].contains(value) { line = place }
    }
    guard let name, let line else { return nil }
    let behind = entry.dropFirst(line - entry.lowerBound + 1)
    let below = behind.prefix { place in
      Self.isEmpty(lines[place]) || Self.indent(lines[place]) > indent
    }
    return User(name: name, line: line, indent: indent, below: line + 1..<line + 1 + below.count)
  }

  private func user(_ name: String) -> User? { users.first { $0.name.isSame(as: name) } }

  /// How far the settings of a user are indented.
  private func inner(_ user: User) -> Int {
    user.below.first { !Self.isEmpty(lines[$0]) }.map { Self.indent(lines[$0]) } ?? user.indent + 2
  }

  /// The lines of a setting of a user, with those that belong to it; `nil` also for one that is there
  /// twice.
  private func block(_ key: String, of user: User) -> Range<Int>? {
    let inner = inner(user)
    let places = user.below.filter {
      Self.indent(lines[$0]) == inner && Self.setting(lines[$0])?.key == key
    }
    guard places.count == 1, let first = places.first else { return nil }
    let more = user.below.dropFirst(first - user.below.lowerBound + 1).prefix {
      !Self.isEmpty(lines[$0]) && Self.indent(lines[$0]) > inner
    }
    return first..<first + 1 + more.count
  }

  /// The value of a setting of a user.
  ///
  /// - Parameters:
  ///   - key: Its name.
  ///   - name: The user's.
  /// - Returns: `nil` if there is none, or none that can be read.
  func value(_ key: String, of name: String) -> String? {
    guard let user = user(name), let block = block(key, of: user), block.count == 1,
      let value = Self.setting(lines[block.lowerBound])?.value
    else { return nil }
    return YAMLScalar.value(value)
  }

  /// The settings of a user, whatever they say.
  ///
  /// - Parameter name: The user's name.
  /// - Returns: Their names.
  func settings(of name: String) -> [String] {
    guard let user = user(name) else { return [] }
    let inner = inner(user)
    return user.below.filter { Self.indent(lines[$0]) == inner }
      .compactMap { Self.setting(lines[$0])?.key }
  }

  /// Whether the file has this user, or can get it: one in a form that is not read might have its name.
  ///
  /// - Parameter name: The user's name.
  /// - Returns: Whether ``add(_:to:)`` does what it says.
  func canHave(_ name: String) -> Bool { isWhole || user(name) != nil }

  /// The program that gives a user's credentials, and its words.
  ///
  /// - Parameter name: The user's name.
  /// - Returns: `nil` if none is set.
  func program(of name: String) -> (command: String, arguments: [String])? {
    guard let user = user(name), let block = block(Self.exec, of: user) else { return nil }
    var (command, arguments, isList) = ("", [String](), false)
    for line in lines[block.dropFirst()].map(\.trimmingBlanks) {
      if isList, line.begins(with: "-") {
        arguments.append(YAMLScalar.value(String(line.dropFirst())) ?? "")
        continue
      }
      guard let (key, value) = Self.setting(line) else { continue }
      isList = key == "args"
      if key == "command" { command = YAMLScalar.value(value) ?? value }
    }
    return (command, arguments)
  }

  // MARK: - Changing

  /// The setting of a program that gives credentials.
  static let exec = "exec"

  /// Takes settings of a user out, with all that belongs to them.
  ///
  /// - Parameters:
  ///   - keys: Their names.
  ///   - name: The user's.
  mutating func remove(_ keys: [String], of name: String) {
    for key in keys {
      guard let user = user(name), let block = block(key, of: user) else { continue }
      let isLast = user.below.allSatisfy { block.contains($0) || Self.isEmpty(lines[$0]) }
      // Nothing at all would be no user.
      if isLast { lines[user.line] += " {}" }
      lines.removeSubrange(block)
      read()
    }
  }

  /// Gives a user settings, and makes one that is not there.
  ///
  /// - Parameters:
  ///   - settings: Their lines, indented as by themselves.
  ///   - name: The user's name.
  mutating func add(_ settings: [String], to name: String) {
    if user(name) == nil { addUser(name) }
    guard let user = user(name) else { return }
    let blanks = String(repeating: " ", count: inner(user))
    let line = lines[user.line]
    for form in [" {}", " null"] where line.ends(with: form) {
      lines[user.line] = String(line.dropLast(form.utf8.count))
    }
    lines.insert(contentsOf: settings.map { blanks + $0 }, at: user.line + 1)
    read()
  }

  private mutating func addUser(_ name: String) {
    if let heading {
      lines[heading] = "users:"
    } else {
      // Behind the last line that says anything.
      let last = lines.lastIndex { !$0.trimmingBlanks.isEmpty }.map { $0 + 1 } ?? 0
      lines.insert("users:", at: last)
      if last == lines.count - 1 { lines.append("") }
      (heading, end, entryIndent) = (last, last + 1, 0)
    }
    let blanks = String(repeating: " ", count: entryIndent)
    lines.insert(
      contentsOf: ["\(blanks)- name: \(YAMLScalar.written(name))", "\(blanks)  user: {}"], at: end)
    if end + 2 == lines.count { lines.append("") }
    read()
  }
}

extension String {
  fileprivate var withoutLastByte: String {
    String(decoding: Array(utf8.dropLast()), as: UTF8.self)
  }
}
