import Foundation
import Glibc
import TestSupport
import Testing
import VaultStorage

struct FileStoreTests {
  private struct Note: Codable, Sendable, Equatable {
    var title: String
    var written = Date(timeIntervalSinceReferenceDate: 86_400)
    var lines: [String: Int] = ["a": 1]
  }

  private let home: TemporaryHome
  private var path: String { "\(home.path)/notes/note.json" }

  init() throws { home = try TemporaryHome() }

  private func store(_ format: FileStore<Note>.Format = .json) -> FileStore<Note> {
    FileStore(path: path, format: format)
  }

  @Test(arguments: [
    FileStore<Note>.Format.json, .propertyList, .binaryPropertyList,
  ])
  private func aValueComesBack(format: FileStore<Note>.Format) async throws {
    let store = store(format)
    #expect(try await store.load() == nil)
    #expect(home.names() == [])
    try await store.save(Note(title: "one"))
    try await store.save(Note(title: "two"))
    #expect(try await store.load() == Note(title: "two"))
    #expect(try await store.loadPrevious() == Note(title: "one"))
    let start = try Data(contentsOf: URL(fileURLWithPath: path)).prefix(8)
    let expected = [
      FileStore<Note>.Format.json: "{\n  \"lin", .propertyList: "<?xml ve",
      .binaryPropertyList: "bplist00",
    ]
    #expect(String(decoding: start, as: UTF8.self) == expected[format])
    try await store.remove()
    try await store.remove()
    #expect(try await store.load() == nil)
    #expect(home.names(in: "notes") == [".note.json.lock"])
  }

  @Test func theFileIsForItsOwnerAlone() throws {
    try store().blocking.save(Note(title: "x"))
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test(arguments: [
    ("", "is not a JSON document"), ("{\"title\": \"secret", "is not a JSON document"),
    ("{}", "lacks \""), ("{\"title\": 5, \"written\": \"x\", \"lines\": {}}", "at title"),
    (
      "{\"title\": \"a\", \"written\": \"2001-01-01T00:00:00Z\", \"lines\": {\"b\": \"secret\"}}",
      "at lines.b"
    ),
  ])
  func aDamagedFileIsToldWithItsPlaceAndNotTouched(contents: String, words: String) throws {
    let blocking = store().blocking
    try blocking.save(Note(title: "good"))
    try Data(contents.utf8).write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: StorageError.self) { try blocking.load() }
    #expect(error?.code == .damaged)
    let message = error?.message ?? ""
    #expect(message.contains(words), "\(message)")
    #expect(message.contains("\(path).previous"))
    #expect(!message.contains("secret"))
    #expect(throws: StorageError.self) {
      try blocking.update(default: Note(title: "new")) { $0.title = "lost" }
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(contents.utf8))
  }

  @Test func whatIsNoRegularFileIsRefused() throws {
    let blocking = store().blocking
    try blocking.save(Note(title: "x"))
    try FileManager.default.moveItem(atPath: path, toPath: "\(path).real")
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "\(path).real")
    let link = #expect(throws: StorageError.self) { try blocking.load() }
    #expect(link?.code == .refused)
    try FileManager.default.removeItem(atPath: path)
    #expect(unsafe mkfifo(path, 0o600) == 0)
    let pipe = #expect(throws: StorageError.self) { try blocking.load() }
    #expect(pipe?.code == .refused)
  }

  @Test func updatesOfManyAreAllThere() async throws {
    struct Count: Codable, Sendable { var number = 0 }
    let store = FileStore<Count>(path: path, keepsPrevious: false)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<5 { try await store.update(default: Count()) { $0.number += 1 } }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await store.load()?.number == 40)
    #expect(home.names(in: "notes") == [".note.json.lock", "note.json"])
  }

  @Test(arguments: [FaultPlan.Fault.error(ENOSPC), .error(EIO), .shortWrite, .kill])
  func whateverFailsTheOldOrTheNewIsThere(fault: FaultPlan.Fault) throws {
    var number = 0
    var fired = true
    while fired {
      number += 1
      try #require(number < 100)
      let blocking = store().blocking
      try blocking.save(Note(title: "old"))
      let plan = FaultPlan(fault, at: number)
      var thrown: StorageError?
      System.withFaults(plan) {
        do { try blocking.save(Note(title: "new")) } catch { thrown = error as? StorageError }
      }
      fired = plan.hasFired
      let found = try #require(try blocking.load())
      switch thrown?.code {
      case nil, .notDurable?: #expect(found == Note(title: "new"), "call \(number)")
      default: #expect(["old", "new"].contains(found.title), "call \(number)")
      }
      try blocking.save(Note(title: "again"))
      #expect(home.names(in: "notes").filter { $0.hasPrefix(".vault") } == [], "call \(number)")
    }
    #expect(number > (fault == .shortWrite ? 1 : 6))
  }

  @Test func aValueThatTheFormatCannotHoldIsRefused() throws {
    let store = FileStore<[String: Double]>(path: path)
    try store.blocking.save(["a": 1])
    let error = #expect(throws: StorageError.self) { try store.blocking.save(["b": .infinity]) }
    #expect(error?.code == .invalidValue)
    #expect(error?.message.contains("at b") == true)
    #expect(try store.blocking.load() == ["a": 1])
  }
}
