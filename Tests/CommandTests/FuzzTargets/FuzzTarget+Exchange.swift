import VaultCommand
import VaultExchange
import VaultProtocols
import VaultSealing

// Other programs' exports and configurations, and what they say on a helper's stdin.
extension FuzzTarget {
  static let exchange =
    [
      ImportFormat.onePassword, .bitwarden, .keepassxc, .dotenv, .json, .lastPass, .dashlane,
      .protonPass, .onePUX, .otpauth,
    ].map { format in
      FuzzTarget("import-\(format.rawValue)") { _ = try format.read($0) }
    } + [
      FuzzTarget("import-pass") { input in
        let secret = try SecretBytes(copying: input)
        _ = try PassImport.item("a/b", secret)
      },
      FuzzTarget("import-gopass") { input in
        _ = try GopassImport.item("a/b", SecretBytes(copying: input))
      },
      // The first line describes the columns of the table below it.
      FuzzTarget("import-csv") { input in
        let lines = input.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
        let columns = try TableColumns(text(Array(lines[0])))
        _ = try ImportFormat.read(table: Array(lines.dropFirst().first ?? []), columns: columns)
      },
      FuzzTarget("protocol-buffers") { input in
        let message = try SecretBytes(copying: input)
        guard let fields = try? ProtocolBufferReader.fields(of: message) else { return }
        for range in fields.compactMap(\.range) { _ = try message.slice(range) }
      },
      FuzzTarget("git") { input in
        let description = try GitDescription(SecretBytes(copying: input))
        for (key, text) in description.texts {
          try check(
            !(key + text).unicodeScalars.contains { $0 == "\n" || $0 == "\0" },
            "a line ends in the middle of \(key)")
        }
      },
      FuzzTarget("docker-config") { input in
        let text = text(input)
        let registry = try DockerRegistry("ghcr.io")
        try attempt { try stays(text, registry.added, registry.removed) }
        try stays(text, DockerConfiguration.added, DockerConfiguration.removed)
      },
      FuzzTarget("marked-block") { input in
        let text = text(input)
        let block = MarkedBlock(
          title: "connect aws", section: "[default]", settings: ["credential_process = vault x"])
        try attempt { _ = try block.removed(from: text) }
        let added = try block.added(to: text).text
        try check(try block.added(to: added).text == added, "what is there is added once more")
        try check(try block.removed(from: added) != nil, "what was added cannot be removed")
      },
    ]

  /// What was added is there, and goes again.
  private static func stays(
    _ text: String, _ adding: (String) throws -> String?, _ removing: (String) throws -> String?
  ) throws {
    try attempt { _ = try removing(text) }
    guard let added = try adding(text) else { return }
    try check(try adding(added) == nil, "what is there is added once more")
    try check(try removing(added) != nil, "what was added cannot be removed")
  }
}
