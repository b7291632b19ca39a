import VaultStorage

/// Applications by their desktop entries: Desktop Entry Specification.
enum DesktopEntries {
  /// The id of an application: its entry's file name, found by id or by its `Name`.
  static func identifier(of name: String) -> String? {
    let wanted = name.ends(with: ".desktop") ? String(name.dropLast(8)) : name
    var directories: [String] = []
    if let home = StoreLocation.variable("XDG_DATA_HOME"), home.begins(with: "/") {
      directories.append(home)
    } else if let home = StoreLocation.namedHome() {
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
        if Self.name(in: String(decoding: bytes, as: UTF8.self)) == name {
          return String(file.dropLast(8))
        }
      }
    }
    return nil
  }

  /// The `Name` of the group `Desktop Entry`; actions and other groups have names of their own.
  private static func name(in text: String) -> String? {
    var isEntry = false
    for line in text.parts(at: "\n") {
      // Space around '=' is ignored; files that came by Windows end their lines in CR LF.
      let line = String(line).trimmingBlanks
      if line.begins(with: "[") {
        isEntry = line == "[Desktop Entry]"
      } else if isEntry, let (key, value) = line.halves(at: "="),
        String(key).trimmingBlanks == "Name"
      {
        return unescaped(String(value).trimmingBlanks)
      }
    }
    return nil
  }

  /// A value of type `localestring`: `\n`, `\t`, `\r` and `\\` stand for what they do in C, and `\s`
  /// for a space.
  private static func unescaped(_ value: String) -> String {
    let escapes: [Unicode.Scalar: Unicode.Scalar] = [
      "s": " ", "n": "\n", "t": "\t", "r": "\r", "\\": "\\",
    ]
    var name = String.UnicodeScalarView()
    var rest = value.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar == "\\", let next = rest.first, let meant = escapes[next] {
        name.append(meant)
        rest.removeFirst()
      } else {
        name.append(scalar)
      }
    }
    return String(name)
  }
}
