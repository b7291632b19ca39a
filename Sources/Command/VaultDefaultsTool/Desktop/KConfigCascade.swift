import VaultPreferences
import VaultStorage

/// The files that a program of KDE reads for one name, the weakest first, and what is locked in
/// them.
///
/// `kdeglobals` of the system and of the user, then the file's own: those of `XDG_CONFIG_DIRS`, and
/// the user's. What a weaker file locks by `[$i]`, a key, a group or all of it, no stronger one
/// changes (KConfig, `KConfigPrivate::reparseConfiguration`).
struct KConfigCascade {
  /// A value of one file; `nil` where the file deletes what weaker ones have.
  private typealias Entry = (value: PreferenceValue?, isLocked: Bool)

  private struct File {
    let path: String
    let layer: PreferenceLayer
    var groups: [String: [String: Entry]] = [:]
    var lockedGroups: Set<String> = []
    var isLocked = false
  }

  private var files: [File] = []

  /// Reads the files of a name.
  ///
  /// - Parameters:
  ///   - name: The user's file, such as `kwinrc`.
  ///   - withGlobals: Whether `kdeglobals` is read, too, as programs do.
  ///   - environment: The environment.
  /// - Throws: ``DefaultsRefusal`` for a file that cannot be read.
  init(_ name: String, withGlobals: Bool, _ environment: [String: String]) throws {
    let own = try StoreLocation.configuration { environment[$0] }
    let words = environment["XDG_CONFIG_DIRS"] ?? ""
    let site = (words.isEmpty ? "/etc/xdg" : words).parts(at: ":").map(String.init)
      .filter { $0.begins(with: "/") }
    for file in withGlobals && name != "kdeglobals" ? ["kdeglobals", name] : [name] {
      for folder in site.reversed() { try read("\(folder)/\(file)", .siteDefault) }
      try read("\(own)/\(file)", file == name ? .application : .global)
    }
  }

  private mutating func read(_ path: String, _ layer: PreferenceLayer) throws {
    guard let file = try KConfigSource.file(path) else { return }
    var read = File(path: path, layer: layer)
    for group in file.groups {
      if group.name == "$i" {
        read.isLocked = true
        continue
      }
      let text = group.name.substituting("][$i", with: "")
      guard let name = KConfigSource.name(ofGroup: text) else { continue }
      if text != group.name { read.lockedGroups.insert(name) }
      for (key, text) in group.entries {
        guard let (key, flags) = KConfigSource.entry(key) else { continue }
        read.groups[name, default: [:]][key] = (
          flags.deletes ? nil : KConfigSource.value(text, flags), flags.locks
        )
      }
      for word in group.words {
        if let (key, flags) = KConfigSource.entry(word), flags.deletes {
          read.groups[name, default: [:]][key] = (nil, flags.locks)
        }
      }
    }
    files.append(read)
  }

  /// The file that locks a key; `nil` if none does.
  func lock(of key: String, in group: String) -> String? {
    files.first { Self.locks(key, group, $0) }?.path
  }

  private static func locks(_ key: String, _ group: String, _ file: File) -> Bool {
    file.isLocked || file.lockedGroups.contains(group)
      || file.groups[group]?[key]?.isLocked == true
  }

  /// A key's values, the one that counts first.
  func layers(of key: String, in domain: String, _ group: String) -> [LayeredValue] {
    var layers: [LayeredValue] = []
    let lock = files.firstIndex { Self.locks(key, group, $0) }
    for (index, file) in files.enumerated().reversed() {
      // What stands above a lock has no effect.
      if let lock, index > lock { continue }
      guard let entry = file.groups[group]?[key] else { continue }
      guard let value = entry.value else { break }
      layers.append(
        LayeredValue(
          layer: index == lock ? .managed : file.layer, domain: nil, file: file.path, value: value))
    }
    return layers
  }

  /// The keys that any file has in a group.
  func keys(in group: String) -> Set<String> {
    Set(files.flatMap { file in (file.groups[group] ?? [:]).keys })
  }
}
