import VaultAppData

/// The row that is measured: an integer, two texts, a number and a date.
@Model
final class Person {
  #Index<Person>([\.name])
  var name: String
  var email: String
  var age: Int
  var score: Double
  var born: Date
  @Relationship(inverse: \Pet.owner) var pets: [Pet] = []

  init(_ number: Int) {
    name = "Person \(number)"
    email = "person\(number)@example.com"
    age = number % 100
    score = Double(number) / 7
    born = Date(timeIntervalSinceReferenceDate: Double(number))
  }
}

@Model
final class Pet {
  var name: String
  var owner: Person?

  init(_ name: String) { self.name = name }
}
