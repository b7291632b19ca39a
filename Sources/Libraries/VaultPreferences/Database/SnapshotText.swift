/// A snapshot as the store keeps it: `[{"contents": {…}, "host": "", "name": "com.example"}, …]`.
///
/// A protected domain has `"protection": {"$data": …}` and `"sealed": {NAME: {"$data": …}}` too,
/// and empty contents, because earlier versions read only those. A key that is canonically
/// equivalent to another one of its domain is in `["also", NAME, HOST, {…}]`. Of a domain that was there, and
/// whose values the snapshot does not have, there is `["missing", NAME, HOST]`, which they pass over.
enum SnapshotText {
  typealias Plain = [PreferenceDomain: ExactEntries]
  typealias Sealed = [PreferenceDomain: PreferenceSnapshot.SealedDomain]

  private static let missing: PreferenceValue = "missing"
  private static let also: PreferenceValue = "also"

  static func text(
    _ plain: Plain, _ sealed: Sealed, missing: Set<PreferenceDomain>
  ) -> String {
    var list: [(PreferenceDomain, [String: PreferenceValue])] = []
    var more: [(PreferenceDomain, PreferenceValue)] = []
    for (domain, exact) in plain {
      var (entries, hidden) = exact.folded
      list.append((domain, ["contents": .dictionary(entries)]))
      while !hidden.isEmpty {
        let rest = Set(hidden.map { ExactText($0) })
        (entries, hidden) = exact.filter { rest.contains($0.key) }.folded
        more.append((domain, .dictionary(entries)))
      }
    }
    for (domain, contents) in sealed {
      list.append(
        (
          domain,
          [
            "contents": [:], "protection": .data(contents.keyID),
            "sealed": .dictionary(contents.values.mapValues { .data($0) }),
          ]
        ))
    }
    list.sort { ($0.0.name, $0.0.storedHost) < ($1.0.name, $1.0.storedHost) }
    let domains = list.map { domain, parts in
      PreferenceValue.dictionary(
        parts.merging(
          ["name": .string(domain.name), "host": .string(domain.storedHost)],
          uniquingKeysWith: { $1 }))
    }
    let gaps = missing.sorted { ($0.name, $0.storedHost) < ($1.name, $1.storedHost) }.map {
      PreferenceValue.array([Self.missing, .string($0.name), .string($0.storedHost)])
    }
    let rest = more.sorted { ($0.0.name, $0.0.storedHost) < ($1.0.name, $1.0.storedHost) }.map {
      PreferenceValue.array([Self.also, .string($0.name), .string($0.storedHost), $1])
    }
    return JSONText.text(.array(domains + rest + gaps))
  }

  static func domains(
    of text: String
  ) throws(PreferenceError) -> (plain: Plain, sealed: Sealed, missing: Set<PreferenceDomain>) {
    let damaged = PreferenceError(.damaged, "a stored snapshot is damaged")
    guard case .array(let list) = try JSONText.parse(text.utf8) else { throw damaged }
    let current = HostIdentity.current
    var plain: Plain = [:]
    var sealed: Sealed = [:]
    var missing: Set<PreferenceDomain> = []
    for element in list {
      if case .array(let words) = element, words.count == 3, words[0] == Self.missing,
        case .string(let name) = words[1], case .string(let host) = words[2]
      {
        missing.insert(PreferenceDomain(name, storedHost: host, current: current))
      }
      if case .array(let words) = element, words.count == 4, words[0] == Self.also,
        case .string(let name) = words[1], case .string(let host) = words[2],
        case .dictionary(let entries) = words[3]
      {
        plain[PreferenceDomain(name, storedHost: host, current: current), default: [:]]
          .merge(ExactEntries(entries)) { $1 }
      }
      guard case .dictionary(let parts) = element else { continue }
      guard case .string(let name)? = parts["name"], case .string(let host)? = parts["host"],
        case .dictionary(let entries)? = parts["contents"]
      else { throw damaged }
      let domain = PreferenceDomain(name, storedHost: host, current: current)
      guard case .data(let keyID)? = parts["protection"] else {
        plain[domain] = ExactEntries(entries)
        continue
      }
      guard case .dictionary(let values)? = parts["sealed"] else { throw damaged }
      var contents: [String: [UInt8]] = [:]
      for (name, value) in values {
        guard case .data(let bytes) = value else { throw damaged }
        contents[name] = bytes
      }
      sealed[domain] = .init(keyID: keyID, values: contents)
    }
    return (plain, sealed, missing)
  }
}
