import Foundation
import Testing

/// A change of a domain that is followed is told once, after it was written; nothing else is.
struct FollowedDomainTests {
  /// Counts what is told.
  private final class Count {
    var told = 0
    var asked = 0
  }

  private func followed(_ domains: Set<String>) throws -> (DefaultsRunner, Count) {
    let (defaults, count) = (try DefaultsRunner(), Count())
    defaults.following = (
      domains: {
        count.asked += 1
        return domains
      }, changed: { count.told += 1 }
    )
    return (defaults, count)
  }

  @Test(
    arguments: [
      ["write", "d", "theme", "dark"], ["delete", "d", "old"], ["delete", "d"],
      ["rename", "d", "old", "new"], ["undo"], ["import", "d", "-"],
      ["apply", "--format", "json", "-"],
    ])
  func aChangeIsTold(_ line: [String]) throws {
    let (defaults, count) = try followed(["d", "other"])
    defaults("write", "d", "old", "1")
    #expect(count.told == 1)
    let input =
      line[0] == "apply"
      ? #"{"d": {"theme": "dark"}}"# : "<plist><dict><key>k</key><true/></dict></plist>"
    let result = defaults.run(line, input: Array(input.utf8))
    #expect(result.status == 0, "\(result.error)")
    #expect(count.told == 2)
  }

  @Test func nothingElseIsTold() throws {
    let (defaults, count) = try followed(["d"])
    defaults("write", "d", "theme", "dark")
    #expect(count.told == 1 && count.asked == 1)
    // What reads does not even ask.
    for line in [
      ["read", "d"], ["domains"], ["history"], ["export", "d", "-"], ["diff", "none"],
    ] {
      _ = defaults.run(line)
    }
    #expect(count.told == 1 && count.asked == 1)
    for line in [
      ["write", "e", "theme", "dark"], ["-currentHost", "write", "d", "theme", "dark"],
      ["delete", "e", "theme"], ["delete", "d", "none"],
    ] {
      _ = defaults.run(line)
    }
    #expect(count.told == 1)
  }

  @Test func whereNothingIsFollowedNothingIsTold() throws {
    let (defaults, count) = try followed([])
    defaults("write", "d", "theme", "dark")
    #expect(count.told == 0 && count.asked == 1)
  }
}
