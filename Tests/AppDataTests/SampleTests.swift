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

  @Test func theConfigurationOfTheSampleCompiles() throws {
    let schema = Schema([Project.self, Task.self])
    let configuration = ModelConfiguration(
      "MyApp", schema: schema, isStoredInMemoryOnly: false, cloudKitDatabase: .automatic)
    #expect(configuration.url.lastPathComponent == "MyApp.store")
    #expect(configuration.url.deletingLastPathComponent().lastPathComponent != "share")
    #expect(schema.entities.map(\.name) == ["Project", "Task"])
  }
}
