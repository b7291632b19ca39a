import Foundation
import TestSupport
import Testing

/// `vault run FOLDER/ -- COMMAND`: every item below sets the variable of its last part.
struct RunFolderTests {
  private func vault() throws -> ThrowawayVault {
    let vault = try ThrowawayVault()
    for name in ["app/STRIPE_KEY", "app/db/password", "app/api-token", "other"] {
      try vault.set(name, "secret of \(name)")
    }
    return vault
  }

  @Test func everyItemBelowAFolderIsTheVariableOfItsLastPart() throws {
    let vault = try vault()
    for word in ["app/", "app/**", "secret://app/"] {
      let child = try vault("run", word, "--only", "--", "env")
      let lines = child.text.split(separator: "\n").filter { $0.contains("secret of") }.sorted()
      #expect(
        lines == [
          "API_TOKEN=secret of app/api-token", "PASSWORD=secret of app/db/password",
          "STRIPE_KEY=secret of app/STRIPE_KEY",
        ], "\(word): \(child.errors)")
    }
    let long = try vault("run", "app/", "--prefix-names", "--dry-run")
    #expect(long.text == "APP_API_TOKEN\nAPP_DB_PASSWORD\nAPP_STRIPE_KEY\n")
  }

  @Test func aFoldersOwnItemsWinOverThoseBelowIt() throws {
    let vault = try vault()
    for name in ["shop/URL", "shop/test/URL", "shop/test/old/url", "shop/a/url", "shop/test/ONLY"] {
      try vault.set(name, "of \(name)")
    }
    func value(_ word: String, of variable: String = "URL") throws -> String {
      let child = try vault("run", word, "--", "sh", "-c", "echo \"$\(variable)\"")
      return child.text + child.errors
    }
    for word in ["shop/", "shop/*", "secret://shop/"] {
      #expect(try value(word) == "of shop/URL\n", "\(word)")
    }
    #expect(try value("shop/test/") == "of shop/test/URL\n")
    #expect(try value("shop/", of: "ONLY") == "of shop/test/ONLY\n")
    // A star of a shell does not cross a slash.
    #expect(try value("shop/*", of: "ONLY") == "\n")
    #expect(try vault("run", "*", "--dry-run").text == "OTHER\n")
    // Which folder below is meant nobody can know.
    #expect(try vault("remove", "shop/URL").status == 0)
    #expect(try value("shop/").contains("would both be URL"))
    // Two words are two folders.
    try vault.set("shop/URL", "of shop/URL")
    #expect(try value("shop/test/").contains("of shop/test/URL"))
    #expect(try vault("run", "shop/", "shop/test/", "--", "true").status == 64)
  }

  @Test func twoItemsOfOneVariableAreRefusedAndBothNamed() throws {
    let vault = try vault()
    try vault.set("app/stripe-key", "y")
    try vault.set("app/old/stripe-key", "x")
    let refused = try vault("run", "app/", "--", "true")
    #expect(refused.status == 64)
    #expect(refused.errors.contains("'app/STRIPE_KEY' and 'app/stripe-key'"), "\(refused.errors)")
    #expect(refused.errors.contains("--env STRIPE_KEY=ITEM"))
    #expect(refused.errors.contains("--prefix-names"))
    // What stands on the line decides.
    let chosen = try vault(
      "run", "app/", "--env", "STRIPE_KEY=app/old/stripe-key", "--", "sh", "-c", "echo $STRIPE_KEY")
    #expect(chosen.text == "x\n", "\(chosen.errors)")
    #expect(try vault("remove", "app/stripe-key").status == 0)
    #expect(try vault("run", "app/", "--prefix-names", "--", "true").status == 0)
    // The same item twice is one item.
    #expect(try vault("run", "app/db/", "app/db/*", "--dry-run").text == "PASSWORD\n")
  }

  @Test func anAttributeChoosesTheVariable() throws {
    let vault = try vault()
    let set = try vault(
      "set", "app/proxy", "--stdin", "--attribute", "variable=proxy_login", input: "http://x")
    #expect(set.status == 0)
    #expect(try vault("run", "app/", "--dry-run").text.contains("proxy_login\n"))
    #expect(try vault("run", "app/proxy", "--dry-run").text == "proxy_login\n")
  }

  @Test func aFolderWithoutItemsIsAnErrorWithTheNearestOne() throws {
    let vault = try vault()
    let missing = try vault("run", "ap/", "--", "true")
    #expect(missing.status == 1)
    #expect(missing.errors.contains("no item is below 'ap/'"))
    #expect(missing.errors.contains("did you mean: app/"))
    #expect(try vault("run", "zz*", "--", "true").errors.contains("no item matches 'zz*'"))
    #expect(try vault("run", "/", "--", "true").status == 64)
    #expect(try vault("run", "secret://app/#user", "--", "true").status == 64)
  }

  @Test func theItemsOfAnotherVaultAreThere() throws {
    let vault = try vault()
    let key = "\(vault.home.path)/key"
    #expect(try vault("--vault", "work", "init", "--key-file", key).status == 0)
    let set = try vault("--vault", "work", "set", "app/TOKEN", "--stdin", input: "of work")
    #expect(set.status == 0, "\(set.errors)")
    let child = try vault("run", "secret://@work/app/", "--", "sh", "-c", "echo $TOKEN")
    #expect(child.text == "of work\n", "\(child.errors)")
  }

  @Test func aDryRunPrintsNamesAndStartsNothing() throws {
    let vault = try vault()
    let mark = "\(vault.home.path)/started"
    let dry = try vault(
      "run", "other", "app/api-token", "-n", "--as-file", "app/db/password", "--", "touch", mark)
    #expect(dry.status == 0, "\(dry.errors)")
    #expect(dry.text == "APP_API_TOKEN\nAPP_DB_PASSWORD_FILE\nOTHER\n")
    #expect(!FileManager.default.fileExists(atPath: mark))
    #expect(!dry.text.contains("secret of"))
    #expect(try vault("run", "other", "nope", "-n").status == 1)
    let json = try vault("run", "other", "-n", "--json")
    #expect(json.text.contains("\"secret://other\""))
  }

  @Test func whatIsMissingInAFileHasItsLine() throws {
    let vault = try vault()
    let file = "\(vault.home.path)/.env.refs"
    let text = "# c\nA=secret://other\n\n\nMISSING=x-secret://app/NOPE\nF=secret://other#user\n"
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    for more in [[], ["-n"]] {
      let run = try vault.command.run(["run", "--env-file", ".env.refs"] + more + ["--", "true"])
      #expect(run.status == 1)
      #expect(run.errors.contains(".env.refs:5 MISSING: no item app/NOPE"), "\(run.errors)")
      #expect(run.errors.contains(".env.refs:6 F: other has no field user"), "\(run.errors)")
    }
    try "A=secret://%zz\n".write(toFile: file, atomically: true, encoding: .utf8)
    #expect(try vault("run", "--env-file", file, "--", "true").errors.contains("refs:1 A: "))
    try "1A=x\n".write(toFile: file, atomically: true, encoding: .utf8)
    #expect(try vault("run", "--env-file", file, "--", "true").errors.contains(".env.refs:1: "))
    #expect(
      try vault("run", "--env-file", "nope.env", "--", "true").errors.contains(
        "nope.env does not exist"))
    let template = "\(vault.home.path)/c.tpl"
    try "a: {{ secret://nope }}".write(toFile: template, atomically: true, encoding: .utf8)
    #expect(
      try vault("inject", "--in", "c.tpl").errors.contains("c.tpl: an item is missing: nope (1:4)"))
  }

  @Test func theOlderNamesOfOptionsWork() throws {
    let vault = try vault()
    let script = "cat; cat $OTHER_FILE"
    for names in [["--file", "--stdin"], ["--as-file", "--to-stdin"]] {
      let child = try vault.command.run(
        ["run", names[0], "other", names[1], "other", "--", "sh", "-c", script])
      #expect(child.text == "secret of othersecret of other", "\(child.errors)")
    }
    #expect(!(try vault("help", "run").text.contains("--stdin <")))
  }
}
