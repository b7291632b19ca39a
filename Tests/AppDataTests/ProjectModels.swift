import SwiftData

// The model code of SwiftData's own examples, unchanged.

@Model
class Project {
  var name: String
  var createdAt: Date
  var isArchived: Bool
  @Relationship(deleteRule: .cascade, inverse: \Task.project)
  var tasks: [Task]
  @Attribute(.externalStorage)
  var thumbnail: Data?
  var activeTasks: [Task] { tasks.filter { !$0.isComplete } }
  init(name: String) {
    self.name = name
    self.createdAt = Date()
    self.isArchived = false
    self.tasks = []
  }
}

@Model
class Task {
  var title: String
  var isComplete: Bool
  var dueDate: Date?
  var priority: Priority
  var project: Project?
  enum Priority: Int, Codable { case low = 0, medium = 1, high = 2 }
  init(title: String, priority: Priority = .medium) {
    self.title = title
    self.isComplete = false
    self.priority = priority
  }
}
