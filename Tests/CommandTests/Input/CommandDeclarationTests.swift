import TestSupport
import Testing

/// What the argument parser checks of the commands in a debug build, each time that it reads a line;
/// not in CI's build, nor in a release.
struct CommandDeclarationTests {
  @Test func everyArgumentCanBeReached() throws {
    let verbs = try CommandGrammarDump().everyVerb
    #expect(verbs.count > 50)
    for (path, verb) in verbs {
      let arguments = verb.arguments ?? []
      let positionals = arguments.filter { $0.kind == "positional" }
      let repeated = positionals.dropLast().filter(\.isRepeating).compactMap(\.valueName)
      #expect(repeated == [], "\(path): nothing is left for what follows")
      var taken: Set<String> = []
      for argument in arguments where argument.kind != "positional" {
        let names = (argument.names ?? []).map { "\($0.kind) \($0.name)" }
        for name in names {
          #expect(taken.insert(name).inserted, "\(path): \(name) is there twice")
        }
        // A flag that is on already, and that no other name turns off.
        let isAlwaysOn = argument.kind == "flag" && argument.defaultValue == "true"
        #expect(!isAlwaysOn || names.count > 1, "\(path): \(names)")
      }
    }
  }
}
