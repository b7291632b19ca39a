import VaultPreferences
import VaultStorage

/// What `plutil` and `PlistBuddy` know of domains: a file below the user's `Library/Preferences`
/// that does not exist is the domain that a Mac keeps there.
///
/// `defaults` takes such a path for the domain, too. So a line that reads or changes
/// `~/Library/Preferences/NAME.plist` and one of `defaults` about NAME mean the same values.
package struct PropertyListDomains {
  private let home: String?
  private let makeTool: () -> DefaultsTool

  /// - Parameters:
  ///   - home: The user's home.
  ///   - tool: Makes what reads and changes a domain; it is asked for when one is met.
  package init(home: String?, tool: @escaping () -> DefaultsTool) {
    self.home = home
    makeTool = tool
  }

  /// The domain that a path means; `nil` for a file.
  func target(of path: String) -> DefaultsTarget? { Self.target(of: path, home: home) }

  /// The domain that a path means; `nil` for a file.
  static func target(of path: String, home: String?) -> DefaultsTarget? {
    guard path.ends(with: ".plist") else { return nil }
    let whole = DefaultsTarget.plain(
      path.begins(with: "/") ? path : "\(UserFile.workingDirectory)/\(path)")
    let folders = (home.map { ["\($0)/Library/Preferences/"] } ?? []) + ["/Library/Preferences/"]
    guard folders.contains(where: { whole.begins(with: $0) }) else { return nil }
    var words = [whole][...]
    guard let target = try? DefaultsTarget.take(&words, host: .any, home: home),
      case .stored = target
    else { return nil }
    return target
  }

  /// The keys and values of a domain; `nil` if there is none.
  func contents(of target: DefaultsTarget) throws -> [String: PreferenceValue]? {
    let tool = makeTool()
    defer { tool.finish() }
    return try tool.contents(of: tool.current(target))
  }

  /// Writes what differs from the values that were read, in one transaction.
  ///
  /// The version of the domain's schema stays unless `value` has one.
  ///
  /// - Parameters:
  ///   - value: A dictionary.
  ///   - before: What was read; `nil` if nothing else is to stay.
  ///   - target: The domain.
  /// - Returns: A line for each value that was written and that the domain's schema does not allow.
  /// - Throws: ``DefaultsRefusal``; ``PreferenceError``.
  func write(
    _ value: PreferenceValue, over before: [String: PreferenceValue]?, to target: DefaultsTarget
  ) throws -> [String] {
    guard case .dictionary(let given) = value else {
      throw DefaultsRefusal("\(target.name) is a domain, which is a dictionary of keys")
    }
    let tool = makeTool()
    defer { tool.finish() }
    let target = try tool.current(target)
    let entries = PreferenceSchema.keepingVersion(given, of: before ?? [:])
    var warnings: [String] = []
    if case .stored(let domain) = target {
      warnings = try tool.problems(
        of: entries.filter { before?[$0.key] != $0.value }, in: domain.name)
      if given != before, entries == before {
        warnings.append(
          "\(domain.name) keeps \(PreferenceSchema.versionKey), the version of its schema")
      }
    }
    try tool.edit(target) { domain in
      guard let before else {
        return try domain.replace(
          by: entries.reduce(into: [:]) { kept, entry in
            kept[entry.key] = tool.asKept(entry.value, of: entry.key, in: target)
          })
      }
      for key in Set(entries.keys).union(before.keys).sorted(by: OldStyleWriter.precedes)
      where entries[key] != before[key] {
        if let value = entries[key] {
          try domain.set(tool.asKept(value, of: key, in: target), key)
        } else {
          _ = try domain.remove(key)
        }
      }
    }
    try tool.pushToDesktop()
    return warnings
  }
}
