import CVaultLinux
import Glibc
import VaultPreferences
import VaultStorage

/// The recorder of the desktop's settings.
extension DefaultsTool {
  /// Milliseconds until the next look while the journal cannot be written, or is not there.
  static let retry: Int32 = 2_000

  /// `record dconf|kconfig [FILE…]`: keeps the journal of the desktop's settings until it is stopped.
  func record(_ arguments: ArraySlice<String>) throws {
    var words = arguments
    let options = try DefaultsOptions.takeAll(&words, flags: ["--once"], values: ["--count"])
    var left = try options.value("--count").map { try Self.count($0, "--count") }
    let name = words.popFirst() ?? ""
    guard let source = source(of: "\(name):") else { throw DefaultsUsage() }
    let named = Set(try words.map { try source.domain(named: $0) })
    let copies =
      try reading()?.domains().map(\.name)
      .filter { $0.begins(with: type(of: source).prefix) } ?? []
    let files = source.files(
      of: named.union(copies.map { String($0.dropFirst(type(of: source).prefix.count)) }))
    guard !files.isEmpty || source is PortalSource && options.has("--once") else {
      if source is PortalSource {
        throw DefaultsRefusal("The portal is looked at, not watched: record --once portal.")
      }
      throw DefaultsRefusal(
        "record kconfig has no file to look at yet; name them: kdeglobals kwinrc")
    }
    for file in files { try checkHome(of: file.folder) }
    isRecording = !options.has("--once")
    // Before a folder is made, in which nothing is then the truth.
    if !(source is PortalSource) {
      _ = try look(source, beside: named)
      try checkIsRead(wholly: source)
    }
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe2(&ends, O_CLOEXEC | O_NONBLOCK) == 0 else {
      throw DefaultsRefusal("cannot make a pipe")
    }
    let (read, write) = (ends[0], ends[1])
    var watches: [FileSignal.Watch] = []
    defer { for watch in watches { watch.stop() } }
    for file in files {
      if !options.has("--once") {
        do {
          try makeFolders(file.folder)
          watches.append(
            try FileSignal.watch(file.name, in: file.folder, isOwn: false, seesLinks: true) {
              // If the pipe is full, a wake-up is pending already.
              var byte: UInt8 = 1
              _ = unsafe Glibc.write(write, &byte, 1)
            })
        } catch let error as System.Failure {
          throw DefaultsRefusal("Could not make \(file.folder): \(error.reason)")
        }
      }
      if !UserFile.exists("\(file.folder)/\(file.name)") {
        warn("there is no \(file.folder)/\(file.name) yet; it is recorded once it is there")
      }
    }
    var said: String?
    while true {
      caughtUp.remove(type(of: source).prefix)
      let count = try catchUp(source, beside: named, isSilent: said != nil)
      let reason = reasonOfOldCopy
      let isWaiting = isWaitingForAbsent
      // The next look reads the store again.
      close()
      if let reason {
        if options.has("--once") {
          throw DefaultsRefusal(
            "Nothing was recorded: \(reason)\nWhat the desktop has is recorded by the next line "
              + "that can write.")
        }
        if said != reason {
          warn("nothing is recorded until the journal can be written: \(reason)")
        }
      } else if said != nil {
        warn("the journal can be written again")
      }
      said = reason
      if count > 0 { print("Recorded \(count) change\(count == 1 ? "" : "s").") }
      if options.has("--once") { return }
      if count > 0, let rest = left {
        if rest == 1 { return }
        left = rest - 1
      }
      var waiting = pollfd(fd: read, events: Int16(POLLIN), revents: 0)
      // No event says that the journal can be written again, or that a file is gone for good.
      unsafe poll(&waiting, 1, said == nil && !isWaiting ? -1 : Self.retry)
      var bytes = [UInt8](repeating: 0, count: 64)
      while unsafe Glibc.read(read, &bytes, 64) > 0 {}
    }
  }
}
