import VaultStorage

/// Applications by their desktop entries: Desktop Entry Specification.
enum DesktopEntries {
  /// The id of an application: its entry's file name, found by id or by its `Name`.
  static func identifier(of name: String) -> String? {
    let wanted = name.ends(with: ".desktop") ? String(name.dropLast(8)) : name
    var directories: [String] = []
    if let home = StoreLocation.variable("XDG_DATA_HOME"), home.begins(with: "/") {
      directories.append(home)
    } else if let home = StoreLocation.variable("HOME") {
      directories.append(home + "/.local/share")
    }
    let system = StoreLocation.variable("XDG_DATA_DIRS") ?? ""
    directories += (system.isEmpty ? "/usr/local/share:/usr/share" : system)
      .parts(at: ":").map(String.init)
    for directory in directories {
      let applications = directory + "/applications"
      if UserFile.exists("\(applications)/\(wanted).desktop", followingLinks: false) {
        return wanted
      }
    }
    for directory in directories {
      let applications = directory + "/applications"
      for file in (try? UserFile.names(in: applications)) ?? [] where file.ends(with: ".desktop") {
        guard let bytes = try? PropertyListFile.bytes(of: "\(applications)/\(file)") else {
          continue
        }
        let text = String(decoding: bytes, as: UTF8.self)
        if text.parts(at: "\n").contains("Name=\(name)") { return String(file.dropLast(8)) }
      }
    }
    return nil
  }
}
