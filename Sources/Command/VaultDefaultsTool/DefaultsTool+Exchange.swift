import VaultPreferences
import VaultStorage

/// Import and export, in macOS's forms and some more.
extension DefaultsTool {
  func importFile(_ arguments: ArraySlice<String>) throws {
    var words = arguments
    let options = DefaultsOptions.take(&words, flags: [], values: ["--format"])
    if let format = options.value("--format"), Self.schemaFormats[format] != nil {
      return try importSchemas(arguments)
    }
    if options.value("--format") == "dconf", let word = words.first,
      desktop is DConfSource || word.begins(with: DConfSource.prefix)
    {
      return try importDump(words)
    }
    let target = try take(&words)
    guard let path = words.popFirst() else {
      log("\nNeed a path to read from")
      throw DefaultsUsage()
    }
    if let source = try PropertyListDomains.target(of: path, home: home()).map(current) {
      guard let entries = try contents(of: source) else {
        throw DefaultsRefusal(
          "Could not read \(path)\nDefaults have not been changed.\nthere is no such domain")
      }
      return try importEntries(entries, into: target)
    }
    let bytes: [UInt8]
    do {
      bytes = path == "-" ? try streams.input() : try PropertyListFile.bytes(of: path)
    } catch {
      let reason = (error as? System.Failure).map { "\n\($0.reason)" } ?? ""
      throw DefaultsRefusal("Could not read \(path)\nDefaults have not been changed.\(reason)")
    }
    try importEntries(
      Self.dictionary(bytes, path, format: options.value("--format")), into: target)
  }

  private func importEntries(
    _ entries: [String: PreferenceValue], into target: DefaultsTarget
  ) throws {
    if case .stored(let domain) = target { try warn(of: entries, in: domain.name) }
    try edit(target) { domain in
      for key in entries.keys.sorted(by: OldStyleWriter.precedes) {
        try domain.set(asKept(entries[key] ?? "", of: key, in: target), key)
      }
    }
  }

  /// The keys and values of a file's bytes; macOS's words for a refusal, and below them the reason.
  private static func dictionary(
    _ bytes: [UInt8], _ path: String, format: String?
  ) throws -> [String: PreferenceValue] {
    let reason: String
    do {
      let value: PreferenceValue
      switch format {
      case nil where path.hasSuffix(".json"): value = try JSONText.parse(bytes)
      case "json": value = try JSONText.parse(bytes)
      case nil where path.hasSuffix(".toml"): value = try TOMLText.parse(bytes)
      case "toml": value = try TOMLText.parse(bytes)
      case nil, "plist": value = try PropertyList.parse(bytes)
      case "xml": value = try PropertyList.parse(bytes, as: .xml)
      case "dconf", "ini", "kconfig": value = try KeyFileValues.value(bytes, format ?? "ini")
      default: throw DefaultsUsage()
      }
      if case .dictionary(let entries) = value { return entries }
      reason = "it holds a value of type \(value.kind.rawValue)"
    } catch let error as PreferenceError {
      reason = error.message
    }
    throw DefaultsRefusal(
      "Property list \(path) was not a dictionary\nDefaults have not been changed.\n\(reason)")
  }

  func exportFile(_ arguments: ArraySlice<String>) throws {
    var words = arguments
    let options = DefaultsOptions.take(&words, flags: ["--strict"], values: ["--format"])
    let target = try take(&words)
    guard let path = words.popFirst() else {
      log("\nNeed a path to write to")
      throw DefaultsUsage()
    }
    // An absent domain is an empty property list, as on a Mac.
    let entries = try contentsToExport(of: target)
    if let place = try PropertyListDomains.target(of: path, home: home()).map(current) {
      return try edit(place) { try $0.replace(by: entries) }
    }
    let bytes: [UInt8]
    switch options.value("--format") ?? (path == "-" ? "xml" : "plist") {
    case "plist": bytes = PropertyList.binary(.dictionary(entries))
    case "xml":
      let document = PropertyList.xml(.dictionary(entries))
      // A 32-bit number keeps its value in 64 bits; only --strict counts the changed width as a
      // loss.
      let losses = document.losses + (options.has("--strict") ? document.widened : [])
      for loss in losses { warn("XML cannot hold this: \(loss)") }
      if !losses.isEmpty, options.has("--strict") {
        throw DefaultsRefusal(
          "Exporting \(target.name) as XML would lose something; nothing written")
      }
      bytes = document.bytes
    case "json": bytes = Array((JSONText.text(.dictionary(entries), isPretty: true) + "\n").utf8)
    case "script":
      let script = DefaultsScript(entries, domain: scriptName(target), host)
      if !script.impossible.isEmpty {
        throw DefaultsRefusal(
          (script.impossible + [
            "Exporting \(target.name) as a script is impossible; nothing written"
          ])
          .joined(separator: "\n"))
      }
      // As in XML: a changed width alone is a loss to --strict only.
      let losses = script.losses + (options.has("--strict") ? script.widened : [])
      for loss in losses { warn("a script cannot hold this: \(loss)") }
      if !losses.isEmpty, options.has("--strict") {
        throw DefaultsRefusal(
          "Exporting \(target.name) as a script would lose something; nothing written")
      }
      bytes = Array(script.text.utf8)
    case "toml":
      bytes = try TOMLWriter.document(.dictionary(entries))
    case let other:
      throw DefaultsRefusal(
        "There is no form '\(other)': plist, xml, json, toml and script are. Nothing was written.")
    }
    if path == "-" {
      streams.output(bytes)
    } else {
      if case .stored = target { try checkIsNotEmptied(path) }
      try PropertyListFile.export(bytes, to: path)
    }
  }

  private func contentsToExport(of target: DefaultsTarget) throws -> [String: PreferenceValue] {
    guard case .stored(let domain) = target else { return try contents(of: target) ?? [:] }
    try checkIsRead(domain.name)
    return told(try reading()?.entries(of: domain) ?? [:], of: domain)
  }

  private func scriptName(_ target: DefaultsTarget) -> String {
    if case .stored(let domain) = target { return domain.name }
    return target.name
  }
}
