import VaultStorage

/// The directories of default values: files that a package or the site's administrator installs,
/// and that a user's own values override.
///
/// `DOMAIN.plist` has the defaults of one domain, `NSGlobalDomain.plist` those of every
/// application.
package struct DefaultsDirectories: Sendable {
  /// The site's, the strongest first.
  package let site: [String]
  /// The packages', the strongest first.
  package let packages: [String]

  /// Directories that the caller chooses, the strongest first.
  package init(site: [String], packages: [String]) {
    self.site = site
    self.packages = packages
  }

  /// The directories of an environment.
  ///
  /// The site's are `/etc/vault/defaults` and `vault/defaults` below each of `XDG_CONFIG_DIRS`; the
  /// packages' are `vault/defaults` below `XDG_DATA_HOME` and each of `XDG_DATA_DIRS`. Relative
  /// paths are ignored: XDG Base Directory Specification 0.8.
  ///
  /// - Parameter environment: Returns the variables.
  package init(environment: (String) -> String? = StoreLocation.variable) {
    func paths(_ name: String, default standard: String) -> [String] {
      Self.paths(name, default: standard, environment).map { "\($0)/vault/defaults" }
    }
    site = Self.unique(["/etc/vault/defaults"] + paths("XDG_CONFIG_DIRS", default: "/etc/xdg"))
    let own = (try? StoreLocation(environment: environment)).map { ["\($0.data)/defaults"] }
    packages = Self.unique(
      (own ?? []) + Self.shared(environment).map { "\($0)/vault/defaults" })
  }

  /// The folders of `XDG_DATA_DIRS`, the strongest first.
  ///
  /// - Parameter environment: Returns the variables.
  /// - Returns: Absolute paths without a slash at their ends.
  package static func shared(_ environment: (String) -> String?) -> [String] {
    paths("XDG_DATA_DIRS", default: "/usr/local/share:/usr/share", environment)
  }

  private static func paths(
    _ name: String, default standard: String, _ environment: (String) -> String?
  ) -> [String] {
    let text = environment(name) ?? ""
    return (text.isEmpty ? standard : text).parts(at: ":").filter { $0.begins(with: "/") }
      .map { path in
        var path = String(path)
        while path.hasSuffix("/") { path.removeLast() }
        return path
      }
  }

  private static func unique(_ paths: [String]) -> [String] {
    paths.enumerated().filter { index, path in !paths[..<index].contains(path) }.map(\.element)
  }

  /// Reads the defaults that an application sees.
  ///
  /// Its own win over those of its suites, and these over those of every application. A file that
  /// cannot be read is left out and reported: unlike a fixed value, a default is never a rule.
  ///
  /// - Parameters:
  ///   - domain: The application's name.
  ///   - suites: Added suites, the last added first.
  /// - Returns: The defaults.
  package func defaults(for domain: String, suites: [String] = []) -> InstalledDefaults {
    var problems: [PreferenceError] = []
    let names = [domain] + suites + (domain == PreferenceDomain.globalName ? [] : [Self.global])
    let site = Self.values(of: names, in: site, &problems)
    let packages = Self.values(of: names, in: packages, &problems)
    return InstalledDefaults(site: site, packages: packages, problems: problems)
  }

  private static let global = PreferenceDomain.globalName

  private static func values(
    of domains: [String], in directories: [String], _ problems: inout [PreferenceError]
  ) -> [String: FileValue] {
    // By the domain's rank; in each, the directory that was read first is the stronger one.
    var found = [[String: FileValue]](repeating: [:], count: domains.count)
    for directory in directories.compactMap({ open($0, &problems) }) {
      for (rank, domain) in domains.enumerated() {
        for file in files(of: domain) {
          found[rank].merge(values(in: file, of: directory, &problems)) { stronger, _ in stronger }
        }
      }
    }
    return found.reduce(into: [:]) { merged, values in
      merged.merge(values) { stronger, _ in stronger }
    }
  }

  private static func open(
    _ path: String, _ problems: inout [PreferenceError]
  ) -> PreferenceFileDirectory? {
    do {
      return try PreferenceFileDirectory(path)
    } catch {
      problems.append(error)
      return nil
    }
  }

  private static func values(
    in file: String, of directory: PreferenceFileDirectory, _ problems: inout [PreferenceError]
  ) -> [String: FileValue] {
    let path = "\(directory.path)/\(file)"
    do {
      guard let contents = try directory.contents(of: file, from: .anyoneTrusted) else {
        return [:]
      }
      if case .dictionary(let values) = contents {
        return values.mapValues { FileValue(value: $0, file: path) }
      }
      problems.append(PreferenceError(.syntax, "\(path) does not contain a dictionary"))
    } catch {
      problems.append(error)
    }
    return [:]
  }

  /// The names of a domain's files, the strongest first.
  private static func files(of domain: String) -> [String] {
    // A domain that is named by a path has no defaults, and no name leads out of the directory.
    guard !domain.utf8.contains(0x2f), !domain.utf8.contains(0) else { return [] }
    return domain == global
      ? ["\(global).plist", "\(PreferenceDomain.globalFileName).plist"] : ["\(domain).plist"]
  }
}

/// Default values that were installed, by key.
package struct InstalledDefaults: Sendable {
  /// The site's.
  package var site: [String: FileValue] = [:]
  /// The packages'.
  package var packages: [String: FileValue] = [:]
  /// Why files were left out.
  package var problems: [PreferenceError] = []

  package init() {}

  fileprivate init(
    site: [String: FileValue], packages: [String: FileValue], problems: [PreferenceError]
  ) {
    self.site = site
    self.packages = packages
    self.problems = problems
  }
}
