import VaultAppData

@Model
class Letter {
  var address: String
  init(_ address: String) { self.address = address }
}

@Model
final class Parcel: Letter {
  var weight: Int
  @Relationship(inverse: \Stamp.parcel) var stamps: [Stamp] = []

  init(_ address: String, weight: Int) {
    self.weight = weight
    super.init(address)
  }
}

@Model
final class Stamp {
  var parcel: Parcel?
  init() {}
}

/// Writes a letter and `count` parcels, which inherit from it; or tells what there is, with 0.
func parcels(_ path: String, _ count: Int) throws {
  let container = try ModelContainer(
    for: Letter.self, Parcel.self,
    configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
  let context = ModelContext(container)
  context.autosaveEnabled = false
  guard count == 0 else {
    context.insert(Letter("a"))
    for weight in 0..<count { context.insert(Parcel("b", weight: weight)) }
    return try context.save()
  }
  let words = try context.fetch(FetchDescriptor<Letter>()).map { letter in
    (letter as? Parcel).map { "Parcel(\($0.weight))" } ?? "\(type(of: letter))"
  }
  print(words.joined(separator: " "))
}
