/// The layers of values, from the strongest to the weakest.
public enum PreferenceLayer: String, Sendable, CaseIterable {
  /// The administrator's values, which cannot be changed.
  case managed
  /// The program's arguments.
  case arguments
  /// A variable of the environment; only with a schema that names a prefix.
  case environment
  /// The user's text file; only with a schema that wants one, above or below the application.
  case textFile = "text-file"
  /// A profile in use; only with a schema.
  case profile
  /// The application, on this host.
  case applicationHost = "application-host"
  /// The application.
  case application
  /// An added suite, on this host.
  case suiteHost = "suite-host"
  /// An added suite.
  case suite
  /// Every application, on this host.
  case globalHost = "global-host"
  /// Every application.
  case global
  /// The application, for all users: `/Library/Preferences/NAME`.
  case anyUser = "any-user"
  /// A default of the site: `/etc/vault/defaults`.
  case siteDefault = "site-default"
  /// A default that a package installed: `/usr/share/vault/defaults`.
  case packageDefault = "package-default"
  /// A default of the domain's schema: `/usr/share/vault/schemas`.
  case schemaDefault = "schema-default"
  /// Registered by the program itself.
  case registered
}

/// One step of a search list.
struct SearchStep: Sendable, Equatable {
  let layer: PreferenceLayer
  /// `nil` for layers that are not in the store.
  let domain: PreferenceDomain?
}

/// The order in which a key is looked up.
enum SearchList {
  /// - Parameters:
  ///   - name: The application's domain.
  ///   - suites: Added suites, the last added first.
  ///   - outer: What the schema in use adds.
  /// - Returns: The strongest layer first.
  static func steps(
    for name: String, suites: [String], outer: OuterLayers = OuterLayers()
  ) -> [SearchStep] {
    let text = outer.text == nil ? [] : [SearchStep(layer: .textFile, domain: nil)]
    let variables =
      outer.environment?.isEmpty ?? true ? [] : [SearchStep(layer: .environment, domain: nil)]
    let profiles = outer.profiles.reversed().map { profile in
      SearchStep(
        layer: .profile, domain: PreferenceDomain(OuterLayers.domain(of: profile, in: name)))
    }
    func both(
      _ name: String, _ host: PreferenceLayer, _ any: PreferenceLayer
    ) -> [SearchStep] {
      [
        SearchStep(layer: host, domain: PreferenceDomain(name, host: .current)),
        SearchStep(layer: any, domain: PreferenceDomain(name)),
      ]
    }
    return [SearchStep(layer: .managed, domain: nil), SearchStep(layer: .arguments, domain: nil)]
      + variables + (outer.rank == .above ? text : []) + profiles
      + (name == PreferenceDomain.globalName ? [] : both(name, .applicationHost, .application))
      + (outer.rank == .below ? text : [])
      + suites.flatMap { both($0, .suiteHost, .suite) }
      + both(PreferenceDomain.globalName, .globalHost, .global)
      + [
        SearchStep(layer: .anyUser, domain: PreferenceDomain("/Library/Preferences/\(name)")),
        SearchStep(layer: .siteDefault, domain: nil),
        SearchStep(layer: .packageDefault, domain: nil),
        SearchStep(layer: .schemaDefault, domain: nil),
        SearchStep(layer: .registered, domain: nil),
      ]
  }
}

/// A key's value in one layer.
package struct LayeredValue: Sendable, Equatable {
  package let layer: PreferenceLayer
  package let domain: PreferenceDomain?
  /// The file, where the value is in one beside the store.
  package let file: String?
  package let value: PreferenceValue

  package init(
    layer: PreferenceLayer, domain: PreferenceDomain?, file: String?, value: PreferenceValue
  ) {
    self.layer = layer
    self.domain = domain
    self.file = file
    self.value = value
  }
}

extension PreferenceDatabase {
  /// Returns a key's value in each layer, as a program named `domain` finds them; the first one
  /// wins.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - domain: The application's name.
  ///   - database: The store; `nil` if there is none.
  ///   - fixed: The values that the administrator has fixed for the application.
  ///   - defaults: The defaults that were installed for the application.
  ///   - suites: Added suites, the last added first.
  ///   - schema: The domain's schema, whose defaults are a layer.
  ///   - outer: What the schema adds from outside of the store.
  /// - Returns: The layers that have the key.
  /// - Throws: ``PreferenceError``.
  package static func layers(
    of key: String, in domain: String, database: PreferenceDatabase?,
    fixed: [String: ManagedPreferences.Entry], defaults: InstalledDefaults = InstalledDefaults(),
    suites: [String] = [], schema: PreferenceSchema? = nil, outer: OuterLayers = OuterLayers()
  ) throws(PreferenceError) -> [LayeredValue] {
    var found: [LayeredValue] = []
    for step in SearchList.steps(for: domain, suites: suites, outer: outer) {
      if let stored = step.domain {
        if let value = try database?.value(key, in: stored) {
          found.append(
            LayeredValue(layer: step.layer, domain: stored, file: nil, value: value))
        }
        continue
      }
      let entry: FileValue? =
        switch step.layer {
        case .managed: fixed[key]
        case .environment: outer.environment?.value(of: key, type: schema?.keys[key]?.type)
        case .textFile: outer.text?.values[key]
        case .siteDefault: defaults.site[key]
        case .packageDefault: defaults.packages[key]
        case .schemaDefault:
          schema?.keys[key]?.defaultValue.map { FileValue(value: $0, file: schema?.path ?? "") }
        default: nil
        }
      if let entry {
        found.append(
          LayeredValue(layer: step.layer, domain: nil, file: entry.file, value: entry.value))
      }
    }
    return found
  }

  /// Returns the keys that any layer of a domain has.
  package static func layeredKeys(
    in domain: String, database: PreferenceDatabase?,
    fixed: [String: ManagedPreferences.Entry], defaults: InstalledDefaults = InstalledDefaults(),
    schema: PreferenceSchema? = nil, outer: OuterLayers = OuterLayers()
  ) throws(PreferenceError) -> Set<String> {
    var keys = Set(fixed.keys).union(defaults.site.keys).union(defaults.packages.keys)
    if let schema { keys.formUnion(schema.defaults.keys) }
    if let text = outer.text { keys.formUnion(text.values.keys) }
    if let environment = outer.environment, !environment.isEmpty, let schema {
      keys.formUnion(
        schema.keys.values.filter { environment.value(of: $0.name, type: $0.type) != nil }
          .map(\.name))
    }
    for step in SearchList.steps(for: domain, suites: [], outer: outer) {
      guard let stored = step.domain, let entries = try database?.contents(of: stored) else {
        continue
      }
      keys.formUnion(entries.keys)
    }
    return keys
  }
}
