import VaultStorage

/// What a schema adds to a domain's layers from outside of the store: the environment, a text file,
/// and profiles.
package struct OuterLayers: Sendable {
  /// The variables; `nil` if the schema names no prefix.
  package var environment: EnvironmentLayer?
  /// The file; `nil` if the schema wants none.
  package var text: TextLayer?
  /// Where the file counts.
  package var rank: PreferenceSchema.TextFile = .above
  /// The profiles in use, the strongest last.
  package var profiles: [String] = []

  /// No layers.
  package init() {}

  /// The layers that a schema wants for a domain, read now.
  ///
  /// - Parameters:
  ///   - schema: The schema.
  ///   - domain: The domain.
  ///   - variables: The environment.
  package init(
    _ schema: PreferenceSchema, of domain: String, variables: [String: String]
  ) {
    environment = schema.environmentPrefix.map {
      EnvironmentLayer(prefix: $0, variables: variables)
    }
    if let rank = schema.textFile {
      self.rank = rank
      text = TextLayer(of: domain) { variables[$0] }
      text?.read()
    }
  }

  /// Why something of them was left out.
  package func problems(_ schema: PreferenceSchema?) -> [PreferenceError] {
    var problems = text?.problem.map { [$0] } ?? []
    guard let environment, !environment.isEmpty else { return problems }
    for key in (schema?.keys.values.sorted { $0.name < $1.name }) ?? [] {
      if let problem = environment.problem(of: key.name, type: key.type) {
        problems.append(problem)
      }
    }
    return problems
  }

  /// The domain of a profile.
  package static func domain(of profile: String, in domain: String) -> String {
    "\(domain)/\(profile)"
  }

  /// The key of a domain that has the names of the profiles in use.
  package static let profilesKey = "@profiles"

  /// The names in a value of ``profilesKey``.
  package static func profiles(in value: PreferenceValue?) -> [String] {
    switch value {
    case .string(let name)?: [name]
    case .array(let elements)?:
      elements.compactMap { if case .string(let name) = $0 { name } else { nil } }
    default: []
    }
  }
}
