import FoundationEssentials
import VaultPreferences
import VaultStorage

/// Parts of the desktop that are gone or empty: KConfig leaves an empty file, or none, where all is
/// reset; and so does, for a moment, a desktop that starts, or a program that replaces the file.
extension DefaultsTool {
  /// How many seconds a part has to be gone until that is a reset.
  private static let patience: TimeInterval = 60
  /// What the notes begin with, among the program's own keys, of when a part was first seen gone.
  private static let gone = "gone:"

  /// Has parts that the copy has values of, and that are gone, say nothing about these for a while.
  func holdAbsent(_ found: inout DesktopLook, of source: any DesktopSource) throws {
    let prefix = type(of: source).prefix
    let own = try reading()?.contents(of: Self.handedOn) ?? [:]
    let noted = own.filter { $0.key.begins(with: Self.gone + prefix) && $0.value != false }
    guard !found.absent.isEmpty || !noted.isEmpty else { return }
    let copied = try partsWithValues(of: source)
    let now = Date()
    var notes: [String: PreferenceValue] = [:]
    for (part, refusal) in found.absent where copied.contains(part) && found.unread[part] == nil {
      let key = "\(Self.gone)\(prefix)\(part)"
      if case .date(let first)? = noted[key], now >= first {
        if now.timeIntervalSince(first) >= Self.patience { continue }
      } else {
        notes[key] = .date(now)
      }
      found.unread[part] = DefaultsRefusal(
        "\(refusal.reason)\nIt counts as reset once it has been so for a minute.")
      warn("\(refusal.reason); what is known of it is as it was, until it has been so for a minute")
    }
    isWaitingForAbsent =
      isWaitingForAbsent || found.absent.keys.contains { found.unread[$0] != nil }
    for key in noted.keys {
      let part = String(key.dropFirst(Self.gone.utf8.count + prefix.utf8.count))
      if found.absent[part] == nil || !copied.contains(part) { notes[key] = false }
    }
    guard !notes.isEmpty else { return }
    // Where it cannot be noted now, such as in a home that is read-only, nothing is reset.
    guard let writer = try? openWriter(as: String(prefix.dropLast())) else { return }
    defer { writer.close() }
    try? writer.transaction { transaction in
      for (key, value) in notes { try transaction.note(value, key, in: Self.handedOn) }
    }
  }

  /// The parts of which the copy has a value.
  private func partsWithValues(of source: any DesktopSource) throws -> Set<String> {
    let prefix = type(of: source).prefix
    guard let database = try reading() else { return [] }
    var parts: Set<String> = []
    for domain in try database.domains()
    where domain.host == .any && domain.name.begins(with: prefix) {
      let part = source.part(of: String(domain.name.dropFirst(prefix.count)))
      if !parts.contains(part), try database.contents(of: domain)?.isEmpty == false {
        parts.insert(part)
      }
    }
    return parts
  }
}
