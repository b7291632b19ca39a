/// What a store has in memory.
extension PreferenceCore {
  struct Pending {
    let domain: PreferenceDomain
    let key: String
    let value: PreferenceValue?
  }

  struct State {
    let name: String
    var steps: [SearchStep]
    var suites: [String] = []
    var managed: [String: ManagedPreferences.Entry]
    var arguments: [String: PreferenceValue]
    /// The defaults that packages and the site installed.
    var defaults: InstalledDefaults
    /// The schema in use, and its defaults.
    var schema: PreferenceSchema?
    var schemaDefaults: [String: PreferenceValue] = [:]
    /// What the schema in use adds from outside of the store.
    var outer = OuterLayers()
    var registered: [String: PreferenceValue] = [:]
    var volatile: [String: [String: PreferenceValue]] = [:]
    /// The contents of the store, with pending changes applied.
    var cached: [PreferenceDomain: [String: PreferenceValue]] = [:]
    /// The large domains of which a few keys have been read, and which are not in `cached`.
    var partly: [PreferenceDomain: PartlyReadDomain] = [:]
    /// The domains that could not be read.
    var unread: Set<PreferenceDomain> = []
    /// Whether the cache must be read again before it is used, because the journal does not explain
    /// every commit.
    var isOutdated = false
    /// All layers merged, kept up to date key by key; `nil` until it is needed.
    var effective: [String: PreferenceValue]?
    /// The merged layers' values of single keys, while a domain is read by key.
    var found: [String: PreferenceValue?] = [:]
    var pending: [Pending] = []
    var isFlushPlanned = false
    var lastFlush: ContinuousClock.Instant?
    var problem: PreferenceError?
    /// Why a change was not written and is gone, until ``PreferenceStore/synchronize()`` has said so.
    var refusal: PreferenceError?
    var observers: [UInt64: Observer] = [:]
    /// Called after each change of any value, by this process or another.
    var listeners: [UInt64: @Sendable () -> Void] = [:]
    var nextObserver: UInt64 = 0

    /// The strongest layer's value of a key.
    private func strongest(_ key: String) -> PreferenceValue? {
      for step in steps {
        let found: PreferenceValue? =
          switch step.layer {
          case .managed: managed[key]?.value
          case .arguments: arguments[key]
          case .siteDefault: defaults.site[key]?.value
          case .packageDefault: defaults.packages[key]?.value
          case .environment: environmentValue(key)
          case .textFile: outer.text?.values[key]?.value
          case .schemaDefault: schemaDefaults[key]
          case .registered: registered[key]
          default: step.domain.flatMap { value(key, in: $0) }
          }
        if let found { return found }
      }
      return nil
    }

    /// The key's value in the environment.
    func environmentValue(_ key: String) -> PreferenceValue? {
      outer.environment?.value(of: key, type: schema?.keys[key]?.type)?.value
    }

    /// Searches anew, after a change of what is searched.
    mutating func renewSteps() {
      steps = SearchList.steps(for: name, suites: suites, outer: outer)
      effective = nil
      found = [:]
    }

    /// Searches the profiles that are in use now, where that is known.
    private mutating func renewProfiles() {
      let domain = PreferenceDomain(name)
      guard schema != nil, knows(OuterLayers.profilesKey, in: domain) else { return }
      let profiles = OuterLayers.profiles(in: value(OuterLayers.profilesKey, in: domain))
      guard profiles != outer.profiles else { return }
      outer.profiles = profiles
      renewSteps()
    }

    /// The key's value in a domain, as far as it has been read.
    func value(_ key: String, in domain: PreferenceDomain) -> PreferenceValue? {
      if let whole = cached[domain] { return whole[key] }
      return partly[domain]?.values[key] ?? nil
    }

    /// Changes a key of a domain that has been read; one that has not will be read with what is
    /// pending.
    mutating func put(_ value: PreferenceValue?, _ key: String, in domain: PreferenceDomain) {
      cached[domain]?[key] = value
      _ = partly[domain]?.values.updateValue(value, forKey: key)
      renew(key)
    }

    /// Updates the merged layers after a change of one key in any of them.
    mutating func renew(_ key: String) {
      if key == OuterLayers.profilesKey { renewProfiles() }
      guard effective != nil || found[key] != nil else { return }
      let value = strongest(key)
      if effective != nil { effective?[key] = value } else { found.updateValue(value, forKey: key) }
    }

    /// Forgets the merged layers, after a change of a whole layer.
    mutating func forgetMerged() {
      effective = nil
      found = [:]
      renewProfiles()
    }

    /// Returns whether a domain must be read before it is used.
    func lacks(_ domain: PreferenceDomain) -> Bool { isOutdated || cached[domain] == nil }

    /// Returns whether a key's value in a domain has been read.
    func knows(_ key: String, in domain: PreferenceDomain) -> Bool {
      !isOutdated && (cached[domain] != nil || partly[domain]?.values[key] != nil)
    }

    /// The key's merged value; `nil` if the layers must be read or merged before.
    func known(_ key: String) -> PreferenceValue?? {
      if isOutdated { return nil }
      guard let effective else { return found[key] }
      return .some(effective[key])
    }

    /// The key's merged value, where a domain is read by key and all that have the key were read.
    mutating func lookUp(_ key: String) -> PreferenceValue?? {
      let domains = steps.compactMap(\.domain)
      guard domains.contains(where: { cached[$0] == nil }),
        domains.allSatisfy({ knows(key, in: $0) })
      else { return nil }
      let value = strongest(key)
      found.updateValue(value, forKey: key)
      return .some(value)
    }
  }
}
