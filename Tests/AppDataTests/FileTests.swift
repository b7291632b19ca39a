import TestSupport
import Testing
import VaultAppData

/// The file, as programs see it that know nothing of this library.
struct FileTests {
  private let home: TemporaryHome
  private let url: URL

  init() throws {
    home = try TemporaryHome()
    url = URL(fileURLWithPath: "\(home.path)/a.store")
  }

  private static let python: String? = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").map { "\($0)/python3" }.first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
  }()

  /// What is saved into a file that nobody can open any more is lost.
  @Test(arguments: ["removed", "moved", "replaced", "log"])
  func aStoreThatIsGoneRefusesToSave(what: String) throws {
    let folder = URL(fileURLWithPath: "\(home.path)/folder")
    let store = folder.appendingPathComponent("b.store")
    let container = try ModelContainer(
      for: Trip.self, configurations: ModelConfiguration(url: store))
    let context = ModelContext(container)
    context.insert(Trip(name: "Rome"))
    try context.save()
    let files = FileManager.default
    switch what {
    case "removed": try files.removeItem(at: folder)
    case "log":
      for end in ["-wal", "-shm"] { try files.removeItem(atPath: store.path + end) }
    case "moved":
      try files.moveItem(at: folder, to: URL(fileURLWithPath: "\(home.path)/elsewhere"))
    default:
      try files.moveItem(at: store, to: folder.appendingPathComponent("c.store"))
      _ = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: store))
    }
    context.insert(Trip(name: "Oslo"))
    let error = #expect(throws: (any Error).self) { try context.save() }
    #expect("\(error.map { "\($0)" } ?? "")".contains("nothing was saved"))
    // It is still there, to be saved elsewhere.
    #expect(context.hasChanges)
  }

  @Test func theSchemaIsTheApprovedOne() throws {
    let container = try ModelContainer(
      for: Project.self, configurations: ModelConfiguration(url: url))
    let statements = try container.stores[0].lease().sqlite.strings(
      "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' "
        + "AND tbl_name NOT LIKE 'appdata_%' ORDER BY rowid")
    #expect(
      statements == [
        """
        CREATE TABLE "Project"(
          "_id" INTEGER PRIMARY KEY AUTOINCREMENT,
          "name" TEXT NOT NULL,
          "createdAt" REAL NOT NULL,
          "isArchived" INTEGER NOT NULL,
          "thumbnail" ANY
        ) STRICT
        """,
        """
        CREATE TABLE "Task"(
          "_id" INTEGER PRIMARY KEY AUTOINCREMENT,
          "title" TEXT NOT NULL,
          "isComplete" INTEGER NOT NULL,
          "dueDate" REAL,
          "priority" INTEGER NOT NULL,
          "project_id" INTEGER REFERENCES "Project"("_id") DEFERRABLE INITIALLY DEFERRED,
          "project_position" INTEGER
        ) STRICT
        """,
        """
        CREATE UNIQUE INDEX "Project_thumbnail_files" ON "Project"("thumbnail") \
        WHERE typeof("thumbnail")='text'
        """,
        """
        CREATE INDEX "Task_project_id_project_position_index" ON "Task"("project_id", \
        "project_position")
        """,
      ])
  }

  /// Reads every row with Python's standard library: no function or collation of ours is in the
  /// way.
  @Test(.enabled(if: python != nil, "needs python3 in PATH"))
  func pythonReadsOrdersAndChecksTheFile() throws {
    do {
      let container = try ModelContainer(
        for: Project.self, configurations: ModelConfiguration(url: url))
      let context = ModelContext(container)
      context.autosaveEnabled = false
      let project = Project(name: "Zoë's")
      project.createdAt = Date(timeIntervalSinceReferenceDate: 86_400.5)
      project.thumbnail = Data([1, 2])
      context.insert(project)
      project.tasks = [Task(title: "Paint", priority: .high), Task(title: "Clean")]
      project.tasks[1].dueDate = Date(timeIntervalSinceReferenceDate: 0)
      try context.save()
    }
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Samples/read_store.py").path
    let python = try #require(Self.python)
    let result = try VaultProcess(home: home.path, executable: python).run([script, url.path])
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    #expect(
      result.text == """
        Project: createdAt date, isArchived boolean, name string, tasks to-many Task, \
        thumbnail data
        Task: dueDate date, isComplete boolean, priority integer, project to-one Project, \
        title string
        Zoë's | 2001-01-02 00:00:00.500 | 0 | b'\\x01\\x02'
          Paint | None | 2
          Clean | 2001-01-01 00:00:00.000 | 1
        ok

        """)
  }
}
