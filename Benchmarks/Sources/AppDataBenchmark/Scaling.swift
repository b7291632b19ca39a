import Foundation
import VaultAppData

// What each of many children of one object costs: the same, however many there are.

/// A container in memory, so that no disk counts, and a context of it.
private func emptyContext() throws -> ModelContext {
  let schema = Schema([Item.self, Folder.self, Entry.self])
  let context = ModelContext(
    try ModelContainer(
      for: schema, configurations: [ModelConfiguration(isStoredInMemoryOnly: true)]))
  context.autosaveEnabled = false
  return context
}

private func emptyFolder() throws -> (ModelContext, Folder) {
  let context = try emptyContext()
  let folder = Folder(title: "parent")
  context.insert(folder)
  return (context, folder)
}

private func entries(_ count: Int) -> [Entry] { (0..<count).map { Entry(text: "entry \($0)") } }

/// The time that linking takes; the context is held meanwhile, and has all of them afterwards.
private func linking(_ context: ModelContext, _ count: Int, _ body: () -> Void) throws -> Double {
  let time = seconds(body)
  guard context.insertedModelsArray.count == count + 1 else { fatalError("not all are linked") }
  return time
}

/// Prints a line for each way to link, save and delete, and one for identifiers.
func scale() throws {
  let sizes = [1_000, 4_000, 16_000]
  print("| children of one object | \(sizes.map { "\($0)" }.joined(separator: " | ")) |")
  print("| --- | --- | --- | --- |")
  func line(_ what: String, _ sizes: [Int], _ body: (Int) throws -> Double) throws {
    let times = try sizes.map { size in
      let time = try (0..<5).map { _ in try body(size) }.sorted()[2]
      return String(
        format: "%.1f ms (%.2f µs each)", time * 1_000, time * 1_000_000 / Double(size))
    }
    print("| \(what) | \(times.joined(separator: " | ")) |")
  }
  try line("`parent.children.append(x)`, one by one", sizes) { count in
    let (context, folder) = try emptyFolder()
    let all = entries(count)
    return try linking(context, count) { for entry in all { folder.entries.append(entry) } }
  }
  try line("the same, in no context", sizes) { count in
    let folder = Folder(title: "parent")
    let all = entries(count)
    let time = seconds { for entry in all { folder.entries.append(entry) } }
    folder.entries = []
    return time
  }
  try line("`x.parent = parent`, one by one", sizes) { count in
    let (context, folder) = try emptyFolder()
    let all = entries(count)
    return try linking(context, count) { for entry in all { entry.folder = folder } }
  }
  try line("the whole array assigned", sizes) { count in
    let (context, folder) = try emptyFolder()
    let all = entries(count)
    return try linking(context, count) { folder.entries = all }
  }
  try line("save of the new children", sizes) { count in
    let (context, folder) = try emptyFolder()
    folder.entries = entries(count)
    return try seconds { try context.save() }
  }
  try line("delete of the parent, cascading, and save", sizes) { count in
    let (context, folder) = try emptyFolder()
    folder.entries = entries(count)
    try context.save()
    return try seconds {
      context.delete(folder)
      try context.save()
    }
  }
  print("")
  let held = [6_250, 25_000, 100_000]
  print("| identifiers of all rows | \(held.map { "\($0)" }.joined(separator: " | ")) |")
  print("| --- | --- | --- | --- |")
  for isHeld in [false, true] {
    try line(isHeld ? "beside as many objects in use" : "in a new context", held) { count in
      let context = try emptyContext()
      for number in 0..<count { context.insert(Item(number)) }
      try context.save()
      let other = ModelContext(context.container)
      let objects = isHeld ? try other.fetch(FetchDescriptor<Item>()) : []
      return try withExtendedLifetime(objects) {
        try seconds { _ = try other.fetchIdentifiers(FetchDescriptor<Item>()) }
      }
    }
  }
}
