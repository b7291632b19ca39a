import Glibc
import VaultAppData

// Writers in processes of their own: what tests of several writers on one store run.
//
//   appdata-writer FILE NAME COUNT AT-A-TIME
//   appdata-writer FILE end WAY       ends with something pending
//   appdata-writer FILE count WAY COUNT   adds 1 to the note "counter-0", so often; `tell` prints it

@Model
final class Note {
  @Attribute(.unique) var text: String
  var number: Double

  init(text: String, number: Double) {
    self.text = text
    self.number = number
  }
}

@ModelActor
actor Keeper {
  func add() {
    modelContext.autosaveEnabled = true
    modelContext.insert(Note(text: "a", number: 1))
  }

  func addAndExit() {
    add()
    exit(0)
  }

  /// Adds, and tells when the save of it has begun, which then takes a while.
  func addSlowly(telling isSaving: DispatchSemaphore) {
    _ = NotificationCenter.default.addObserver(
      forName: ModelContext.willSave, object: modelContext, queue: nil
    ) { _ in
      isSaving.signal()
      usleep(300_000)
    }
    add()
  }
}

/// Leaves something pending and ends, or returns for the program to end.
@MainActor func end(_ way: String, _ container: ModelContainer) {
  let context = container.mainContext
  switch way {
  case "actor", "actor-exit":
    let keeper = Keeper(modelContainer: container)
    let isAdded = DispatchSemaphore(value: 0)
    Task.detached {
      if way == "actor" { await keeper.add() } else { await keeper.addAndExit() }
      isAdded.signal()
    }
    isAdded.wait()
    withExtendedLifetime(keeper) { exit(0) }
  case "mid-save":
    let keeper = Keeper(modelContainer: container)
    let isSaving = DispatchSemaphore(value: 0)
    Task.detached { await keeper.addSlowly(telling: isSaving) }
    isSaving.wait()
    withExtendedLifetime(keeper) { exit(0) }
  case "thread":
    // Another thread ends the program while the main one turns.
    context.insert(Note(text: "a", number: 1))
    Thread.detachNewThread { exit(0) }
    RunLoop.main.run()
  case "dropped":
    ModelContext(container).insert(Note(text: "a", number: 1))
  case "failing":
    context.autosaveFailureHandler = { print(($0 as? SwiftDataError)?.message ?? "") }
    context.insert(Note(text: "a", number: .nan))
  default:
    context.autosaveEnabled = way != "off"
    context.insert(Note(text: "a", number: 1))
    if way == "rollback" { context.rollback() }
    if way == "exit" { exit(0) }
  }
}

/// Adds 1 to a note's number so often, or prints the number.
func count(_ way: String, _ times: Int, _ container: ModelContainer) throws {
  let context = ModelContext(container)
  context.autosaveEnabled = false
  let counter = FetchDescriptor<Note>(predicate: #Predicate { $0.text == "counter-0" })
  context.mergePolicy = way == "policy" ? .error : .objectWins
  var done = 0
  while done < times {
    switch way {
    case "transaction":
      try context.transaction { try context.fetch(counter).first?.number += 1 }
    case "update":
      try context.update(model: Note.self, where: counter.predicate) {
        $0.set(\.number, to: #Expression { $0.number + 1 })
      }
    default:
      try context.fetch(counter).first?.number += 1
      do {
        try context.save()
      } catch SwiftDataError.saveConflict {
        context.rollback()
        continue
      }
    }
    done += 1
  }
  if way == "tell" { print(try context.fetch(counter).first?.number ?? -1) }
}

/// Writes `count` notes, `step` in each save, or counts those there are.
@MainActor func run(_ words: [String]) throws {
  if words.count == 4, words[2] == "end" {
    let file = ModelConfiguration(url: URL(fileURLWithPath: words[1]))
    return end(words[3], try ModelContainer(for: Note.self, configurations: file))
  }
  if words.count == 5, words[2] == "count", let times = Int(words[4]) {
    let file = ModelConfiguration(url: URL(fileURLWithPath: words[1]))
    return try count(words[3], times, try ModelContainer(for: Note.self, configurations: file))
  }
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
      context.insert(Note(text: "\(words[2])-\(number)", number: Double(number)))
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
