import Glibc
import VaultPreferences
import VaultStorage

/// The databases that dconf reads, as its profile names them: the first one is the user's, and what
/// the others have are an administrator's defaults and locks.
///
/// The order is that of `dconf_engine_profile_open` in dconf's `engine/dconf-engine-profile.c`.
struct DConfProfile {
  /// Whether there are others beside the user's.
  let hasMore: Bool
  /// A profile of the user's database alone; `nil` if the usual one is that already, or if it
  /// cannot be replaced.
  let own: String?

  /// The name of the user's database, which is a file; `nil` if another service has it.
  let database: String?

  /// Whether there are others whose values cannot be told from the user's.
  var isMixed: Bool { hasMore && own == nil }

  /// Why nothing can be read: dconf then reads as if nothing were set.
  let problem: String?

  /// Reads the profile that counts.
  init(_ environment: [String: String]) {
    // The administrator's own, which no variable replaces.
    if let lines = Self.lines("/run/dconf/user/\(getuid())") {
      (hasMore, own, problem) = (lines.count > 1, nil, nil)
      database = Self.database(lines)
      return
    }
    guard let lines = Self.usual(environment) else {
      (hasMore, own, database) = (false, nil, nil)
      problem =
        "there is no profile \(Quoting.visible(environment["DCONF_PROFILE"] ?? "")), which "
        + "DCONF_PROFILE names"
      return
    }
    hasMore = lines.count > 1
    database = Self.database(lines)
    let first = lines.first ?? ""
    own = hasMore && first.begins(with: "user-db:") ? "\(first)\n" : nil
    problem = lines.isEmpty ? "its profile has no database" : nil
  }

  /// The first one, unless another service has it.
  private static func database(_ lines: [String]) -> String? {
    guard let first = lines.first, first.begins(with: "user-db:") else { return nil }
    return String(first.dropFirst("user-db:".count))
  }

  /// The lines of the profile; `nil` if it is named, and not there.
  private static func usual(_ environment: [String: String]) -> [String]? {
    if let name = environment["DCONF_PROFILE"] { return profile(name, environment) }
    if let folder = environment["XDG_RUNTIME_DIR"], let lines = lines("\(folder)/dconf/profile") {
      return lines
    }
    return profile("user", environment) ?? ["user-db:user"]
  }

  private static func profile(_ name: String, _ environment: [String: String]) -> [String]? {
    if name.begins(with: "/") { return lines(name) }
    let shared = DefaultsDirectories.shared { environment[$0] }.map { "\($0)/dconf/profile" }
    for folder in ["/etc/dconf/profile"] + shared {
      if let lines = lines("\(folder)/\(name)") { return lines }
    }
    return nil
  }

  private static func lines(_ path: String) -> [String]? {
    guard let bytes = try? UserFile.bytes(ofRegular: path, limit: 1 << 20) else { return nil }
    return String(decoding: bytes, as: UTF8.self).parts(at: "\n").compactMap { line in
      let text = KeyFile.trimmed(line.halves(at: "#")?.before ?? line[...])
      return text.isEmpty ? nil : String(text)
    }
  }
}
