import SwiftData

/// Journeys: a class with three below it, one of which has another below.
@Model
class Journey {
  @Attribute(.unique) var code: String
  var name: String
  var start = Date(timeIntervalSinceReferenceDate: 0)
  var cost = Decimal(0)
  @Attribute(.preserveValueOnDeletion) var note: String?
  @Attribute(.externalStorage) var map: Data?
  var traveler: Traveler?
  @Relationship(deleteRule: .cascade, inverse: \Stopover.journey) var stopovers: [Stopover] = []
  @Relationship(inverse: \Sticker.journeys) var labels: [Sticker] = []

  init(_ code: String, _ name: String) {
    self.code = code
    self.name = name
  }
}

@available(macOS 26, iOS 26, *)
@Model
class WorkJourney: Journey {
  var perDiem: Double
  var purpose: String?
  let ticket: UUID
  @Relationship(deleteRule: .nullify, inverse: \Client.journeys) var client: Client?

  init(_ code: String, _ name: String, perDiem: Double) {
    self.perDiem = perDiem
    ticket = UUID()
    super.init(code, name)
  }
}

/// Two classes above it.
@available(macOS 26, iOS 26, *)
@Model
final class Conference: WorkJourney {
  @Attribute(.unique) var topic: String
  @Attribute(.externalStorage) var program: Data?
  @Attribute(.preserveValueOnDeletion) var price = Decimal(100)
  @Relationship(deleteRule: .cascade, inverse: \Talk.conference) var talks: [Talk] = []

  init(_ code: String, topic: String) {
    self.topic = topic
    super.init(code, "Conference on \(topic)", perDiem: 90)
    // After the superclass's initializer, as before it.
    purpose = "listen"
    price += 1
  }
}

@available(macOS 26, iOS 26, *)
@Model
final class PrivateJourney: Journey {
  enum Reason: String, Codable, CaseIterable { case family, rest }

  var reason: Reason
  var companions: [Traveler] = []
  @Transient var isPacked = false

  init(_ code: String, _ name: String, reason: Reason, companions: [Traveler] = []) {
    self.reason = reason
    self.companions = companions
    super.init(code, name)
  }
}

/// Has the superclass's initializers: what it adds has values.
@Model
final class DayTrip: Journey {
  var hours = 8
  var meals: [String] = ["lunch"]
}

@Model
final class Traveler {
  var name: String
  @Relationship(inverse: \Journey.traveler) var journeys: [Journey] = []
  /// Without an inverse.
  var favorite: Journey?
  var lastConference: Conference?

  init(_ name: String) { self.name = name }
}

@Model
final class Stopover {
  var place: String
  var journey: Journey?

  init(_ place: String, journey: Journey? = nil) {
    self.place = place
    self.journey = journey
  }
}

@Model
final class Talk {
  var title: String
  var conference: Conference?

  init(_ title: String) { self.title = title }
}

@Model
final class Client {
  var name: String
  var journeys: [WorkJourney] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Sticker {
  var text: String
  var journeys: [Journey] = []

  init(_ text: String) { self.text = text }
}
