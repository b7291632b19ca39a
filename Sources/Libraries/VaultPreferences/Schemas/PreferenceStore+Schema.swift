import FoundationEssentials
import Synchronization
import VaultStorage

/// A schema in use: its defaults are a layer, former names are read, and what does not fit is
/// refused.
extension PreferenceStore {
  /// The schema in use; `nil` if ``use(_:environment:)`` was not called.
  public var schema: PreferenceSchema? { core.withState { $0.schema } }

  /// Applies a schema to this store's domain.
  ///
  /// Values of earlier versions and under former names are brought to the schema's version, in one
  /// transaction that can be undone. From then on the schema's defaults are the values of keys that
  /// no stronger layer has (``PreferenceLayer/schemaDefault``), and setting a value that does not
  /// fit, or a key under a former name, throws or returns false. Values that are stored already are
  /// read as they are; typed keys check them.
  ///
  /// The environment, a text file and profiles are layers, too, where the schema wants them
  /// (``PreferenceSchema/environmentPrefix``, ``PreferenceSchema/textFile``). The file and the names
  /// of the profiles, which the key `@profiles` has, are followed while the store is there.
  ///
  /// ```swift
  /// if let schema = try PreferenceSchema.installed(for: "com.example.editor") {
  ///   try preferences.use(schema)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - schema: The schema.
  ///   - environment: The variables; `nil` for those of the process.
  /// What the administrator has fixed is left as it is by the migration.
  ///
  /// - Throws: ``PreferenceError`` with code `.storage`, `.locked` if the domain could not be brought
  ///   to its version; the schema is in use nevertheless.
  public func use(
    _ schema: PreferenceSchema, environment: [String: String]? = nil
  ) throws(PreferenceError) {
    // What was set before is not of this version.
    core.flush()
    core.use(schema, variables: environment ?? StoreLocation.variables)
    // Without a store there is nothing to migrate, and `problem` says why.
    guard core.hasDatabase else { return }
    try PreferenceError.wrapping {
      for domain in try core.family() {
        let contents = core.contents(of: domain)
        // What is locked looks empty, and is not new.
        if let problem = core.withState({ state in
          state.unread.contains(domain) ? state.problem : nil
        }) {
          throw problem
        }
        let fixed = Set(try core.policy?.entries(for: domain.name).keys.map { $0 } ?? [])
        guard schema.migration(of: contents, leaving: fixed) != nil else { continue }
        _ = try core.transaction { try schema.migrate(domain, in: $0) }
      }
    }
  }

  /// Refuses what the schema in use does not allow.
  func checkSchema(_ value: PreferenceValue?, _ key: String) throws(PreferenceError) {
    guard let value, let schema = core.withState({ $0.schema }) else { return }
    guard case .refusal(let text) = schema.verdict(on: value, of: key) else { return }
    // A key that the schema does not have is the program's own business.
    guard schema.keys[key] != nil || schema.renamed(key) != nil else { return }
    throw PreferenceError(.notAllowed, text)
  }
}

extension PreferenceSchema {
  /// The key that had this name before; `nil` if none had.
  package func renamed(_ name: String) -> Key? {
    keys.values.first { $0.formerNames.contains(name) }
  }

  /// Values of a layer that nothing migrates, such as the administrator's: those under former names
  /// stand under the new ones, too.
  func withNewNames<Value>(_ entries: [String: Value]) -> [String: Value] {
    guard !entries.isEmpty else { return entries }
    var entries = entries
    for key in keys.values where entries[key.name] == nil {
      if let old = key.formerNames.first(where: { entries[$0] != nil }) {
        entries[key.name] = entries[old]
      }
    }
    return entries
  }
}

extension PreferenceCore {
  fileprivate var hasDatabase: Bool { source.withLock { $0.database != nil } }

  /// The domains that a schema of this one holds for: those of this host, and profiles.
  fileprivate func family() throws -> [PreferenceDomain] {
    let own = [PreferenceDomain.Host.any, .current].map { PreferenceDomain(name, host: $0) }
    return own
      + (try source.withLock { source in
        (try source.database?.domains() ?? []).filter { domain in
          domain.name.begins(with: "\(name)/")
            && (domain.host == .any || domain.host == .current)
        }
      })
  }

  func use(_ schema: PreferenceSchema, variables: [String: String]) {
    var outer = OuterLayers(schema, of: name, variables: variables)
    // A change that is seen meanwhile waits, and then reads what the new schema wants.
    live.withLock { live in
      live = outer.text.map { text in LiveFile(text) { [weak self] in self?.readTextFile() } }
      // Once more, now that later changes are told.
      outer.text?.read()
      withState { state in
        state.outer = outer
        state.schema = schema
        state.schemaDefaults = schema.defaults
        state.managed = schema.withNewNames(state.managed)
        state.defaults.site = schema.withNewNames(state.defaults.site)
        state.defaults.packages = schema.withNewNames(state.defaults.packages)
        state.renewSteps()
        state.forgetMerged()
      }
    }
    source.withLock { [name] source in
      source.database?.versionOfNew = { domain in
        domain.name == name || domain.name.begins(with: "\(name)/") ? schema.version : nil
      }
    }
    tellListeners()
  }

  /// Reads the text file after a change, and tells observers of the keys that have other values.
  private func readTextFile() {
    let changes: [PreferenceChange] = live.withLock { _ in
      guard var text = withState({ $0.outer.text }) else { return [] }
      let old = text.values
      // Outside of the state's lock, which never waits for the disk.
      guard text.read() else {
        withState { $0.outer.text = text }
        return []
      }
      withState { state in
        state.outer.text = text
        state.forgetMerged()
      }
      return Set(old.keys).union(text.values.keys).filter { old[$0] != text.values[$0] }.sorted()
        .map { key in
          let new = text.values[key]
          return PreferenceChange(
            sequence: 0, transaction: 0, date: Date(), process: text.path,
            domain: PreferenceDomain(name), key: key, old: old[key]?.value, new: new?.value,
            kind: new == nil ? .remove : .set, undoes: nil)
        }
    }
    tell(changes)
    tellListeners()
  }
}

extension PreferenceCore.State {
  /// The environment's values of keys that are known.
  func environmentValues(
    of keys: some Collection<String>
  ) -> [String: PreferenceValue] {
    guard let environment = outer.environment, !environment.isEmpty else { return [:] }
    var values: [String: PreferenceValue] = [:]
    for key in keys { values[key] = environmentValue(key) }
    for key in schema?.keys.keys ?? [:].keys { values[key] = environmentValue(key) }
    return values
  }
}
