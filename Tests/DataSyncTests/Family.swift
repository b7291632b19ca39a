import Foundation
import Testing
import VaultAppData
import VaultDataSync
import VaultStorage

// Classes that inherit from each other, and what leads to them.

@Model
class Event {
  @Attribute(.unique) var name: String
  var note: String
  var patron: Patron?
  @Relationship(deleteRule: .cascade, inverse: \Guest.event) var guests: [Guest] = []
  /// Without an inverse.
  var tags: [Label] = []

  init(_ name: String, _ note: String) {
    self.name = name
    self.note = note
  }
}

@Model
final class Party: Event {
  var music: String
  var budget: Int?
  @Relationship(deleteRule: .cascade, inverse: \Toast.party) var toasts: [Toast] = []

  init(_ name: String, _ note: String, _ music: String) {
    self.music = music
    super.init(name, note)
  }
}

@Model
class Session: Event {
  var minutes: String
  /// Another property than a party's of this name.
  var budget: String?
  var rooms: [Room] = []

  init(_ name: String, _ note: String, _ minutes: String) {
    self.minutes = minutes
    super.init(name, note)
  }
}

@Model
final class BoardSession: Session {
  var agenda: String
  @Attribute(.unique) var code: String?

  init(_ name: String, _ note: String, _ minutes: String, _ agenda: String) {
    self.agenda = agenda
    super.init(name, note, minutes)
  }
}

@Model
final class Patron {
  var name: String
  @Relationship(deleteRule: .nullify, inverse: \Event.patron) var events: [Event] = []
  /// One class of the family alone, without an inverse.
  var favorite: Party?

  init(_ name: String) { self.name = name }
}

@Model
final class Guest {
  var name: String
  var event: Event?

  init(_ name: String, _ event: Event? = nil) {
    self.name = name
    self.event = event
  }
}

@Model
final class Toast {
  var name: String
  var party: Party

  init(_ name: String, _ party: Party) {
    self.name = name
    self.party = party
  }
}

@Model
final class Room {
  var name: String
  @Relationship(inverse: \Session.rooms) var sessions: [Session] = []

  init(_ name: String) { self.name = name }
}

extension DataMachine {
  /// What somebody typed into an object, each word but once.
  static func words(of model: any PersistentModel) -> [String] {
    switch model {
    case let model as BoardSession: [model.note, model.minutes, model.agenda]
    case let model as Session: [model.note, model.minutes]
    case let model as Party: [model.note, model.music]
    default: [name(of: model)]
    }
  }

  /// The words of the party with the greatest key.
  func lastParty() throws -> [String] {
    let context = ModelContext(try container())
    return try context.fetch(FetchDescriptor<Party>()).max {
      $0.persistentModelID < $1.persistentModelID
    }.map { Self.words(of: $0) } ?? []
  }

  /// The events as a person sees them.
  func events() throws -> [String] {
    let context = ModelContext(try container())
    return try context.fetch(FetchDescriptor<Event>()).map { event in
      let words = Self.words(of: event).joined(separator: "/")
      return "\(type(of: event)) \(event.name) \(words) \(event.patron?.name ?? "-") "
        + "\(event.guests.map(\.name).sorted()) \(event.tags.map(\.name).sorted())"
    }.sorted()
  }

  /// Changes the event of a name.
  func event(_ name: String, _ body: (Event, ModelContext) throws -> Void) throws {
    try change { context in
      let found = try context.fetch(FetchDescriptor<Event>()).first { $0.name == name }
      try body(try #require(found), context)
    }
  }
}
