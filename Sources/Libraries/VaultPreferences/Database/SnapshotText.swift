/// A snapshot as the store keeps it: `[{"contents": {…}, "host": "", "name": "com.example"}, …]`.
///
/// A protected domain has `"protection": {"$data": …}` and `"sealed": {NAME: {"$data": …}}` too,
/// and empty contents, because earlier versions read only those.
enum SnapshotText {
  typealias Plain = [PreferenceDomain: [String: PreferenceValue]]
  typealias Sealed = [PreferenceDomain: PreferenceSnapshot.SealedDomain]

  static func text(_ plain: Plain, _ sealed: Sealed) -> String {
    var list: [(PreferenceDomain, [String: PreferenceValue])] = []
    for (domain, entries) in plain { list.append((domain, ["contents": .dictionary(entries)])) }
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
    return JSONText.text(
      .array(
        list.map { domain, parts in
          .dictionary(
            parts.merging(
              ["name": .string(domain.name), "host": .string(domain.storedHost)],
              uniquingKeysWith: { $1 }))
        }))
  }

  static func domains(of text: String) throws(PreferenceError) -> (Plain, Sealed) {
    let damaged = PreferenceError(.damaged, "a stored snapshot is damaged")
    guard case .array(let list) = try JSONText.parse(text.utf8) else { throw damaged }
    let current = HostIdentity.current
    var plain: Plain = [:]
    var sealed: Sealed = [:]
    for case .dictionary(let parts) in list {
      guard case .string(let name)? = parts["name"], case .string(let host)? = parts["host"],
        case .dictionary(let entries)? = parts["contents"]
      else { throw damaged }
      let domain = PreferenceDomain(name, storedHost: host, current: current)
      guard case .data(let keyID)? = parts["protection"] else {
        plain[domain] = entries
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
    return (plain, sealed)
  }
}
