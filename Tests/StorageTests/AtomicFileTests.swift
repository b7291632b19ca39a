import Foundation
import Glibc
import TestSupport
import Testing
import VaultStorage

struct AtomicFileTests {
  private let home: TemporaryHome
  private let directory: Directory

  init() throws {
    home = try TemporaryHome()
    directory = try Directory("\(home.path)/vault", create: true)
  }

  private func read(_ name: String = "file") throws -> String {
    String(
      decoding: try directory.read(name, limit: 100, acceptingPrevious: true), as: UTF8.self)
  }

  @Test func aNewFileIsForItsOwnerAlone() throws {
    try AtomicFile.replace("file", in: directory, with: Array("new".utf8))
    #expect(try read() == "new")
    #expect(try System.status(of: "file", in: directory.descriptor).permissions == 0o600)
    #expect(home.names(in: "vault") == ["file"])
  }

  @Test func theGenerationBeforeIsKept() throws {
    for text in ["one", "two", "three"] {
      try AtomicFile.replace(
        "file", in: directory, keepingPrevious: true, with: Array(text.utf8))
    }
    #expect(try read() == "three")
    #expect(try read("file.previous") == "two")
    #expect(home.names(in: "vault") == ["file", "file.previous"])
  }

  /// Every call in turn fails; afterwards the old or the new is there, whole, and nothing else.
  @Test(arguments: [
    FaultPlan.Fault.error(ENOSPC), .error(EIO), .error(EDQUOT), .shortWrite, .kill,
  ])
  func whateverFailsTheOldOrTheNewIsThere(fault: FaultPlan.Fault) throws {
    for keepingPrevious in [false, true] {
      var number = 0
      var fired = true
      while fired {
        number += 1
        try AtomicFile.replace("file", in: directory, with: Array("older".utf8))
        try AtomicFile.replace(
          "file", in: directory, keepingPrevious: keepingPrevious, with: Array("old".utf8))
        let plan = FaultPlan(fault, at: number)
        var thrown: StorageError?
        do {
          try System.withFaults(plan) {
            try AtomicFile.replace(
              "file", in: directory, keepingPrevious: keepingPrevious, with: Array("new".utf8))
          }
        } catch let error as StorageError {
          thrown = error
        }
        fired = plan.hasFired
        let found = try read()
        if let thrown {
          #expect(found == (thrown.code == .notDurable ? "new" : found))
          #expect(["old", "new"].contains(found))
          if thrown.code != .notDurable, fault != .kill { #expect(found == "old") }
        } else {
          #expect(found == "new")
        }
        if keepingPrevious {
          #expect(["older", "old"].contains(try read("file.previous")))
        }
        try AtomicFile.removeStale(of: "file", in: directory)
        let expected = keepingPrevious ? ["file", "file.previous"] : ["file"]
        #expect(home.names(in: "vault") == expected, "\(fault) at call \(number)")
      }
      #expect(number > (fault == .shortWrite ? 1 : 6))
    }
  }

  @Test func anErrorIsNeverASuccess() throws {
    for number in 1...4 {
      let plan = FaultPlan(.error(EIO), at: number)
      let error = #expect(throws: StorageError.self) {
        try System.withFaults(plan) {
          try AtomicFile.replace("file", in: directory, with: Array("new".utf8))
        }
      }
      // Calls 1 to 4 of those that change something: open, write, fsync, rename.
      #expect(error?.code == (number == 1 ? .cannotCreate : .inputOutput))
    }
    // 5 opens the directory, 6 syncs it: the file is there then.
    for number in 5...6 {
      let error = #expect(throws: StorageError.self) {
        try System.withFaults(FaultPlan(.error(EIO), at: number)) {
          try AtomicFile.replace("file", in: directory, with: Array("new".utf8))
        }
      }
      #expect(error?.code == .notDurable)
      #expect(try read() == "new")
    }
  }

  @Test func onlyOwnTemporaryFilesAreRemoved() throws {
    let names = [".vault.file.0123456789abcdef", ".vault.file.2.0123456789abcdef", ".vault.file.x"]
    for name in names { try Data().write(to: URL(fileURLWithPath: "\(directory.path)/\(name)")) }
    try AtomicFile.removeStale(of: "file", in: directory)
    #expect(Set(home.names(in: "vault")) == Set(names.dropFirst()))
  }

  /// A writer gives the file a second name and renames it, so that a reader that counts names may
  /// find it under neither.
  @Test func aReaderBesideAWriterIsNeverRefused() async throws {
    let directory = directory
    try AtomicFile.replace("file", in: directory, with: Array("0".utf8))
    let rounds = 5000
    try await withThrowingTaskGroup { group in
      group.addTask {
        for round in 1...rounds {
          try AtomicFile.replace(
            "file", in: directory, keepingPrevious: true, isDurable: false,
            with: Array(String(round).utf8))
        }
      }
      // A writer that fails cancels the reader.
      group.addTask {
        var last = 0
        while last < rounds, !Task.isCancelled {
          let bytes = try directory.read("file", limit: 100, acceptingPrevious: true)
          let found = try #require(Int(String(decoding: bytes, as: UTF8.self)))
          #expect(found >= last)
          last = found
        }
      }
      try await group.waitForAll()
    }
  }

  /// A further name that no writer of ours gave is refused, however often the names are counted.
  @Test func aNameOfAnotherIsRefused() throws {
    for text in ["one", "two"] {
      try AtomicFile.replace("file", in: directory, keepingPrevious: true, with: Array(text.utf8))
    }
    try System.link("file", to: "other", in: directory.descriptor)
    let error = #expect(throws: StorageError.self) { try read() }
    #expect(error?.code == .refused)
  }
}
