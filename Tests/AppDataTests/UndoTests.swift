import Testing
import VaultAppData

/// Undoing what a context has not handed to its manager yet.
struct UndoTests {
  private let context: ModelContext
  private let undo = UndoManager()

  init() throws {
    context = try memory(UndoNote.self).1
    context.undoManager = undo
  }

  private var texts: [String] { context.insertedModelsArray.compactMap { ($0 as? UndoNote)?.text } }

  private func saved(_ text: String) throws -> UndoNote {
    let note = UndoNote(text)
    context.insert(note)
    try context.save()
    undo.removeAllActions()
    return note
  }

  @Test func whatIsPendingIsUndoneFirst() throws {
    let note = try saved("a")
    note.text = "b"
    context.processPendingChanges()
    note.text = "c"
    undo.undo()
    #expect(note.text == "b")
    undo.undo()
    #expect(note.text == "a" && !undo.canUndo)
    undo.redo()
    undo.redo()
    #expect(note.text == "c" && !undo.canRedo)
  }

  @Test func whatIsPendingCanBeUndone() throws {
    #expect(!undo.canUndo)
    let note = try saved("a")
    note.text = "b"
    #expect(undo.canUndo && undo.canUndo)
    note.text = "c"
    // To ask ends no group.
    undo.undo()
    #expect(note.text == "a" && undo.canRedo)
    note.text = "d"
    #expect(!undo.canRedo && undo.redoActionName == "")
    undo.redo()
    #expect(note.text == "d")
  }

  @Test func aNewObjectIsTakenOutAlone() throws {
    context.insert(UndoNote("one"))
    context.processPendingChanges()
    context.insert(UndoNote("two"))
    undo.undo()
    #expect(texts == ["one"])
  }

  @Test func aGroupHoldsWhatIsDoneInIt() throws {
    let note = try saved("a")
    note.text = "before"
    undo.beginUndoGrouping()
    note.text = "b"
    context.insert(UndoNote("in it"))
    undo.endUndoGrouping()
    note.text = "after"
    undo.undo()
    #expect(note.text == "b" && texts == ["in it"])
    undo.undo()
    #expect(note.text == "before" && texts == [])
    undo.undo()
    #expect(note.text == "a")
  }

  @Test func aNameIsThatOfWhatIsPending() throws {
    let note = try saved("a")
    note.text = "b"
    undo.setActionName("Rename")
    #expect(undo.undoActionName == "Rename")
    context.processPendingChanges()
    #expect(undo.undoActionName == "Rename")
    note.text = "c"
    #expect(undo.undoActionName == "")
    undo.setActionName("Again")
    undo.undo()
    #expect(undo.undoActionName == "Rename" && undo.redoActionName == "Again")
  }

  @Test func twoContextsOfOneManagerAreBothAsked() throws {
    let note = try saved("a")
    let other = ModelContext(context.container)
    other.undoManager = undo
    let same = try #require(try other.fetch(FetchDescriptor<UndoNote>()).first)
    note.text = "b"
    same.number = 2
    undo.undo()
    undo.undo()
    #expect(note.text == "a" && same.number == 1)
    other.undoManager = nil
    same.number = 3
    #expect(!undo.canUndo)
  }
}

@Model private final class UndoNote {
  var text: String
  var number = 1
  init(_ text: String) { self.text = text }
}
