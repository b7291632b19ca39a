import VaultPreferences
import VaultStorage

extension DefaultsTool {
  /// `read --effective`: the values that a program sees, through all layers.
  func readEffective(_ arguments: ArraySlice<String>, _ options: DefaultsOptions) throws {
    var words = arguments
    guard case .stored(let domain) = try take(&words) else {
      throw DefaultsRefusal("A file has no layers; read it without --effective.")
    }
    let database = try reading()
    let fixed = try managed.entries(for: domain.name)
    let defaults = directories.defaults(for: domain.name)
    let schema = try schema(of: .stored(domain))
    let outer = try outer(schema, domain.name, database)
    // The desktop has layers of its own.
    let source = source(of: domain.name)
    let place = source.map { String(domain.name.dropFirst(type(of: $0).prefix.count)) } ?? ""
    func layers(_ key: String) throws -> [LayeredValue] {
      try source?.layers(of: key, in: place)
        ?? PreferenceDatabase.layers(
          of: key, in: domain.name, database: database, fixed: fixed, defaults: defaults,
          schema: schema, outer: outer)
    }
    for problem in defaults.problems { warn("\(problem.message); it was left out") }
    if options.value("--key-path") != nil {
      throw DefaultsRefusal("--effective shows whole values; leave out --key-path.")
    }
    if let key = words.popFirst() {
      let layers = try layers(key)
      guard let winner = layers.first else { throw absent(.stored(domain), key) }
      if options.has("--json") {
        let shown = options.has("--all-layers") ? layers : [winner]
        let entries = shown.enumerated().map { json($1, isWinner: $0 == 0) }
        let value: PreferenceValue =
          options.has("--all-layers") ? .array(entries) : entries.first ?? [:]
        return print(JSONText.text(value, isPretty: true))
      }
      if options.has("--all-layers") {
        for (index, layer) in layers.enumerated() {
          print("\(index == 0 ? "*" : " ") \(origin(layer))\t\(line(layer.value, options))")
        }
        return
      }
      guard options.has("--show-origin") else { return print(winner.value, options) }
      return print("\(origin(winner))\t\(line(winner.value, options))")
    }
    let keys =
      try source?.keys(in: place)
      ?? PreferenceDatabase.layeredKeys(
        in: domain.name, database: database, fixed: fixed, defaults: defaults,
        schema: schema, outer: outer)
    guard !keys.isEmpty else { throw absent(.stored(domain), nil) }
    var effective: [String: PreferenceValue] = [:]
    var origins: [String: PreferenceValue] = [:]
    for key in keys {
      let layers = try layers(key)
      guard let winner = layers.first else { continue }
      effective[key] = winner.value
      origins[key] = json(winner, isWinner: true)
    }
    guard options.has("--show-origin") || options.has("--all-layers") else {
      return print(.dictionary(effective), options)
    }
    if options.has("--json") { return print(.dictionary(origins), options) }
    for key in keys.sorted(by: OldStyleWriter.precedes) {
      let layers = try layers(key)
      for (index, layer) in (options.has("--all-layers") ? layers[...] : layers.prefix(1))
        .enumerated()
      {
        print(
          "\(index == 0 ? "*" : " ") \(origin(layer))\t\(Quoting.visible(key))\t\(line(layer.value, options))"
        )
      }
    }
  }

  /// A value as a part of a line, which it must not end or change.
  private func line(_ value: PreferenceValue, _ options: DefaultsOptions) -> String {
    let text = OldStyleWriter(
      dataForm: options.has("--data-summary") ? .summary : .full, isASCII: options.has("--ascii")
    ).text(value)
    // Arrays and dictionaries have lines of their own, and texts in them are quoted.
    if case .string = value { return Quoting.visible(text) }
    return text
  }

  private func origin(_ layer: LayeredValue) -> String { Quoting.visible(plainOrigin(layer)) }

  private func plainOrigin(_ layer: LayeredValue) -> String {
    if layer.layer == .environment { return "environment:\(layer.file ?? "")" }
    if let file = layer.file { return "\(layer.layer.rawValue):\(file)" }
    guard let domain = layer.domain else { return layer.layer.rawValue }
    return "\(layer.layer.rawValue):\(DefaultsTarget.displayName(domain.name))"
  }

  private func json(_ layer: LayeredValue, isWinner: Bool) -> PreferenceValue {
    var entries: [String: PreferenceValue] = [
      "layer": .string(layer.layer.rawValue), "value": layer.value,
      "effective": .boolean(isWinner), "locked": .boolean(layer.layer == .managed),
    ]
    if let domain = layer.domain { entries["domain"] = .string(domain.name) }
    if let file = layer.file { entries["file"] = .string(file) }
    return .dictionary(entries)
  }
}
