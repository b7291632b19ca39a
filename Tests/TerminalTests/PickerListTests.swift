import Testing
import VaultTerminal

struct PickerListTests {
  private func matches(_ query: String, _ names: [String]) -> [String] {
    var list = PickerList(names)
    list.type(query)
    return list.matches.map { list.lines[$0].name }
  }

  @Test func theBestMatchComesFirst() {
    let names = ["my-github-token", "web/github", "github", "github-old", "g-i-t-h-u-b", "other"]
    #expect(
      matches("github", names)
        == ["github", "github-old", "web/github", "my-github-token", "g-i-t-h-u-b"])
    #expect(
      matches("thu", names) == [
        "github", "web/github", "github-old", "my-github-token", "g-i-t-h-u-b",
      ])
    #expect(matches("", names) == names)
    #expect(matches("zz", names) == [])
  }

  @Test func wordsMatchInAnyOrderAndCase() {
    let names = ["Work/GitHub", "work/gitlab", "home/github"]
    #expect(matches("hub WORK", names) == ["Work/GitHub"])
    #expect(matches("  ", names) == names)
    #expect(matches("ÜB", ["über", "uber"]) == ["über"])
    #expect(matches("本", ["日本語", "日語"]) == ["日本語"])
  }

  @Test func theSelectionStaysInside() {
    var list = PickerList(["a1", "a2", "b"])
    list.move(by: -1)
    #expect(list.selected == 0)
    list.move(by: 7)
    #expect(list.selected == 2)
    list.type("a")
    #expect(list.selected == 0)
    list.move(by: 1)
    #expect(list.selected == 1)
    list.type("x")
    #expect(list.selected == nil)
    list.move(by: 1)
    #expect(list.selected == nil)
    list.erase()
    #expect(list.matches.count == 2)
    var empty = PickerList([String]())
    empty.move(by: 1)
    #expect(empty.selected == nil)
  }

  @Test func aWordOrEverythingIsTakenBack() {
    var list = PickerList(["one two"])
    list.type("one tw ")
    list.eraseWord()
    #expect(list.query == "one ")
    list.eraseWord()
    #expect(list.query == "")
    list.type("é")
    list.erase()
    #expect(list.query == "")
    list.type("x")
    list.clear()
    #expect(list.matches == [0])
  }
}

struct MenuProgramTests {
  private func candidates(_ variables: [String: String]) -> [MenuProgram] {
    MenuProgram.candidates { variables[$0] }
  }

  @Test func theProgramFitsTheDisplay() {
    #expect(candidates([:]) == [])
    #expect(candidates(["DISPLAY": ":0"]) == [.rofi, .dmenu, .bemenu])
    #expect(candidates(["WAYLAND_DISPLAY": "w"]).first == .fuzzel)
    #expect(!candidates(["WAYLAND_DISPLAY": "w"]).contains(.dmenu))
    #expect(candidates(["WAYLAND_DISPLAY": "w", "DISPLAY": ":0"]).last == .dmenu)
  }
}
