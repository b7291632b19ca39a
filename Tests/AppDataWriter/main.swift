import Glibc
import VaultAppData
import VaultStorage

// Writers in processes of their own: what tests of several writers on one store run.
//
//   appdata-writer FILE NAME COUNT AT-A-TIME
//   appdata-writer FILE end WAY       ends with something pending
//   appdata-writer FILE count WAY COUNT   adds 1 to the note "counter-0", so often; `tell` prints it
//   appdata-writer FILE crowd COUNT   so many contexts at a time, with few descriptors
//   appdata-writer FILE watch SECONDS   how often a thread wakes that watches, and sees nothing
//   appdata-writer FILE hold COUNT    takes the writers' lock so often

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

/// Lowers the limit of open files.
func limitDescriptors(to count: Int) {
  var limit = rlimit()
  unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  limit.rlim_cur = rlim_t(count)
  unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}

func openDescriptors() -> Int {
  (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? .max
}

/// Lets tasks go on when all have come.
actor Barrier {
  private var missing: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ count: Int) { missing = count }

  func arrive() async {
    missing -= 1
    guard missing > 0 else { return waiting.forEach { $0.resume() } }
    await withCheckedContinuation { waiting.append($0) }
  }
}

/// Has `count` contexts at a time, each across awaits, with 256 descriptors; with 0, tells what a
/// second connection says where there is no descriptor for it.
func crowd(_ count: Int, _ container: ModelContainer) async throws {
  let notes = FetchDescriptor<Note>()
  guard count > 0 else {
    let context = ModelContext(container)
    try context.transaction {
      limitDescriptors(to: openDescriptors() - 1)
      do {
        print(try ModelContext(container).fetchCount(notes))
      } catch {
        limitDescriptors(to: 256)
        print("\(error)")
      }
    }
    return
  }
  limitDescriptors(to: 256)
  let barrier = Barrier(count)
  try await withThrowingTaskGroup(of: Void.self) { group in
    for number in 0..<count {
      group.addTask {
        let context = ModelContext(container)
        context.autosaveEnabled = false
        context.insert(Note(text: "\(number)", number: 0))
        guard try context.fetchCount(notes) >= 1 else { exit(65) }
        await barrier.arrive()
        guard try context.fetchCount(notes) >= 1 else { exit(65) }
        try context.save()
      }
    }
    try await group.waitForAll()
  }
  let saved = try ModelContext(container).fetchCount(notes)
  let open = openDescriptors()
  print("\(saved) saved, \(open < 100 ? "few descriptors" : "\(open) descriptors")")
}

/// How often the threads that watch files have been woken.
func wakings() -> Int {
  let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
  return threads.reduce(0) { sum, thread in
    let folder = "/proc/self/task/\(thread)"
    guard let name = try? String(contentsOfFile: "\(folder)/comm", encoding: .utf8),
      name == "vault-changes\n",
      let status = try? String(contentsOfFile: "\(folder)/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("voluntary_ctxt") })
    else { return sum }
    return sum + (Int(line.split(separator: "\t").last ?? "") ?? 0)
  }
}

/// Watches a file in which nothing happens.
func watch(_ seconds: UInt32, _ container: ModelContainer) throws {
  let changes = try container.remoteChanges()
  // Until the thread has slept through a while: it looks after what opening the file did.
  var before = -1
  while before != wakings() {
    before = wakings()
    sleep(2)
  }
  sleep(seconds)
  print("woken \(wakings() - before) times")
  withExtendedLifetime(changes) {}
}

/// Takes the writers' lock again and again, without a model of the file's.
func hold(_ path: String, _ times: Int) throws {
  let connection = try SQLiteConnection(path: path, mode: .readWrite, busyTimeout: .seconds(60))
  for _ in 0..<times {
    _ = try connection.transaction(.immediate) { usleep(5_000) }
    usleep(5_000)
  }
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
  if words.count == 4, words[2] == "crowd", let count = Int(words[3]) {
    let file = ModelConfiguration(url: URL(fileURLWithPath: words[1]))
    let container = try ModelContainer(for: Note.self, configurations: file)
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
      do { try await crowd(count, container) } catch { print(error) }
      isDone.signal()
    }
    return isDone.wait()
  }
  if words.count == 4, words[2] == "watch", let seconds = UInt32(words[3]) {
    let file = ModelConfiguration(url: URL(fileURLWithPath: words[1]))
    return try watch(seconds, try ModelContainer(for: Note.self, configurations: file))
  }
  if words.count == 4, words[2] == "hold", let times = Int(words[3]) {
    return try hold(words[1], times)
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
