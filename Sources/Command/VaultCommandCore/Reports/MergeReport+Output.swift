package import VaultCredentials
package import VaultStorage
import VaultTerminal

extension MergeReport {
  /// Says what was merged, a line for each item.
  package func tell(isTrial: Bool) throws {
    switch relation {
    case .same: return StandardError.note("nothing to merge: it is the same file")
    case .older: return StandardError.note("nothing to merge: this vault has all that is in it")
    case .newer, .apart: break
    }
    try tellItems()
    for name in damaged {
      try StandardOutput.line("damaged there, left out: \(StandardOutput.shown(name.text))")
    }
    if missingVersions > 0 {
      StandardError.note(
        "\(Plural.earlierVersions(missingVersions)) of the other file "
          + "\(missingVersions == 1 ? "is" : "are") not here",
        hint: "a backup made there brings them: \(ProgramName.current) backup FILE")
    }
    let done = isTrial ? "would be merged" : "merged"
    StandardError.note(
      isUnchanged ? "\(done): nothing was different" : "\(done): \(summary)",
      hint: isTrial
        ? nil : settlingHint(by: "merge --resolve NAME, with --take for the other value"))
  }

  /// Writes a line for each item that came, changed or went, and for each conflict.
  func tellItems() throws {
    for (words, names) in [("added", added), ("changed", changed), ("removed", removed)] {
      for name in names { try StandardOutput.line("\(words): \(StandardOutput.shown(name.text))") }
    }
    for conflict in conflicts { try StandardOutput.line("conflict: \(conflict.words)") }
    ArrivedVariables(self).tell()
  }

  /// How conflicts are settled; `nil` if there are none of secrets or of other properties.
  ///
  /// - Parameter verb: The verb with its words.
  /// - Returns: The hint.
  func settlingHint(by verb: String) -> String? {
    guard conflicts.contains(where: { [.secret, .property].contains($0.kind) }) else { return nil }
    return "settle each conflict: \(ProgramName.current) \(verb)"
  }

  /// The members of the JSON object that say which items came, changed, went and conflict.
  var itemMembers: [(String, JSONValue)] {
    [
      ("added", .strings(added.map(\.text))), ("changed", .strings(changed.map(\.text))),
      ("removed", .strings(removed.map(\.text))),
      ("conflicts", .array(conflicts.map(\.json))),
    ] + ArrivedVariables(self).members
  }

  private var summary: String {
    let counts: [(Int, String)] = [
      (added.count, "added"), (changed.count, "changed"), (removed.count, "removed"),
      (conflicts.count, conflicts.count == 1 ? "conflict" : "conflicts"),
    ]
    return counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }

  /// The members of the JSON object.
  package var members: [(String, JSONValue)] {
    [("relation", .string(relation.rawValue)), ("hasBase", .bool(hasBase))] + itemMembers + [
      ("damaged", .strings(damaged.map(\.text))),
      ("missingVersions", .number(Int64(missingVersions))),
    ]
  }
}

extension MergeReport.Conflict {
  /// The conflict in words.
  package var words: String {
    let shown = StandardOutput.shown(name.text)
    switch kind {
    case .secret:
      let origin = machine.map { ", from \(StandardOutput.shown($0))" } ?? ""
      return "\(shown) has two values; the other one is version \(version ?? 0)\(origin)"
    case .name: return "two items have one name; the later one is now \(shown)"
    case .removal: return "\(shown) was removed for good on one side; it is in the trash"
    case .property:
      guard let lost else { return shown }
      return "\(shown) has two values of its \(lost.propertyInWords); "
        + "the other one\(lost.origin) is: \(lost.shownValue)"
    }
  }

  /// The conflict as `--json` writes it.
  package var json: JSONValue {
    var members: [(String, JSONValue)] = [
      ("kind", .string(kind.rawValue)), ("name", .string(name.text)),
    ]
    if let version { members.append(("version", .number(Int64(version)))) }
    if let formerName { members.append(("formerName", .string(formerName.text))) }
    if let machine { members.append(("machine", .string(machine))) }
    if let lost { members += lost.members }
    return .object(members)
  }
}
