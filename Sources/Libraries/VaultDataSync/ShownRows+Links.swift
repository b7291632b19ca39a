import VaultDataStore
import VaultStorage
import VaultSync

/// Links in tables of their own: there if somebody added them, and both of their ends have rows.
extension ShownRows {
  /// The rows at the ends of a link; `nil` where one is not there.
  func ends(of link: StoreState.Link, _ rows: LinkRows) throws -> (Int64, Int64)? {
    guard let owner = try object(link.owner, of: rows.links.owner)?.row,
      let destination = try object(link.destination, of: rows.links.destination)?.row
    else { return nil }
    return (owner, destination)
  }

  /// Removes the rows of an object's links, since its own goes.
  func clearLinks(of object: StoreState.Object, _ row: Int64?) throws {
    for rows in links.values {
      for isOwner in [true, false]
      where object.family == ClassPath.family(of: rows.links.end(isOwner: isOwner)) {
        for link in try state.links(rows.links.name, of: object.identity, isOwner: isOwner)
        where link.isShown {
          if row != nil, let (owner, destination) = try ends(of: link, rows) {
            try rows.remove(owner, destination)
          }
          var link = link
          link.isShown = false
          try state.update(link)
          noteArrays(of: link, rows)
        }
      }
    }
  }

  /// Removes the links of a row that its class cannot have.
  func clearLinks(
    of object: StoreState.Object, _ row: Int64, notOf shape: TrackedClass
  ) throws {
    for rows in links.values where rows.links.leads(object.family) {
      func fits(_ key: Int64, _ path: String) -> Bool {
        ClassPath.family(of: path) != object.family || key != row
          || ClassPath.descends(shape.name, from: path)
      }
      for (owner, destination) in try rows.links(of: row, object.family)
      where !fits(owner, rows.links.owner) || !fits(destination, rows.links.destination) {
        try rows.remove(owner, destination)
        guard let first = try state.object(of: rows.links.ownerFamily, row: owner),
          let second = try state.object(of: rows.links.destinationFamily, row: destination),
          var link = try state.link(rows.links.name, first.identity, second.identity)
        else { continue }
        link.isShown = false
        try state.update(link)
        noteArrays(of: link, rows)
      }
    }
  }

  private func noteArrays(of link: StoreState.Link, _ rows: LinkRows) {
    openLinkArrays.insert(
      LinkArray(relationship: link.relationship, identity: link.owner, isOwner: true))
    guard rows.links.inversePosition != nil else { return }
    openLinkArrays.insert(
      LinkArray(relationship: link.relationship, identity: link.destination, isOwner: false))
  }

  func settleLinks() throws {
    let open = openLinks.sorted()
    openLinks = []
    for id in open {
      guard var link = try state.link(id: id), let rows = links[link.relationship] else { continue }
      let changes = try state.changes(of: link)
      let ends = try ends(of: link, rows)
      guard let last = changes.max(by: { $0.stamp < $1.stamp }) else {
        if link.isShown, let (owner, destination) = ends {
          try rows.remove(owner, destination)
          try note(owner, destination, rows)
        }
        try state.forget(link)
        noteArrays(of: link, rows)
        continue
      }
      // Places are those of the array as a whole, see below.
      guard let (owner, destination) = ends else { continue }
      noteArrays(of: link, rows)
      guard !link.isShown else { continue }
      try rows.put(owner, destination, at: last.places)
      (link.isShown, link.places) = (true, rows.stored(last.places))
      try state.update(link)
      try note(owner, destination, rows)
    }
  }

  /// Notes for the history that both ends have changed.
  private func note(_ owner: Int64, _ destination: Int64, _ rows: LinkRows) throws {
    if let shape = try shape(ofRow: owner, at: rows.links.owner) {
      history.note(.update, shape.entity, owner, [rows.links.ownerProperty])
    }
    if let inverse = rows.links.destinationProperty,
      let shape = try shape(ofRow: destination, at: rows.links.destination)
    {
      history.note(.update, shape.entity, destination, [inverse])
    }
  }

  /// Brings the places of links into the order that they were given, ties by identity.
  func settleLinkArrays() throws {
    let open = openLinkArrays.sorted {
      ($0.relationship, $0.identity, $0.isOwner ? 1 : 0)
        < ($1.relationship, $1.identity, $1.isOwner ? 1 : 0)
    }
    openLinkArrays = []
    for array in open {
      guard let rows = links[array.relationship] else { continue }
      var members: [(link: StoreState.Link, given: Int64?)] = []
      for link in try state.links(array.relationship, of: array.identity, isOwner: array.isOwner)
      where link.isShown {
        let last = try state.changes(of: link).max { $0.stamp < $1.stamp }
        members.append((link, array.isOwner ? last?.places.owner : last?.places.destination))
      }
      func identity(_ link: StoreState.Link) -> [UInt8] {
        array.isOwner ? link.destination.bytes : link.owner.bytes
      }
      members.sort {
        Self.comesBefore(($0.given, identity($0.link)), ($1.given, identity($1.link)))
      }
      for (member, place) in zip(members, Self.places(members.map(\.given))) {
        var link = member.link
        if array.isOwner { link.places.owner = place } else { link.places.destination = place }
        guard link.places != member.link.places,
          let (owner, destination) = try ends(of: link, rows)
        else { continue }
        try rows.put(owner, destination, at: link.places)
        try state.update(link)
        try note(owner, destination, rows)
      }
    }
  }
}

extension LinkRows {
  /// Places as the table has them.
  func stored(_ places: Places) -> Places {
    links.inversePosition == nil ? Places(owner: places.owner, destination: nil) : places
  }
}
