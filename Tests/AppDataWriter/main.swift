import Glibc
import Synchronization
import VaultAppData
import VaultStorage

// Writers in processes of their own: what tests of several writers on one store run.
//
//   appdata-writer FILE NAME COUNT AT-A-TIME
//   appdata-writer FILE NAME COUNT AT-A-TIME DURABILITY   the same, and dies as soon as it has saved
//   appdata-writer FILE end WAY       ends with something pending
//   appdata-writer FILE count WAY COUNT   adds 1 to the note "counter-0", so often; `tell` prints it
//   appdata-writer FILE crowd COUNT   so many contexts at a time, with few descriptors
//   appdata-writer FILE watch SECONDS   how often a thread wakes while observers see nothing
//   appdata-writer FILE stress SECONDS   64 tasks read and write, and what that did to others
//   appdata-writer FILE hold COUNT    takes the writers' lock so often
//   appdata-writer FILE parcels COUNT   a letter and so many parcels, or tells what there is

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
    let own = ModelContext(container)
    own.autosaveEnabled = true
    own.insert(Note(text: "a", number: 1))
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

/// How often each thread but this one has been woken.
///
/// Without libdispatch's manager, which looks once a second how its threads get on, whatever a
/// program does.
func wakings() -> [String: Int] {
  let files = FileManager.default
  let own = try? files.destinationOfSymbolicLink(atPath: "/proc/thread-self")
  var found: [String: Int] = [:]
  for thread in (try? files.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
  where own?.hasSuffix("/\(thread)") != true {
    let status = try? String(contentsOfFile: "/proc/self/task/\(thread)/status", encoding: .utf8)
    let lines = status?.split(separator: "\n") ?? []
    guard lines.first?.hasSuffix(".overcommit") == false else { continue }
    let line = lines.first { $0.hasPrefix("voluntary_ctxt") }
    found[thread] = line.flatMap { Int($0.split(separator: "\t").last ?? "") }
  }
  return found
}

/// Tells a person what no test compares.
func note(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }

/// The processor's time that this process has had, in milliseconds.
func processorTime() -> Int {
  var time = timespec()
  unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Int(time.tv_sec) * 1_000 + Int(time.tv_nsec) / 1_000_000
}

/// Has an observer of its own.
actor Onlooker {
  private var results: ResultsObserver<Note, Never>?

  func begin(_ container: ModelContainer) throws {
    results = try ResultsObserver(
      fetchDescriptor: FetchDescriptor<Note>(), modelContext: ModelContext(container))
  }
}

/// Observes a file, in every way, in which nothing happens.
func watch(_ path: String, _ seconds: UInt32) throws {
  var file = ModelConfiguration(url: URL(fileURLWithPath: path))
  file.keepsHistory = true
  // Connections that nobody uses are closed at some time: before the quiet begins.
  file.idleTime = .milliseconds(200)
  let container = try ModelContainer(for: Note.self, configurations: file)
  let changes = try container.remoteChanges()
  let history = try HistoryObserver(observedModels: [Note.self], modelContainer: container)
  let onlooker = Onlooker()
  let hasBegun = DispatchSemaphore(value: 0)
  let follower = Task.detached {
    try await onlooker.begin(container)
    for try await _ in container.changes(to: FetchDescriptor<Note>()) { hasBegun.signal() }
  }
  hasBegun.wait()
  // Until the threads have slept through a while: they look after what opening the file did.
  var before: [String: Int] = [:]
  while before != wakings() || container.stores[0].connectionCount > 1 {
    before = wakings()
    sleep(2)
  }
  let time = processorTime()
  sleep(seconds)
  // A thread that had no work and ended is in the first only.
  let woken = wakings().reduce(0) { $0 + $1.value - (before[$1.key] ?? 0) }
  print("woken \(woken) times")
  note("\(processorTime() - time) ms of the processor")
  withExtendedLifetime((changes, history, onlooker)) { follower.cancel() }
}

/// Counts on which threads a store's work is done.
final class ThreadCheck: StoreObserver {
  private struct Counts {
    var isOn = false
    var all = 0
    var elsewhere: [String: Int] = [:]
  }

  /// Those of contexts, and those that watch files.
  private let threads: Set = ["vault-context\n", "vault-changes\n"]
  private let counts = Mutex(Counts())

  func begin() { counts.withLock { $0.isOn = true } }

  /// How often there was something, and where else than on the threads for it.
  func end() -> (all: Int, elsewhere: [String: Int]) {
    counts.withLock { counts in
      counts.isOn = false
      return (counts.all, counts.elsewhere)
    }
  }

  func store(_ store: String, didRun statement: StoreStatement) { look(at: statement.text) }
  func store(_ store: String, didWait wait: StoreWait) { look(at: wait.reason.rawValue) }

  private func look(at what: String) {
    let thread = (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? ""
    counts.withLock { counts in
      guard counts.isOn else { return }
      counts.all += 1
      if !threads.contains(thread) { counts.elsewhere["\(thread)\(what)", default: 0] += 1 }
    }
  }
}

/// The longest that a task had to wait for its turn, beyond the time that it slept.
func longestWait(until end: ContinuousClock.Instant) async throws -> Duration {
  var longest = Duration.zero
  while ContinuousClock.now < end {
    let start = ContinuousClock.now
    try await Task.sleep(for: .milliseconds(2))
    longest = max(longest, ContinuousClock.now - start - .milliseconds(2))
  }
  return longest
}

/// Reads and writes by 64 tasks, each with a note of its own, while others are observed.
func stress(_ path: String, _ seconds: Int) async throws {
  let check = ThreadCheck()
  var file = ModelConfiguration(url: URL(fileURLWithPath: path))
  file.maximumConnections = 8
  file.observer = check
  let container = try ModelContainer(for: Note.self, configurations: file)
  try await container.perform { context in
    try context.delete(model: Note.self)
    for number in 0..<64 { context.insert(Note(text: "\(number)", number: 0)) }
    try context.save()
  }
  let alone = try await longestWait(until: .now + .seconds(1))
  check.begin()
  let end = ContinuousClock.now + .seconds(seconds)
  let few = FetchDescriptor<Note>(predicate: #Predicate { $0.number < 5 })
  async let wait = longestWait(until: end)
  let follower = Task {
    // Begins and ends to observe, again and again.
    while !Task.isCancelled { for try await _ in container.changes(to: few) { break } }
  }
  let counts = try await withThrowingTaskGroup(of: (String, Int).self) { group in
    for number in 0..<64 {
      group.addTask {
        let name = "\(number)"
        let own = FetchDescriptor<Note>(predicate: #Predicate { $0.text == name })
        var count = 0
        while count == 0 || ContinuousClock.now < end {
          let isTransaction = count % 2 == 1
          try await container.perform { context in
            let change = { () throws -> Void in try context.fetch(own).first?.number += 1 }
            if isTransaction { return try context.transaction(block: change) }
            try change()
            try context.save()
          }
          count += 1
          _ = try await container.perform { try $0.fetchCount(few) }
        }
        return (name, count)
      }
    }
    return try await group.reduce(into: [String: Int]()) { $0[$1.0] = $1.1 }
  }
  follower.cancel()
  _ = await follower.result
  let longest = try await wait
  let work = check.end()
  let stored = try await container.perform { context in
    try context.fetch(FetchDescriptor<Note>()).map { ($0.text, Int($0.number)) }
  }
  let isRight = Dictionary(uniqueKeysWithValues: stored) == counts
  print(isRight ? "all counted" : "\(stored) is not \(counts)")
  print("elsewhere: \(work.elsewhere)")
  let all = counts.values.reduce(0, +)
  note("\(all) saves, \(work.all) statements and waits")
  note("longest wait of a task: \(longest), before: \(alone)")
}

/// Runs until it ends, while this thread waits.
func run(_ body: @escaping @Sendable () async throws -> Void) {
  let isDone = DispatchSemaphore(value: 0)
  Task.detached {
    do {
      try await body()
    } catch {
      print(error)
      exit(1)
    }
    isDone.signal()
  }
  isDone.wait()
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
    return run { try await crowd(count, container) }
  }
  if words.count == 4, words[2] == "watch", let seconds = UInt32(words[3]) {
    return try watch(words[1], seconds)
  }
  if words.count == 4, words[2] == "stress", let seconds = Int(words[3]) {
    return run { try await stress(words[1], seconds) }
  }
  if words.count == 4, words[2] == "parcels", let count = Int(words[3]) {
    return try parcels(words[1], count)
  }
  if words.count == 4, words[2] == "hold", let times = Int(words[3]) {
    return try hold(words[1], times)
  }
  guard [5, 6].contains(words.count), let count = Int(words[3]), let step = Int(words[4]) else {
    exit(64)
  }
  var file = ModelConfiguration(url: URL(fileURLWithPath: words[1]))
  let durability = words.count == 6 ? words[5] : "full"
  file.durability =
    durability == "grouped" ? .grouped : durability == "onCheckpoint" ? .onCheckpoint : .full
  let container = try ModelContainer(for: Note.self, configurations: file)
  if count == 0 {
    print(try ModelContext(container).fetchCount(FetchDescriptor<Note>()))
    return
  }
  let name = words[2]
  @Sendable func save(_ part: Int) throws {
    let context = ModelContext(container)
    context.autosaveEnabled = false
    for number in part * step..<min((part + 1) * step, count) {
      context.insert(Note(text: "\(name)-\(number)", number: Double(number)))
    }
    try context.save()
  }
  let parts = (count + step - 1) / step
  if durability == "grouped" {
    // At the same time: they share flushes.
    DispatchQueue.concurrentPerform(iterations: parts) { part in
      do { try save(part) } catch {
        print(error)
        exit(1)
      }
    }
  } else {
    for part in 0..<parts { try save(part) }
  }
  // Without closing the file, which would see to it that everything is on disk.
  if words.count == 6 { kill(getpid(), SIGKILL) }
}

do {
  try run(CommandLine.arguments)
} catch {
  print(error)
  exit(1)
}
