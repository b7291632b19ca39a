import Foundation

/// A temporary file system whose power can be cut.
///
/// It is a loop-mounted image. The kernel's shutdown call stops it without flushing its log, like a
/// power switch: what was not synced is lost, but no block is torn or reordered. See
/// ioctl_xfs_goingdown(2); ext4 has it too.
package final class PowerCut: Sendable {
  /// The type of the file system.
  package enum FileSystem: String, CaseIterable, Sendable {
    case ext4, xfs
  }

  /// A step of the setup failed.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// The reason for skipping tests where ``isPossible(_:)`` is `false`.
  package static let needs: String = "needs root, loop devices, mkfs.ext4, mkfs.xfs and python3"

  /// The mount point; mode 0700.
  package let path: String
  private let folder: TemporaryHome

  package init(_ type: FileSystem) throws {
    folder = try TemporaryHome()
    path = "\(folder.path)/disk"
    let image = "\(folder.path)/image"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    // A sparse file. XFS takes no less than 300 MiB.
    try Self.run(folder, ["truncate", "-s", type == .xfs ? "320M" : "64M", image])
    try Self.run(
      folder, type == .xfs ? ["mkfs.xfs", "-q", "-f", image] : ["mkfs.ext4", "-q", "-F", image])
    try mount()
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
  }

  deinit { try? Self.run(folder, ["umount", path]) }

  /// Whether this user can do it on this machine; tried once.
  package static func isPossible(_ type: FileSystem) -> Bool { possible[type] ?? false }

  private static let possible: [FileSystem: Bool] = Dictionary(
    uniqueKeysWithValues: FileSystem.allCases.map { type in
      (type, (try? PowerCut(type).cut()) != nil)
    })

  /// Cuts the power and mounts again; what is there afterwards had reached the disk.
  package func cut() throws {
    try Self.run(folder, ["python3", "-c", Self.shutdown, path])
    try Self.run(folder, ["umount", path])
    try mount()
    // A mount namespace that another test made meanwhile holds a copy of the mount, and with it the
    // file system that is shut down, until that test ends.
    let deadline = ContinuousClock.now + .seconds(300)
    while !isWritable {
      guard ContinuousClock.now < deadline else {
        throw Failure(description: "another mount namespace holds \(path)")
      }
      try Self.run(folder, ["umount", path])
      Thread.sleep(forTimeInterval: 0.2)
      try mount()
    }
  }

  /// Whether the file system takes a file.
  ///
  /// ext4 lists directories after its shutdown, too, and refuses to open files.
  private var isWritable: Bool {
    let probe = "\(path)/probe"
    defer { try? FileManager.default.removeItem(atPath: probe) }
    return FileManager.default.createFile(atPath: probe, contents: nil)
  }

  /// Syncs everything that was written so far.
  package func sync() throws { try Self.run(folder, ["sync", "-f", path]) }

  /// `EXT4_IOC_SHUTDOWN`, `XFS_IOC_GOINGDOWN`, with "no log flush".
  private static let shutdown = """
    import fcntl, os, struct, sys
    fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587D, struct.pack("I", 2))
    """

  private func mount() throws {
    try Self.run(folder, ["mount", "-o", "loop", "\(folder.path)/image", path])
  }

  private static func run(_ folder: TemporaryHome, _ words: [String]) throws {
    let program = VaultProcess(
      home: folder.path, environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"],
      executable: "/usr/bin/env")
    let result = try program.run(words)
    guard result.status == 0 else {
      throw Failure(description: "\(words[0]): \(result.status) \(result.errors)")
    }
  }
}
