import VaultStorage

// Links that are made and removed: a program by another name, a unit that is enabled.

extension Connection {
  struct Link {
    let path: String
    let target: String
  }

  func pipLink() throws -> Link {
    Link(path: try home() + "/.local/bin/keyring", target: try executable())
  }

  func makingLink(_ link: Link) throws -> [Change] {
    if let target = target(of: link) {
      if target == link.target { return [] }
      throw otherProgram(link)
    }
    guard !UserFile.exists(link.path) else { throw otherProgram(link) }
    return [change(making: link)]
  }

  func change(making link: Link) -> Change {
    Change(path: link.path, lines: ["link to \(link.target)"]) {
      do throws(System.Failure) {
        try UserFile.makeFolders(UserFile.folder(of: link.path))
        try System.makeLink(link.path, to: link.target)
      } catch {
        throw CommandError(.cannotCreate, "\(link.path) cannot be made: \(error.reason)")
      }
    }
  }

  private func target(of link: Link) -> String? {
    System.linkTarget(link.path).map { String(decoding: $0, as: UTF8.self) }
  }

  private func otherProgram(_ link: Link) -> CommandError {
    CommandError(
      .connectedOtherwise, "\(link.path) is another program's",
      hint: "move it away, and connect again")
  }

  func removingLink(_ link: Link) throws -> [Change] {
    guard target(of: link) == link.target else { return [] }
    return [
      Change(path: link.path, lines: ["link to \(link.target)"]) {
        try ConfigurationFile(path: link.path).remove()
      }
    ]
  }
}
