import Foundation
import TestSupport
import Testing

/// The adversary may change items, but not the line of `vault run`: a member of a space, an import.
struct RunSteeringTests {
  @Test(arguments: [
    "BASH_ENV", "LD_PRELOAD", "LD_AUDIT", "PATH", "GIT_SSH_COMMAND", "PYTHONSTARTUP",
    "NODE_OPTIONS", "https_proxy", "ENV", "MY_PRELOAD", "PERL5OPT", "JAVA_TOOL_OPTIONS",
    "TAR_OPTIONS", "RCLONE_PASSWORD_COMMAND", "WGETRC", "VAULT_HOME", "PIP_INDEX_URL",
  ])
  func anItemNeverChoosesAVariableByWhichProgramsRunOtherCode(name: String) throws {
    let vault = try ThrowawayVault()
    try vault.set("app/API_KEY", "k")
    try vault.set("app/\(name)", "of-the-item")
    let variable = name.uppercased()
    let folder = try vault("run", "app/", "--", "/usr/bin/env")
    #expect(folder.status == 0 && folder.text.contains("API_KEY=k\n"), "\(folder.errors)")
    #expect(!folder.text.contains("of-the-item"))
    #expect(folder.errors.contains("warning: \(variable) was not set"), "\(folder.errors)")
    #expect(try vault("set", "app/API_KEY", "--attribute", "variable=\(name)").status == 0)
    let marked = try vault("run", "app/API_KEY", "--", "/usr/bin/env")
    #expect(marked.status == 0 && !marked.text.contains("\(name)=k\n"), "\(marked.errors)")
    #expect(marked.errors.contains("warning: "), "\(marked.errors)")
    let file = "\(vault.home.path)/x.env"
    try "\(name)=secret://app/\(name)\n".write(toFile: file, atomically: true, encoding: .utf8)
    #expect(try vault("run", "--env-file", file, "--", "true").status == 64)
    // The line itself decides.
    let asked = try vault("run", "--env", "\(name)=app/\(name)", "--dry-run")
    #expect(asked.status == 0 && asked.text == "\(name)\n", "\(asked.errors)")
  }

  @Test func aNameOnTheLineIsNoPlaceForOneEither() throws {
    let vault = try ThrowawayVault()
    try vault.set("path", "\(vault.home.path)/nowhere")
    let refused = try vault("run", "path", "--", "true")
    #expect(refused.status == 64)
    #expect(refused.errors.contains("--env PATH=path"), "\(refused.errors)")
  }

  /// What is refused in `run` does not get into a file that a shell or a service reads.
  @Test(arguments: ["shell", "dotenv", "systemd", "docker", "kubectl", "node", "compose"])
  func noFileOfVariablesHasOneEither(format: String) throws {
    let vault = try ThrowawayVault()
    for name in ["API_KEY", "PATH", "TAR_OPTIONS"] { try vault.set("app/\(name)", "v-\(name)") }
    try vault.set("app/other", "v-other")
    #expect(try vault("set", "app/other", "--attribute", "variable=LD_PRELOAD").status == 0)
    let run = try vault("export", format, "app/", "--yes")
    #expect(run.status == 1)
    #expect(run.text.contains("v-API_KEY"), "\(run.text)")
    for name in ["PATH", "TAR_OPTIONS", "other"] {
      #expect(!run.text.contains("v-\(name)"), "\(run.text)")
      #expect(run.errors.contains("not exported: app/\(name): its variable"), "\(run.errors)")
    }
    #expect(run.errors.contains("exported 1 item\n"), "\(run.errors)")
  }

