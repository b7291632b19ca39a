import SwiftData
import TestSupport
import Testing

struct SampleTests {
  @Test func theSampleRunsOverAFile() throws {
    let home = try TemporaryHome()
    let url = URL(fileURLWithPath: "\(home.path)/MyApp.store")
    let image = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
    do {
      let container = try ModelContainer(for: Project.self, configurations: .init(url: url))
      let context = ModelContext(container)
      let project = Project(name: "Home")
      context.insert(project)
      project.tasks.append(Task(title: "Paint", priority: .high))
      project.tasks.append(Task(title: "Clean"))
      project.thumbnail = image
      try context.save()
      let files = home.names(in: ".MyApp_SUPPORT/_EXTERNAL_DATA")
      #expect(files.count == 1)
      project.tasks[0].isComplete = true
      #expect(project.activeTasks.map(\.title) == ["Clean"])
      try context.save()
    }
    let container = try ModelContainer(for: Project.self, configurations: .init(url: url))
    let context = ModelContext(container)
    let project = try #require(try context.fetch(FetchDescriptor<Project>()).first)
    #expect(project.thumbnail == image)
    #expect(project.tasks.map(\.title) == ["Paint", "Clean"])
    #expect(project.tasks.map(\.priority) == [.high, .medium])
    #expect(project.tasks[0].project === project)
    project.thumbnail = Data([1])
    try context.save()
    #expect(home.names(in: ".MyApp_SUPPORT/_EXTERNAL_DATA").isEmpty)
    project.thumbnail = image
    try context.save()
    context.delete(project)
    try context.save()
    #expect(home.names(in: ".MyApp_SUPPORT/_EXTERNAL_DATA").isEmpty)
    #expect(try context.fetchCount(FetchDescriptor<Task>()) == 0)
  }

  @Test func theQueriesOfTheSampleRun() throws {
    let container = try ModelContainer(
      for: Project.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.autosaveEnabled = false
    for (number, name) in ["a", "b", "c"].enumerated() {
      let project = Project(name: name)
      project.createdAt = Date(timeIntervalSinceReferenceDate: Double(number))
      context.insert(project)
    }
    try context.save()
    let descriptor = FetchDescriptor<Project>(
      predicate: #Predicate { !$0.isArchived },
      sortBy: [SortDescriptor(\.createdAt, order: .reverse)])
    let found = try context.fetch(descriptor)
    #expect(found.map(\.name) == ["c", "b", "a"])
    // Pending changes count, those of related objects too.
    found[1].isArchived = true
    found[2].tasks.append(Task(title: "t"))
    #expect(try context.fetch(descriptor).map(\.name) == ["c", "a"])
    let busy = FetchDescriptor<Project>(
      predicate: #Predicate { $0.tasks.contains { $0.title == "t" } })
    #expect(try context.fetch(busy).map(\.name) == ["a"])
    #expect(try ModelContext(container).fetchCount(busy) == 0)
    try context.delete(model: Project.self, where: #Predicate { $0.name == "c" })
    #expect(try context.fetchCount(FetchDescriptor<Project>()) == 2)
  }

  @Test func theConfigurationOfTheSampleCompiles() throws {
    let schema = Schema([Project.self, Task.self])
    let configuration = ModelConfiguration(
      "MyApp", schema: schema, isStoredInMemoryOnly: false, cloudKitDatabase: .automatic)
    #expect(configuration.url.lastPathComponent == "MyApp.store")
    #expect(configuration.url.deletingLastPathComponent().lastPathComponent != "share")
    #expect(schema.entities.map(\.name) == ["Project", "Task"])
  }
}
