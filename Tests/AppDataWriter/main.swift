import Glibc
import VaultAppData

// Writers in processes of their own: what tests of several writers on one store run.
//
//   appdata-writer FILE NAME COUNT AT-A-TIME

@Model
final class Note {
  @Attribute(.unique) var text: String
  var number: Int

  init(text: String, number: Int) {
    self.text = text
    self.number = number
  }
}

/// Writes `count` notes, `step` in each save, or counts those there are.
func run(_ words: [String]) throws {
  guard words.count == 5, let count = Int(words[3]), let step = Int(words[4]) else { exit(64) }
  let container = try ModelContainer(
    for: Note.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: words[1])))
  if count == 0 {
    print(try ModelContext(container).fetchCount(FetchDescriptor<Note>()))
    return
  }
  for start in stride(from: 0, to: count, by: step) {
    let context = ModelContext(container)
    context.autosaveEnabled = false
    for number in start..<min(start + step, count) {
      context.insert(Note(text: "\(words[2])-\(number)", number: number))
    }
    try context.save()
  }
}

do {
  try run(CommandLine.arguments)
} catch {
  print(error)
  exit(1)
}