  /// A title is no variable, and what a name says is no part of a line to type.
  @Test func titlesAreNoVariablesAndHintsQuoteNames() throws {
    let vault = try ThrowawayVault()
    let file = "\(vault.home.path)/x.csv"
    let titles = ["Home", "Python Discord", "Git/Hub", "LD Systems", "LD_X; touch pwned #"]
    let rows = titles.map { "\($0),u,p-\($0)\n" }.joined()
    try "title,username,password\n\(rows)".write(toFile: file, atomically: true, encoding: .utf8)
    let imported = try vault("import", "csv", file)
    #expect(imported.status == 0 && !imported.errors.contains("variable"), "\(imported.errors)")
    #expect(try !vault("audit").text.contains("variable"))
    try vault.set("x; touch pwned #", "1")
    let marked = try vault(
      "set", "x; touch pwned #", "--attribute", "variable=LD_PRELOAD")
    #expect(marked.status == 0, "\(marked.errors)")
    let run = try vault("run", "x; touch pwned #", "--", "true")
    #expect(run.errors.contains("--env 'LD_PRELOAD=x; touch pwned #'"), "\(run.errors)")
    let exported = try vault("export", "json", "--yes", "--out", "\(vault.home.path)/v.json")
    #expect(exported.status == 0)
    let other = try ThrowawayVault()
    let again = try other("import", "json", "\(vault.home.path)/v.json")
    #expect(again.errors.contains("history 'x; touch pwned #'"), "\(again.errors)")
    // The attribute is meant, and so is a name that is spelled as the variable.
    try vault.set("app/TAR_OPTIONS", "1")
    let found = try vault("audit").text
    #expect(found.contains("TAR_OPTIONS") && found.contains("LD_PRELOAD"), "\(found)")
  }

  /// Told by the variable that `run` would make, however the name is written.
  @Test func aNameThatBecomesSuchAVariableIsToldByAnAuditAndAnImport() throws {
    let vault = try ThrowawayVault()
    try vault.set("x/bash-env", "1")
    let audit = try vault("audit", "--only", "vault").text
    #expect(audit.contains("x/bash-env") && audit.contains("asks for the variable BASH_ENV"))
    let run = try vault("run", "x/", "--", "true")
    #expect(run.errors.contains("BASH_ENV was not set"), "\(run.errors)")
    let file = "\(vault.home.path)/x.csv"
    try "name,secret\ny/ld-preload,1\nplain,2\n".write(
      toFile: file, atomically: true, encoding: .utf8)
    let imported = try vault("import", "csv", file, "--columns", "name,secret")
    #expect(imported.errors.contains("the variable LD_PRELOAD"), "\(imported.errors)")
    #expect(!imported.errors.contains("plain asks"))
  }

  @Test(arguments: [
    "LD_SDK_KEY", "GIT_TOKEN", "GITHUB_TOKEN", "PATHFINDER", "RUBYGEMS_API_KEY", "PGHOST",
  ])
  func ordinaryNamesAreSet(name: String) throws {
    let vault = try ThrowawayVault()
    try vault.set("app/\(name)", "k")
    #expect(try vault("run", "app/", "--", "/usr/bin/env").text.contains("\(name)=k\n"))
  }

  @Test func aFileOfASecretIsClosedToOthersAndChildrenFindIt() throws {
    let vault = try ThrowawayVault()
    try vault.set("key", "s3cr3t")
    let child = try vault(
      "run", "--as-file", "key", "--", "/bin/sh", "-c",
      // A child without our descriptors, as those of ssh are.
      "stat -L -c %a \"$KEY_FILE\"; /bin/sh -c 'exec 3>&- 4>&- 5>&-; cat \"$KEY_FILE\"'")
    #expect(child.text == "600\ns3cr3t", "\(child.errors)")
  }

  @Test(.enabled(if: geteuid() == 0, "another user's pipe can be made by root alone"))
  func nothingIsWrittenIntoAnotherUsersPipe() throws {
    let vault = try ThrowawayVault()
    try vault.set("key", "s3cr3t")
    let pipe = "\(vault.home.path)/pipe"
    #expect(unsafe mkfifo(pipe, 0o666) == 0)
    #expect(unsafe chown(pipe, 65534, 65534) == 0)
    // Open at the other end: a writer would not have to wait.
    let reader = unsafe open(pipe, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    for arguments in [["get", "key"], ["export", "json", "--yes"]] {
      let refused = try vault.command.run(arguments + ["--out", pipe])
      #expect(refused.status == 73, "\(refused.errors)")
      #expect(refused.errors.contains("another user's pipe"), "\(refused.errors)")
    }
    #expect(unsafe chown(pipe, geteuid(), 0) == 0)
    #expect(try vault("get", "key", "--out", pipe).status == 0)
  }
}
