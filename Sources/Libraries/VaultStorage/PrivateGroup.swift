import Glibc

/// The groups that have one member, as many systems give each user: Debian's and Fedora's default.
///
/// With such a group goes the mask 002, and so folders such as `~/.local` that the group may write
/// in: nobody but the user. The rule is that of Debian's sshd for its files (the patch
/// `user-group-modes`).
package enum PrivateGroup {
  private static let limit = 4 << 20

  /// Whether the group of the files that this process makes is its user's own.
  package static var isOwnPrimary: Bool { isOwn(getegid()) }

  /// Whether a group is this process's user's own, by the system's own databases.
  ///
  /// Users and groups of a directory service are not looked up: their group counts as shared.
  static func isOwn(_ group: UInt32) -> Bool {
    guard let users = contents("/etc/passwd"), let groups = contents("/etc/group") else {
      return false
    }
    return isPrivate(group, of: System.effectiveUser, users: users, groups: groups)
  }

  /// Whether a group is the primary one of a user and of nobody else, and has no other member.
  ///
  /// - Parameters:
  ///   - group: The group's number.
  ///   - user: The user's number.
  ///   - users: The user database: passwd(5).
  ///   - groups: The group database: group(5).
  /// - Returns: Whether it is the user's alone.
  package static func isPrivate(
    _ group: UInt32, of user: UInt32, users: [UInt8], groups: [UInt8]
  ) -> Bool {
    var names: Set<String> = []
    var isPrimary = false
    for fields in entries(users) {
      guard fields.count >= 4, let number = UInt32(fields[2]), let primary = UInt32(fields[3])
      else { continue }
      if number == user { names.insert(fields[0]) }
      guard primary == group else { continue }
      if number != user { return false }
      isPrimary = true
    }
    var isThere = false
    for fields in entries(groups) where fields.count >= 3 && UInt32(fields[2]) == group {
      isThere = true
      let members = fields.count > 3 ? fields[3].parts(at: ",").map(String.init) : []
      guard members.allSatisfy({ $0.isEmpty || names.contains($0) }) else { return false }
    }
    return isPrimary && isThere
  }

  private static func entries(_ database: [UInt8]) -> [[String]] {
    database.split(separator: UInt8(ascii: "\n")).map { line in
      line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
    }
  }

  private static func contents(_ path: String) -> [UInt8]? {
    guard let file = try? System.open(path, in: AT_FDCWD, flags: O_RDONLY | O_NOCTTY) else {
      return nil
    }
    defer { System.close(file) }
    return try? System.readAll(file, expected: 4096, limit: limit)
  }
}
