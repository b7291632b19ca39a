import FoundationEssentials
import VaultCredentials
import VaultSealing

extension SyncedVault {
  /// What happened in the space, oldest first: who changed which item, and when.
  ///
  /// - Returns: The entries, as far as this machine knows.
  /// - Throws: ``SyncError`` with code `.notJoined`, `.copied`, `.tampered`.
  public func log() throws -> [SyncLogEntry] {
    let loaded = try files.reading { try replica.look(usesBase: false) }
    var names: [[UInt8]: String] = [:]
    let subscriptions = Self.subscriptions(in: loaded.history)
    var entries: [SyncLogEntry] = []
    for record in loaded.history.all {
      let device = loaded.history.label(of: record.stream) ?? "?"
      let time = Date(timeIntervalSince1970: Double(record.content.time) / 1000)
      for operation in record.content.operations {
        let entry: (SyncLogEntry.Action, String?)
        var machine: StreamID?
        var properties: [String] = []
        switch operation {
        case .create: entry = (.created, nil)
        case .claim: entry = (.joined, nil)
        case .succeed(_, let predecessor, _, _):
          (entry, machine) = ((.succeeded, loaded.history.label(of: predecessor)), predecessor)
        case .invite(let id, _, _, _, _):
          entry = subscriptions[id].map { (.subscribed, $0) } ?? (.invited, nil)
        case .settle(let id, _):
          guard let name = subscriptions[id] else { continue }
          entry = (.unsubscribed, name)
        case .remove(let stream, _):
          (entry, machine) = ((.removed, loaded.history.label(of: stream)), stream)
        case .role(let stream, _):
          (entry, machine) = ((.role, loaded.history.label(of: stream)), stream)
        case .admit(_, let streams):
          machine = streams.first
          entry = (.admitted, machine.flatMap { loaded.history.label(of: $0) })
        case .item(let item):
          // Of a new item all of them are new.
          if names[item.id] != nil { properties = item.changes.compactMap(\.key.words) }
          for case (let key, .text(let name)?) in item.changes where key.kind == .name {
            names[item.id] = ItemRules.mended(name)
          }
          entry = (.changed, names[item.id])
        case .purge(let id, _): entry = (.purged, names[id])
        case .preferences(let changed): entry = (.preferences, changed.domain)
        default: continue
        }
        entries.append(
          SyncLogEntry(
            time: time, device: device, deviceID: record.stream.text, action: entry.0,
            subject: entry.1, subjectID: machine?.text, properties: properties))
      }
    }
    return entries.sorted { $0.time < $1.time }
  }

  /// What the subscriptions of a space are called, by their ids.
  private static func subscriptions(in history: Space) -> [[UInt8]: String] {
    var names: [[UInt8]: String] = [:]
    for record in history.all {
      for case .invite(let id, let keys, .reader, _, _) in record.content.operations {
        names[id] = keys.subscriptionName
      }
    }
    return names
  }
}
