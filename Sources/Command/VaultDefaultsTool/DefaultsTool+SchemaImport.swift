import VaultPreferences
import VaultStorage

/// `import --format gschema|profile-manifest`: other systems' schemas, written as files of ours.
extension DefaultsTool {
  /// The forms of schemas that `import` reads, and what their files' names end in.
  static let schemaFormats = ["gschema": ".gschema.xml", "profile-manifest": ".plist"]
  /// What the names of files end in that have enumerations for others.
  private static let enumerations = ".enums.xml"

  func importSchemas(_ arguments: ArraySlice<String>) throws {
    var words = arguments
    let options = try DefaultsOptions.takeAll(
      &words, flags: ["--dry-run"], values: ["--format", "--output"])
    guard let format = options.value("--format"), let ending = Self.schemaFormats[format],
      !words.isEmpty
    else { throw DefaultsUsage() }
    let files = try words.flatMap { try Self.files(below: $0, ending: ending) }
    let (schemas, problems) =
      format == "gschema" ? try Self.ofGSettings(files) : try Self.ofManifests(files)
    for problem in problems { warn(problem) }
    guard !schemas.isEmpty else {
      throw DefaultsRefusal("No schema could be read.\nDefaults have not been changed.")
    }
    let folder = try options.value("--output") ?? "\(location().data)/schemas"
    var count = (written: 0, keys: 0)
    var (present, same) = (0, 0)
    var left = problems.count
    for (domain, schema) in schemas.sorted(by: { $0.key < $1.key }) {
      // A name from a file must not lead out of the folder.
      guard !domain.isEmpty, !domain.begins(with: "."), !domain.utf8.contains(0x2f),
        Quoting.isVisible(domain)
      else {
        warn("\(Quoting.visible(domain)): this is not the name of a domain; it was left out")
        left += 1
        continue
      }
      let bytes = Array(schema.toml.utf8)
      guard bytes.count <= TOMLText.sizeLimit else {
        warn("\(domain): its schema would have more than 1 MiB; it was left out")
        left += 1
        continue
      }
      // A person may have written it.
      let path = "\(folder)/\(domain).toml"
      if UserFile.exists(path) {
        if (try? PropertyListFile.bytes(of: path)) == bytes {
          same += 1
        } else {
          warn("\(path) is there already and was left as it is; remove it to have the new one")
          present += 1
        }
        continue
      }
      count = (count.written + 1, count.keys + schema.keys.count)
      guard !options.has("--dry-run") else { continue }
      try makeFolders(folder)
      try PropertyListFile.write(bytes, to: path)
    }
    print(
      "\(options.has("--dry-run") ? "Would write" : "Wrote") "
        + "\(Plural.of(count.written, "schema")) with \(Plural.of(count.keys, "key")) of "
        + "\(Plural.of(files.count, "file")) to \(folder); left out: \(left).")
    // Nothing that could be used is a failure, too.
    guard present == 0, count.written + same > 0 else { throw DefaultsRefusal(nil) }
  }

  private static func ofGSettings(
    _ files: [String]
  ) throws -> ([String: PreferenceSchema], [String]) {
    let read = GSettingsSchemas(
      try files.map { ($0, try bytes(of: $0)) })
    return (
      Dictionary(read.found.map { ($0.id, $0.schema) }) { first, _ in first }, read.problems
    )
  }

  private static func ofManifests(
    _ files: [String]
  ) throws -> ([String: PreferenceSchema], [String]) {
    var schemas: [String: PreferenceSchema] = [:]
    var problems: [String] = []
    for file in files {
      do {
        let manifest = try ProfileManifest(try bytes(of: file))
        problems += manifest.problems.map { "\(file): \($0)" }
        // A domain may have several manifests; the keys of the first one stay.
        schemas[manifest.domain, default: manifest.schema].keys.merge(manifest.schema.keys) {
          first, _ in first
        }
      } catch let error as PreferenceError {
        problems.append("\(file): \(error.message)")
      }
    }
    return (schemas, problems)
  }

  private static func bytes(of file: String) throws -> [UInt8] {
    do {
      return try PropertyListFile.bytes(of: file)
    } catch {
      throw DefaultsRefusal(
        "Could not read \(file): \(error.reason)\nDefaults have not been changed.")
    }
  }

  /// A file, or all files below a folder whose names end so.
  private static func files(below path: String, ending: String) throws -> [String] {
    guard UserFile.isFolder(path) else {
      // Enumerations of a schema are in files of their own beside it.
      guard path.ends(with: ".gschema.xml") else { return [path] }
      let folder = path.utf8.lastIndex(of: 0x2f).map { String(path[..<$0]) } ?? "."
      let beside = ((try? UserFile.names(in: folder)) ?? []).filter { $0.ends(with: enumerations) }
      return [path] + beside.map { "\(folder)/\($0)" }
    }
    do {
      return try UserFile.paths(below: path).filter { name in
        name.ends(with: ending) || ending == ".gschema.xml" && name.ends(with: enumerations)
      }.map { try PropertyListFile.regular("\(path)/\($0)") }
    } catch let error as System.Failure {
      throw DefaultsRefusal("Could not read \(path): \(error.reason)")
    }
  }
}
