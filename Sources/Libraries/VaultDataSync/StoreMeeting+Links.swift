import VaultDataStore
import VaultStorage
import VaultSync

/// Links that came.
extension StoreMeeting {
  struct IncomingLink {
    let className: String
    let property: String
    let link: DataOperation.Link
    let stamp: Stamp
    let past: Frontier
  }

  /// The mark of a link that is kept until it has a place.
  static let linkMark: UInt8 = 66

  /// Adds a link, or takes back what the removal knew.
  func apply(_ incoming: IncomingLink) throws {
    let name = "\(incoming.className)/\(incoming.property)"
    let families = shown.links[name].map { ($0.links.ownerFamily, $0.links.destinationFamily) }
    guard let families else { return try park(incoming) }
    let owner = try state.root(of: incoming.link.owner, families.0)
    let destination = try state.root(of: incoming.link.destination, families.1)
    let known = try state.link(name, owner, destination)
    guard incoming.link.isThere || known != nil else { return }
    let link = try known ?? state.makeLink(name, owner, destination)
    for (identity, family) in [(owner, families.0), (destination, families.1)]
    where try !state.knowsAliases(incoming.past, of: identity, family) {
      if let object = try state.object(identity, of: family) {
        shown.openJoined.insert(object.id)
      }
    }
    var changes = try state.changes(of: link)
    changes.removeAll { $0.stamp.isKnown(by: incoming.past) || $0.stamp == incoming.stamp }
    if incoming.link.isThere {
      changes.append(
        StoreState.LinkChange(
          stamp: incoming.stamp,
          places: LinkRows.Places(
            owner: incoming.link.ownerPlace, destination: incoming.link.destinationPlace)))
    }
    try state.setChanges(of: link, to: changes)
    shown.openLinks.insert(link.id)
  }

  private func park(_ incoming: IncomingLink) throws {
    // Each link by itself, under a name that no property has.
    try park(
      Incoming(
        column: DataOperation.Column(
          name: "\(incoming.property)/\(incoming.link.destination.text)", mark: Self.linkMark),
        value: WireValue(incoming.link)),
      IncomingRow(
        identity: incoming.link.owner, className: incoming.className, isMade: false, values: [],
        stamp: incoming.stamp, past: incoming.past))
  }

  /// The link in what was kept; `nil` for a property.
  func parkedLink(_ row: IncomingRow, _ value: Incoming) -> IncomingLink? {
    guard value.column.mark == Self.linkMark, let link = value.value.link,
      let end = value.column.name.utf8.lastIndex(of: UInt8(ascii: "/"))
    else { return nil }
    return IncomingLink(
      className: row.className, property: String(value.column.name[..<end]), link: link,
      stamp: row.stamp, past: row.past)
  }
}
