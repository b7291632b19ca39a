import VaultPreferences
import VaultStorage

/// Text files and profiles, which a schema makes layers of a domain.
extension DefaultsTool {
  /// The layers from outside of the store that a program with this schema has.
  func outer(
    _ schema: PreferenceSchema?, _ domain: String, _ database: PreferenceDatabase?
  ) throws -> OuterLayers {
    guard let schema else { return OuterLayers() }
    var outer = OuterLayers(schema, of: domain, variables: environment)
    outer.profiles = OuterLayers.profiles(
      in: try database?.value(OuterLayers.profilesKey, in: PreferenceDomain(domain)))
    for problem in outer.problems(schema) { warn(problem.message) }
    for key in schema.keys.values.sorted(by: { $0.name < $1.name }) {
      guard let found = outer.environment?.value(of: key.name, type: key.type),
        let problem = key.problem(of: found.value)
      else { continue }
      warn("the variable \(found.file) counts, and does not fit: \(problem)")
    }
    return outer
  }

  /// `write DOMAIN KEY --to-file VALUE`: changes the live text file in its place.
  func writeFile(
    _ value: PreferenceValue?, _ key: String, of target: DefaultsTarget, isForced: Bool
  ) throws {
    guard case .stored(let domain) = target, source(of: domain.name) == nil,
      let layer = TextLayer(of: domain.name, environment: { self.environment[$0] })
    else { throw DefaultsRefusal("\(target.name) has no text file.") }
    let schema = try schema(of: target)
    if let value, !isForced { try check(value, of: key, in: target) }
    let path = layer.path
    var present = layer
    present.read()
    if let problem = present.problem {
      // A value in a file that nobody reads would count nowhere.
      throw DefaultsRefusal("\(problem.message)\nDefaults have not been changed.")
    }
    if value == nil, present.values[key] == nil {
      throw DefaultsRefusal("\(path) has no key \(key).\nDefaults have not been changed.")
    }
    // Whatever cannot be read is said before something is written.
    let isProtected = try reading()?.isProtected(domain) == true
    let fixed = try managed.entries(for: domain.name)[key]
    try makeFolders(layer.folder)
    try PropertyListFile.replace(path) { bytes in try edited(bytes, path, key, value) }
    if value != nil {
      if schema?.keys[key]?.isSensitive == true {
        warn("\(key) is sensitive, and \(path) is plain text")
      } else if isProtected {
        warn("\(domain.name) is protected, and \(path) is plain text")
      }
    }
    if let fixed, value != nil {
      warn(
        "\(ManagedPreferences.refusal(of: key, in: domain.name, fixed)): what \(path) has of it does not "
          + "count")
    }
    if schema?.textFile == nil {
      warn(
        "no schema says that \(domain.name) reads \(path): textFile = \"above\" or \"below\" does")
    }
  }

  /// Makes a folder and those above it: not as root in the home of another user, who would be
  /// locked out of them.
  func makeFolders(_ path: String) throws {
    try checkHome(of: path)
    do {
      try UserFile.makeFolders(path)
    } catch {
      throw DefaultsRefusal(
        "Could not make \(path): \(error.reason)\nDefaults have not been changed.")
    }
  }

  /// Refuses to write into the home of another user.
  func checkHome(of path: String) throws {
    do {
      try Directory.checkHome(of: path, { self.environment[$0] })
    } catch {
      throw DefaultsRefusal("\(error.message)\nDefaults have not been changed.")
    }
  }

  /// The text of a live file with another value of a key.
  private func edited(
    _ bytes: [UInt8], _ path: String, _ key: String, _ value: PreferenceValue?
  ) throws -> [UInt8] {
    do {
      if path.ends(with: ".json") {
        var entries = try TextLayer.values(bytes, path)
        entries[key] = value
        let text = JSONText.text(.dictionary(entries), isPretty: true) + "\n"
        let isOfWindows = bytes.firstIndex(of: 0x0a).map { $0 > 0 && bytes[$0 - 1] == 0x0d } == true
        return Array((isOfWindows ? text.substituting("\n", with: "\r\n") : text).utf8)
      } else {
        return try TOMLEdit.setting(bytes, key, to: value)
      }
    } catch {
      let reason = error.message.begins(with: path) ? error.message : "\(path): \(error.message)"
      throw DefaultsRefusal("\(reason)\nDefaults have not been changed.")
    }
  }

  /// `profile DOMAIN [NAME…]`: the profiles in use, the strongest last.
  func profile(_ arguments: ArraySlice<String>) throws {
    var words = arguments
    let options = try DefaultsOptions.takeAll(&words, flags: ["--none", "--json"])
    let target = try take(&words)
    guard case .stored(let domain) = target else {
      throw DefaultsRefusal("\(target.name) is a file; domains have profiles.")
    }
    guard source(of: domain.name) == nil else {
      throw DefaultsRefusal(
        "\(target.name) is the desktop's; domains of programs of our own have profiles."
          + "\nDefaults have not been changed.")
    }
    let key = OuterLayers.profilesKey
    if words.isEmpty, !options.has("--none") {
      let names = OuterLayers.profiles(in: try value(key, in: target))
      if options.has("--json") {
        return print(JSONText.text(.array(names.map { .string($0) })))
      }
      for name in names { print(Quoting.visible(name)) }
      return
    }
    guard words.isEmpty || !options.has("--none") else { throw DefaultsUsage() }
    for name in words {
      guard !name.isEmpty, !name.utf8.contains(0x2f) else {
        throw DefaultsRefusal("'\(Quoting.visible(name))' is not the name of a profile.")
      }
      let part = PreferenceDomain(OuterLayers.domain(of: name, in: domain.name))
      if try reading()?.exists(part) != true { warn("the profile \(part.name) has no values yet") }
    }
    let names = Array(words)
    try edit(target) { stored in
      if names.isEmpty {
        _ = try stored.remove(key)
      } else {
        try stored.set(.array(names.map { .string($0) }), key)
      }
    }
    if try schema(of: target) == nil {
      warn("\(domain.name) has no schema, and programs look for profiles only with one")
    }
  }
}
