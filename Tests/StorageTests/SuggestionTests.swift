import Testing
import VaultStorage

struct SuggestionTests {
  @Test func theIntendedWordIsFound() {
    let verbs = ["set", "get", "list", "status", "history", "help"]
    #expect(Suggestion.nearest(to: "stauts", among: verbs) == "status")
    #expect(Suggestion.nearest(to: "lsit", among: verbs) == "list")
    #expect(Suggestion.nearest(to: "hist", among: verbs) == "history")
    #expect(Suggestion.nearest(to: "frobnicate", among: verbs) == nil)
    #expect(Suggestion.nearest(to: "", among: verbs) == nil)
    #expect(Suggestion.nearest(to: String(repeating: "x", count: 500), among: verbs) == nil)
    let names = ["work/github", "work/gitlab", "api-token"]
    #expect(Suggestion.nearest(to: "wrok/github", among: names) == "work/github")
    #expect(Suggestion.nearest(to: "github", among: names) == "work/github")
    #expect(Suggestion.nearest(to: "API_TOKEN", among: names) == "api-token")
    #expect(Suggestion.nearest(to: "s3cr3t-value", among: names) == nil)
  }
}
