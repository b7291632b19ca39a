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

/// Prints a figure for each way to link, save and delete, and one for identifiers.
func scale() throws {
  func figures(_ what: String, _ sizes: [Int], _ body: (Int) throws -> Double) throws {
    for size in sizes {
      let times = try (0..<3).map { _ in try body(size) }
      printFigure(what, "vault", size, times.min() ?? 0)
    }
  }
  let sizes = [1_000, 5_000, 20_000]
  try figures("parent.children.append(x), one by one", sizes) { count in
    let (context, folder) = try emptyFolder()
    let all = entries(count)
    return try linking(context, count) { for entry in all { folder.entries.append(entry) } }
  }
  try figures("x.parent = parent, one by one", sizes) { count in
    let (context, folder) = try emptyFolder()
    let all = entries(count)
    return try linking(context, count) { for entry in all { entry.folder = folder } }
  }
  try figures("the whole array assigned", sizes) { count in
    let (context, folder) = try emptyFolder()
    let all = entries(count)
    return try linking(context, count) { folder.entries = all }
  }
  try figures("save of new children", sizes) { count in
    let (context, folder) = try emptyFolder()
    folder.entries = entries(count)
    return try seconds { try context.save() }
  }
  try figures("delete of a parent, cascading, and save", sizes) { count in
    let (context, folder) = try emptyFolder()
    folder.entries = entries(count)
    try context.save()
    return try seconds {
      context.delete(folder)
      try context.save()
    }
  }
  for isHeld in [false, true] {
    let what = "identifiers of all rows" + (isHeld ? ", beside as many objects" : "")
    try figures(what, [6_250, 25_000, 100_000]) { count in
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
