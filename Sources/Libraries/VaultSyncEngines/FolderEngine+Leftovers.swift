import VaultStorage
public import VaultSync

extension FolderEngine {
  private static let temporaryPrefix = ".vault."

  /// The name of a file until all of it is written: it says which name it will have, and so whose it is.
  static func temporaryName(for name: String) -> String {
    "\(temporaryPrefix)\(name).\(AtomicFile.randomSuffix())"
  }

  /// How long after its last change a file of anybody is one that a killed program left: a day.
  private static let patience = Duration.seconds(86_400)

  /// How long no living program waits before it writes on: a minute.
  private static let pause = Duration.seconds(60)

  /// Removes files that a program was writing when it was killed, or its disk was full.
  public func removeLeftovers(of stream: StreamID, in space: SpaceID, everywhere: Bool) throws {
    // This machine has ended; who brings its lost records there again is done in less.
    for kind in ["s", "p"] {
      remove(in: folder(space, kind, stream.text)) { _, age in age > Self.pause }
    }
    guard everywhere else { return }
    let own = "\(Self.temporaryPrefix)\(stream.text)."
    for kind in ["h", "i", "o"] {
      remove(in: folder(space, kind)) { name, age in
        name.hasPrefix(own) && age > Self.pause || age > Self.patience
      }
    }
  }

  private func remove(in path: String, where isLeft: (_ name: String, _ age: Duration) -> Bool) {
    guard let directory = try? Directory.ifThere(anyOwner: path), let names = try? directory.names()
    else { return }
    for name in names where name.hasPrefix(Self.temporaryPrefix) {
      guard let age = System.age(of: name, in: directory.descriptor), isLeft(name, age) else {
        continue
      }
      try? System.unlink(name, in: directory.descriptor)
    }
  }
}
