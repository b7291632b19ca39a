public import VaultCredentials
import VaultSealing

extension SyncedVault {
  /// The items whose secrets a machine could have read and that have not been changed since: what
  /// to change after it was lost, stolen or removed.
  ///
  /// A machine can read what is sealed with a key that it was given. So an item is named until its
  /// secrets are others than all that it could read, also if it was changed in between and changed
  /// back.
  ///
  /// ```swift
  /// try laptop.remove("desktop")
  /// for name in try laptop.items(exposedTo: "desktop") { print("change \(name)") }
  /// ```
  ///
  /// - Parameter device: The machine's label, or the beginning of its id; it may be out. Or the name
  ///   of a subscription, also of one that was ended.
  /// - Returns: The names, sorted; items in the trash are not named.
  /// - Throws: ``SyncError`` with code `.deviceNotFound`, `.notJoined`, `.copied`, `.tampered`;
  ///   what reading the vault throws.
  public func items(exposedTo device: String) throws -> [ItemName] {
    let exposed = try itemIDs(exposedTo: device)
    return try vault.blocking.items().filter { exposed.contains($0.id) }.map(\.name)
  }

  /// The same by the items' ids, those in the trash too.
  ///
  /// - Parameter device: The machine's label, or the beginning of its id.
  /// - Returns: The ids as ``Item/id`` has them.
  /// - Throws: As ``items(exposedTo:)``.
  package func itemIDs(exposedTo device: String) throws -> Set<String> {
    // Every record says what it was sealed with, not only those that still count.
    let loaded = try files.reading { try replica.look(usesBase: false) }
    let roster = loaded.history.roster()
    let (keys, line) = try reader(called: device, roster)
    var known: [[UInt8]: [SecretBytes]] = [:]
    for record in loaded.history.all
    where keys.contains(record.epoch) || line.contains(record.stream) {
      for case .item(let item) in record.content.operations {
        for case (_, .secret(let secret)?) in item.changes {
          known[item.id, default: []].append(secret)
        }
        for version in item.earlier {
          known[item.id, default: []] += [version.main] + version.fields.values
        }
      }
    }
    // Of what a snapshot stands in for, the records are not here: what it has of earlier secrets
    // counts if any of its keys was known.
    if let root = loaded.history.base {
      let isKnown = root.records.contains { keys.contains($0.epoch) }
      for (id, item) in try root.items.all() {
        for case (let record, .secret(let secret)?) in item.told
        where keys.contains(record.epoch) || line.contains(record.stream) {
          known[id, default: []].append(secret)
        }
        for version in item.history where isKnown {
          known[id, default: []] += [version.main] + version.fields.values
        }
      }
    }
    let items = try vault.blocking.shared { try $0.items().items }
    let exposed = items.values.filter { item in
      let secrets = [item.head.main] + item.head.fields.values
      return known[item.id, default: []].contains { told in
        secrets.contains { $0.count > 0 && $0.isEqual(to: told) }
      }
    }
    return Set(exposed.map { Hexadecimal.text($0.id) })
  }

  /// The keys that a machine or the code of a subscription has, and the streams that the machine
  /// wrote: a machine comes before a subscription of its name.
  private func reader(
    called name: String, _ roster: Roster
  ) throws -> (keys: Set<[UInt8]>, line: [StreamID]) {
    do {
      let member = try Membership(exchange).findInOrOut(name, roster)
      return (roster.keys(knownTo: member), roster.line(of: member.stream))
    } catch {
      // Of several with one name, all that were ended count.
      let named = roster.subscriptions.filter { $0.subscription == name }
      let found = named.isEmpty ? (try? roster.subscription(name)).map { [$0] } ?? [] : named
      guard !found.isEmpty else { throw error }
      return (found.reduce(into: []) { $0.formUnion(roster.keys(knownTo: $1)) }, [])
    }
  }
}
