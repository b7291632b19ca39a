// Compiled by OptimizedTests without and with the optimizer, and run.

import SwiftData

protocol Titled {
  var title: String { get }
}

extension Task: Titled {}

/// Finds objects by what every model has, and by what a protocol says of them.
struct Finder {
  let context: ModelContext

  func one<T: PersistentModel>(_ id: PersistentIdentifier, _ type: T.Type) throws -> [T] {
    try context.fetch(FetchDescriptor<T>(predicate: #Predicate { $0.persistentModelID == id }))
  }

  func named<T: PersistentModel & Titled>(_ title: String, _ type: T.Type) throws -> [T] {
    try context.fetch(
      FetchDescriptor<T>(
        predicate: #Predicate { $0.title == title }, sortBy: [SortDescriptor(\T.title)]))
  }
}

@main
struct Program {
  static func main() throws {
    let container = try ModelContainer(
      for: Project.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.autosaveEnabled = false
    let project = Project(name: "Home")
    context.insert(project)
    for (number, title) in ["Paint", "Clean", "Plant"].enumerated() {
      let task = Task(title: title, priority: number == 0 ? .high : .low)
      task.dueDate = number == 1 ? nil : Date(timeIntervalSinceReferenceDate: Double(number))
      project.tasks.append(task)
    }
    try context.save()
    let finder = Finder(context: context)
    print(try finder.one(project.persistentModelID, Project.self).map(\.name))
    print(try finder.one(project.tasks[1].persistentModelID, Task.self).map(\.title))
    print(try finder.named("Clean", Task.self).map(\.title))
    let high = Task.Priority.high
    let queries: [Predicate<Task>] = [
      #Predicate { $0.priority == high }, #Predicate { $0.dueDate == nil },
      #Predicate { $0.project?.name == "Home" && $0.title.localizedStandardContains("pl") },
      #Predicate { $0.project?.tasks.contains { $0.title == "Paint" } == true },
    ]
    for query in queries {
      print(try context.fetch(FetchDescriptor(predicate: query)).map(\.title))
    }
    try sort(context)
    project.tasks.removeFirst()
    context.rollback()
    print(project.activeTasks.count)
    context.delete(project)
    try context.save()
    print(try context.fetchCount(FetchDescriptor<Task>()))
    try inherit()
  }

  /// Orders by what leads through several properties, whose key paths the models' file has, too.
  static func sort(_ context: ModelContext) throws {
    let away = Project(name: "Away")
    away.tasks.append(Task(title: "paint 10"))
    away.tasks[0].isComplete = true
    context.insert(away)
    let orders: [[SortDescriptor<Task>]] = [
      [SortDescriptor(\.project?.name), SortDescriptor(\.title)],
      [SortDescriptor(\.isComplete, order: .reverse), SortDescriptor(\.title)],
      [
        SortDescriptor(\.project?.isArchived),
        SortDescriptor(\.title, comparator: .localizedStandard),
      ],
    ]
    for order in orders { print(try context.fetch(FetchDescriptor(sortBy: order)).map(\.title)) }
    context.rollback()
  }

  /// Objects of classes that inherit from one another.
  static func inherit() throws {
    let container = try ModelContainer(
      for: Conference.self, DayTrip.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.autosaveEnabled = false
    let conference = Conference("c", topic: "Storage")
    for journey in [Journey("a", "Rome"), conference, DayTrip("e", "Bath")] {
      context.insert(journey)
    }
    conference.perDiem += 1
    try context.save()
    let other = ModelContext(container)
    let found = try other.fetch(FetchDescriptor<Journey>(sortBy: [SortDescriptor(\.code)]))
    print(
      found.map { journey in
        let own = (journey as? Conference).map { " \($0.perDiem) \($0.purpose ?? "")" }
        return "\(type(of: journey)) \(journey.name)\(own ?? "")"
      })
    let inherited = FetchDescriptor<Conference>(
      predicate: #Predicate { $0.name.contains("Storage") }, sortBy: [SortDescriptor(\.cost)])
    print(try other.fetch(inherited).map(\.code))
    let cast = FetchDescriptor<Journey>(
      predicate: #Predicate { ($0 as? WorkJourney)?.perDiem == 91 })
    print(try other.fetch(cast).map(\.code))
  }
}
