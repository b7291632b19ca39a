import VaultPreferences
import VaultStorage

/// The way to a value inside of others, as PlistBuddy writes it: `:window:size:0`.
///
/// A colon or a backslash that is part of a key has a backslash before it.
struct PropertyListPath: Equatable {
  var components: [String]

  /// Reads a path; a colon at its beginning may be left out.
  init(_ text: String) {
    components = []
    var component = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if isEscaped {
        component.append(scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else if scalar == ":" {
        components.append(String(component))
        component = String.UnicodeScalarView()
      } else {
        component.append(scalar)
      }
    }
    components.append(String(component))
    if text.begins(with: ":") { components.removeFirst() }
    if components == [""] { components = [] }
  }

  /// The path of a line of `defaults`, which begins with a colon and names a key; `nil` for other
  /// words.
  init?(word: String) {
    guard word.begins(with: ":") else { return nil }
    self.init(word)
    guard !components.isEmpty else { return nil }
  }

  /// The path as it is typed.
  var text: String {
    components.map { component in
      ":" + component.substituting("\\", with: "\\\\").substituting(":", with: "\\:")
    }.joined()
  }
}

/// There is no array or dictionary at the place that a path leads to.
struct NoSuchParent: Error {}

extension PreferenceValue {
  /// The value at the end of a path; `nil` if the path leads nowhere.
  func value(at path: ArraySlice<String>) -> PreferenceValue? {
    guard let name = path.first else { return self }
    let child: PreferenceValue? =
      switch self {
      case .dictionary(let entries): entries[name]
      case .array(let elements):
        Int(name).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
      default: nil
      }
    return child?.value(at: path.dropFirst())
  }

  /// Changes the array or dictionary that holds, or is to hold, the value at the end of a path.
  ///
  /// - Parameters:
  ///   - path: The path; at least one component.
  ///   - isMaking: Whether dictionaries that are missing on the way are made.
  ///   - change: Changes the container; it gets the path's last component, too.
  /// - Throws: ``NoSuchParent`` if the path leads nowhere; what `change` throws.
  mutating func changeParent(
    of path: ArraySlice<String>, isMaking: Bool = false,
    _ change: (inout PreferenceValue, String) throws -> Void
  ) throws {
    guard let name = path.first else { throw NoSuchParent() }
    guard path.count > 1 else { return try change(&self, name) }
    switch self {
    case .dictionary(var entries):
      guard var child = entries[name] ?? (isMaking ? .dictionary([:]) : nil) else {
        throw NoSuchParent()
      }
      try child.changeParent(of: path.dropFirst(), isMaking: isMaking, change)
      entries[name] = child
      self = .dictionary(entries)
    case .array(var elements):
      guard let index = Int(name), elements.indices.contains(index) else { throw NoSuchParent() }
      try elements[index].changeParent(of: path.dropFirst(), isMaking: isMaking, change)
      self = .array(elements)
    default: throw NoSuchParent()
    }
  }

  /// Sets the value at the end of a path: an element is replaced, one behind the last is appended.
  mutating func set(_ value: PreferenceValue, at path: ArraySlice<String>) throws {
    guard !path.isEmpty else { return self = value }
    try changeParent(of: path, isMaking: true) { parent, name in
      switch parent {
      case .dictionary(var entries):
        entries[name] = value
        parent = .dictionary(entries)
      case .array(var elements):
        guard let index = name.isEmpty ? elements.count : Int(name),
          (0...elements.count).contains(index)
        else { throw NoSuchParent() }
        if index == elements.count { elements.append(value) } else { elements[index] = value }
        parent = .array(elements)
      default: throw NoSuchParent()
      }
    }
  }

  /// Removes the value at the end of a path, which is not empty.
  mutating func remove(at path: ArraySlice<String>) throws {
    try changeParent(of: path) { parent, name in
      switch parent {
      case .dictionary(var entries):
        guard entries.removeValue(forKey: name) != nil else { throw NoSuchParent() }
        parent = .dictionary(entries)
      case .array(var elements):
        guard let index = Int(name), elements.indices.contains(index) else { throw NoSuchParent() }
        elements.remove(at: index)
        parent = .array(elements)
      default: throw NoSuchParent()
      }
    }
  }
}
