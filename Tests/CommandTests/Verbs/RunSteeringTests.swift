import Foundation
import TestSupport
import Testing

/// The adversary may change items, but not the line of `vault run`: a member of a space, an import.
struct RunSteeringTests {
  @Test(arguments: [
    "BASH_ENV", "LD_PRELOAD", "LD_AUDIT", "PATH", "GIT_SSH_COMMAND", "PYTHONSTARTUP",
    "NODE_OPTIONS", "https_proxy", "ENV", "MY_PRELOAD", "PERL5OPT", "JAVA_TOOL_OPTIONS",
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

  @Test(arguments: ["LD_SDK_KEY", "GIT_TOKEN", "GITHUB_TOKEN", "PATHFINDER", "RUBYGEMS_API_KEY"])
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
