import Foundation
import TestSupport
import Testing
import VaultDefaultsTool

/// `history` names who wrote: the script, or the program that started the line.
struct CallingProgramTests {
  @Test(arguments: [
    ("bash /home/u/bin/setup.sh --dark", "setup.sh"), ("/bin/sh ./install", "install"),
    ("-bash", "bash"), ("python3.12 tools/dark.py S3CRET", "dark.py"), ("make -j2 all", "make"),
    ("bash -c defaults", "bash"), ("bash -ec defaults", "bash"), ("perl -e print", "perl"),
    ("bash -o errexit run.sh", "run.sh"), ("bash --norc -- run.sh", "run.sh"),
    ("python3 -m tool", "python3"), ("/usr/bin/fish", "fish"),
    ("sh /dev/shm/job/dark.sh", "dark.sh"), ("sh /dev/stdin", "sh"),
    ("bash --norc /dev/fd/9", "bash"), ("bash /dev/fd/63 x", "bash"),
  ])
  func theNameIsThatOfTheScriptOrProgram(line: String, name: String) {
    #expect(CallingProgram.name(of: line.split(separator: " ").map(String.init)) == name)
  }

  @Test func controlCharactersDoNotGetIntoTheJournal() {
    #expect(CallingProgram.name(of: ["/tmp/a\u{1b}[31m"]) == "a\\u{1b}[31m")
    #expect(CallingProgram.name(of: []) == nil)
    #expect(CallingProgram.name(of: [""]) == nil)
  }

  @Test func historyNamesTheScriptThatWrote() throws {
    let home = try TemporaryHome()
    let script = "\(home.path)/dark-mode.sh"
    try Data(
      """
      '\(VaultProcess.path)' defaults write com.example.ed theme dark
      env '\(VaultProcess.path)' defaults write com.example.ed size -int 12
      : done

      """.utf8
    ).write(to: URL(fileURLWithPath: script))
    let shell = VaultProcess(home: home.path, executable: "/bin/sh")
    #expect(try shell.run([script]).status == 0)
    let history = try VaultProcess(home: home.path).run(["defaults", "history", "com.example.ed"])
    let writers = history.text.split(separator: "\n").map { $0.split(separator: "\t")[2] }
    #expect(writers == ["dark-mode.sh", "dark-mode.sh", "dark-mode.sh"])
  }
}
