// swift-tools-version: 6.2

import CompilerPluginSupport
import PackageDescription

let package = Package(
  name: "vault",
  products: [
    .executable(name: "vault", targets: ["vault"]),
    .executable(name: "vault-helper", targets: ["vault-helper"]),
    .library(name: "VaultPreferences", targets: ["VaultPreferences"]),
    .library(name: "VaultPreferencesFoundation", targets: ["VaultPreferencesFoundation"]),
    .library(name: "VaultPreferencesConfiguration", targets: ["VaultPreferencesConfiguration"]),
    .library(name: "VaultCredentials", targets: ["VaultCredentials"]),
    .library(name: "VaultCredentialsFoundation", targets: ["VaultCredentialsFoundation"]),
    .library(name: "VaultCredentialsTesting", targets: ["VaultCredentialsTesting"]),
    .library(name: "VaultSync", targets: ["VaultSync"]),
    .library(name: "VaultSyncEngines", targets: ["VaultSyncEngines"]),
    .library(name: "VaultExchange", targets: ["VaultExchange"]),
    .library(name: "VaultProtocols", targets: ["VaultProtocols"]),
    .library(name: "VaultPasswords", targets: ["VaultPasswords"]),
    .library(name: "VaultTerminal", targets: ["VaultTerminal"]),
    .library(name: "VaultAppData", targets: ["VaultAppData"]),
    .library(name: "VaultAppDataObservability", targets: ["VaultAppDataObservability"]),
    .library(name: "SwiftData", targets: ["SwiftData"]),
    .library(name: "Security", targets: ["Security"]),
    .library(name: "VaultUserDefaults", targets: ["VaultUserDefaults"]),
    .library(name: "VaultStorage", targets: ["VaultStorage"]),
    .library(name: "VaultSealing", targets: ["VaultSealing"]),
  ],
  // A program pays for what it takes: `.package(…, traits: [])` with `VaultCredentials` or
  // `VaultPreferences` resolves no other package, `traits: ["AppData"]` swift-syntax alone.
  traits: [
    .trait(
      name: "AppData", description: "VaultAppData and SwiftData, whose macros need swift-syntax"),
    .trait(
      name: "Configuration",
      description: "VaultPreferencesConfiguration, a provider for swift-configuration"),
    .trait(
      name: "Observability",
      description: "VaultAppDataObservability, observers for swift-log and swift-metrics",
      enabledTraits: ["AppData"]),
    .trait(name: "Command", description: "The command, which needs swift-argument-parser"),
    .default(enabledTraits: ["AppData", "Command"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"605.0.0"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
  ],
  targets: [
    // The entry point and the command.
    .executableTarget(name: "vault", dependencies: ["VaultCommand", "CVaultArguments"]),
    .target(
      name: "VaultCommand",
      dependencies: [
        "VaultCommandCore", "VaultCompletion", "VaultPreferences", "VaultCredentials",
        "VaultExchange",
        "VaultOneTimeCodes", "VaultPasswords", "VaultProtocols", "VaultTerminal",
        "VaultDefaultsTool", "VaultDataStore", "VaultDataImport", "VaultRedaction", "VaultSync",
        "VaultSyncEngines", "VaultDataSync", "VaultStorage", "VaultSealing", "CVaultLinux",
        .product(
          name: "ArgumentParser", package: "swift-argument-parser",
          condition: .when(traits: ["Command"])),
      ]),

    // What the argument parser needs of FoundationEssentials: `scripts/build-release` alone links it.
    .target(name: "ParserEssentials"),

    // What may come next on a line, from a table; the scripts for bash, zsh and fish.
    .target(
      name: "VaultCompletion",
      dependencies: [
        "VaultCommandCore", "VaultDefaultsTool", "VaultPreferences", "VaultCredentials",
        "VaultProtocols", "VaultDataStore", "VaultStorage", "VaultSealing",
      ]),

    // What the command starts and does not link: the bus, and whatever speaks to a network.
    .executableTarget(
      name: "vault-helper",
      dependencies: [
        "VaultKeyringService", "VaultSSHAgent", "VaultSSHKeys", "VaultBrowser",
        "VaultServerEngines", "VaultDBus", "VaultProtocols", "VaultCredentials", "VaultTerminal",
        "VaultRedaction", "VaultStorage", "VaultSealing", "CVaultLinux", "CVaultArguments",
      ]),

    // What the verbs are made of: errors and their statuses, opening a vault, sources, references,
    // output.
    .target(
      name: "VaultCommandCore",
      dependencies: [
        "VaultPreferences", "VaultCredentials", "VaultExchange", "VaultOneTimeCodes",
        "VaultPasswords", "VaultProtocols", "VaultSync", "VaultSyncEngines", "VaultDataSync",
        "VaultTerminal", "VaultKeyringTransport", "VaultDBus", "VaultDataStore", "VaultStorage",
        "VaultSealing",
        "CVaultLinux",
      ]),

    // The grammar of macOS's `defaults`: words and streams to a status.
    .target(
      name: "VaultDefaultsTool",
      dependencies: [
        "VaultPreferences", "VaultDBus", "VaultTerminal", "VaultStorage", "VaultSealing",
        "CVaultLinux",
      ]),

    // Other programs' exports as items, and items in their formats.
    .target(
      name: "VaultExchange",
      dependencies: [
        "VaultCredentials", "VaultOneTimeCodes", "VaultPreferences", "VaultStorage", "VaultSealing",
      ]),

    // Prompts, other programs, the clipboard, the editor, streams. It parses no command line.
    .target(
      name: "VaultTerminal",
      dependencies: ["VaultRedaction", "VaultStorage", "VaultSealing", "CVaultLinux"]),

    // Secrets found in a stream, in every encoding, and replaced.
    .target(name: "VaultRedaction", dependencies: ["VaultSealing"]),

    // Messages of D-Bus, a client, and the bus itself. Only the helper serves.
    .target(name: "VaultDBus", dependencies: ["VaultSealing", "CVaultLinux"]),

    // The Secret Service over a vault, for the helper.
    .target(
      name: "VaultKeyringService",
      dependencies: [
        "VaultKeyringTransport", "VaultDBus", "VaultCredentials", "VaultStorage", "VaultSealing",
      ]),

    // Keys of ssh: their files, and what they sign.
    .target(name: "VaultSSHKeys", dependencies: ["VaultSealing", "CVaultMbedCrypto"]),

    // The protocol of ssh's agents over a vault, for the helper.
    .target(
      name: "VaultSSHAgent",
      dependencies: [
        "VaultSSHKeys", "VaultDBus", "VaultCredentials", "VaultStorage", "VaultSealing",
      ]),

    // What KeePassXC's extension asks of a vault, for the helper.
    .target(
      name: "VaultBrowser",
      dependencies: [
        "VaultProtocols", "VaultOneTimeCodes", "VaultPasswords", "VaultCredentials",
        "VaultStorage", "VaultSealing",
      ]),

    // How secrets travel to and from a keyring, and the one lookup that is done without libsecret.
    .target(
      name: "VaultKeyringTransport",
      dependencies: ["VaultDBus", "VaultCredentials", "VaultSealing", "CVaultMbedCrypto"]),

    // A vault on several machines: signed streams, their fold, who belongs to a space. No network.
    .target(name: "VaultSync", dependencies: ["VaultCredentials", "VaultStorage", "VaultSealing"]),
    // The rows of applications' stores on several machines: between a store and a channel.
    .target(
      name: "VaultDataSync",
      dependencies: [
        "VaultSync", "VaultCredentials", "VaultDataStore", "VaultStorage", "VaultSealing",
      ]),
    // Where the streams lie: a folder, a git repository, through the user's git as a child.
    .target(
      name: "VaultSyncEngines",
      dependencies: ["VaultSync", "VaultTerminal", "VaultStorage", "VaultSealing"]),

    // Stores on servers, for the helper alone: etcd over libcurl, PostgreSQL over libpq.
    .target(
      name: "VaultServerEngines",
      dependencies: [
        "VaultSyncEngines", "VaultSync", "VaultTerminal", "VaultStorage", "VaultSealing",
        "CVaultCurl", "CVaultPostgres",
      ]),

    // Requests of git, docker, AWS and others as functions of a vault; references to secrets.
    .target(
      name: "VaultProtocols",
      dependencies: ["VaultCredentials", "VaultOneTimeCodes", "VaultStorage", "VaultSealing"]),

    // The three drawers. None imports another.
    .target(
      name: "VaultPreferences",
      dependencies: ["VaultStorage", "VaultSealing", "CVaultExpat", "CVaultTOML"]),
    .target(
      name: "VaultCredentials",
      dependencies: ["VaultStorage", "VaultSealing", "CVaultSecret", "CVaultLinux"]),
    // The errors as `LocalizedError`: for programs that import Foundation anyway.
    .target(
      name: "VaultCredentialsFoundation",
      dependencies: ["VaultCredentials", "VaultStorageFoundation", "VaultSealing"]),
    // The name that code for the Keychain imports.
    .target(
      name: "Security", dependencies: ["VaultCredentials", "VaultStorage", "VaultSealing"]),
    // Preferences for programs that read their configuration with swift-configuration.
    .target(
      name: "VaultPreferencesConfiguration",
      dependencies: [
        "VaultPreferences",
        .product(
          name: "Configuration", package: "swift-configuration",
          condition: .when(traits: ["Configuration"])),
      ],
      // As that package is built: its protocol's async functions run on the caller's actor.
      swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
    .target(
      name: "VaultPreferencesFoundation",
      dependencies: ["VaultPreferences", "VaultStorageFoundation"]),
    // Foundation's UserDefaults over preferences; it re-exports Foundation.
    .target(name: "VaultUserDefaults", dependencies: ["VaultPreferences"]),
    .target(name: "VaultStorageFoundation", dependencies: ["VaultStorage"]),
    // Codes of two-factor logins.
    .target(name: "VaultOneTimeCodes", dependencies: ["VaultSealing", "CVaultMbedCrypto"]),
    // Recipes of passwords, and the strength of passphrases that people choose.
    .target(name: "VaultPasswords", dependencies: ["VaultSealing"]),
    // For other people's tests: a vault in memory, a keyring in any state.
    .target(
      name: "VaultCredentialsTesting",
      dependencies: ["VaultCredentials", "VaultStorage", "VaultSealing"]),
    .target(
      name: "VaultAppData",
      dependencies: [
        "VaultDataStore", "VaultStorage", "VaultStorageFoundation", "VaultSealing",
        "CVaultSwiftRuntime", "VaultAppDataMacros",
      ]),
    // What stores do, for programs that log with swift-log and measure with swift-metrics.
    .target(
      name: "VaultAppDataObservability",
      dependencies: [
        "VaultAppData",
        .product(
          name: "Logging", package: "swift-log", condition: .when(traits: ["Observability"])),
        .product(
          name: "CoreMetrics", package: "swift-metrics",
          condition: .when(traits: ["Observability"])),
      ]),
    // The name that a Mac's model files import.
    .target(name: "SwiftData", dependencies: ["VaultAppData"]),
    .macro(
      name: "VaultAppDataMacros",
      dependencies: [
        .product(
          name: "SwiftSyntax", package: "swift-syntax", condition: .when(traits: ["AppData"])),
        .product(
          name: "SwiftSyntaxBuilder", package: "swift-syntax", condition: .when(traits: ["AppData"])
        ),
        .product(
          name: "SwiftSyntaxMacros", package: "swift-syntax", condition: .when(traits: ["AppData"])),
        .product(
          name: "SwiftDiagnostics", package: "swift-syntax", condition: .when(traits: ["AppData"])),
        .product(
          name: "SwiftIfConfig", package: "swift-syntax", condition: .when(traits: ["AppData"])),
        .product(
          name: "SwiftCompilerPlugin", package: "swift-syntax",
          condition: .when(traits: ["AppData"])),
      ]),

    // Stores that Core Data or SwiftData wrote on a Mac, made into stores of ours.
    .target(
      name: "VaultDataImport",
      dependencies: [
        "VaultDataStore", "VaultPreferences", "VaultStorage", "VaultSealing", "CVaultZlib",
      ]),
    // What they stand on. An application's store without its objects: for app data and `vault data`.
    .target(name: "VaultDataStore", dependencies: ["VaultStorage"]),
    .target(name: "VaultStorage", dependencies: ["CVaultSQLite", "CVaultLinux"]),
    .target(name: "VaultSealing", dependencies: ["CVaultSodium", "CVaultLinux"]),

    // C libraries, each behind one shim.
    .systemLibrary(
      name: "CVaultSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "CVaultSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    // Opened at run time: neither headers nor libraries of it are needed for building.
    .systemLibrary(name: "CVaultSecret"),
    .systemLibrary(name: "CVaultCurl"),
    .systemLibrary(name: "CVaultPostgres"),
    .systemLibrary(
      name: "CVaultExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    // Its headers are the whole library.
    .target(name: "CVaultTOML"),
    .systemLibrary(name: "CVaultZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CVaultMbedCrypto", providers: [.apt(["libmbedtls-dev"])]),
    .systemLibrary(name: "CVaultLinux"),
    // What a C program gets as main's arguments, for Swift's `CommandLine`; executables alone link it.
    .target(name: "CVaultArguments"),
    // Functions of Swift's own runtime, for app data alone.
    .systemLibrary(name: "CVaultSwiftRuntime"),

    .target(
      name: "TestSupport",
      dependencies: [
        "VaultCredentials", "VaultStorage", "VaultSealing", "CVaultSQLite", "CVaultLinux",
      ],
      path: "Tests/TestSupport"),
    // One call on the keyring, in a process of its own: what tests of the keyring run.
    .executableTarget(
      name: "keyring-probe",
      dependencies: [
        "VaultKeyringTransport", "VaultCredentials", "VaultCredentialsTesting", "VaultSealing",
      ],
      path: "Tests/KeyringProbe"),
    .executableTarget(
      name: "preference-writer", dependencies: ["VaultPreferences", "VaultStorage"],
      path: "Tests/PreferenceWriter"),
    // Code as articles on the Keychain have it, in both language modes.
    .executableTarget(
      name: "keychain-tutorial", dependencies: ["Security"], path: "Tests/Tutorials/Keychain5",
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .executableTarget(
      name: "keychain-tutorial-6", dependencies: ["Security"], path: "Tests/Tutorials/Keychain6",
      swiftSettings: [.swiftLanguageMode(.v6)]),
    .testTarget(
      name: "SecurityTests",
      dependencies: [
        "Security", "VaultCredentials", "VaultStorage", "VaultSealing", "TestSupport", "vault",
        "keychain-tutorial", "keychain-tutorial-6",
      ]),
    // The same for UserDefaults.
    .executableTarget(
      name: "defaults-tutorial", dependencies: ["VaultUserDefaults"],
      path: "Tests/Tutorials/Defaults5", swiftSettings: [.swiftLanguageMode(.v5)]),
    .executableTarget(
      name: "defaults-tutorial-6", dependencies: ["VaultUserDefaults"],
      path: "Tests/Tutorials/Defaults6", swiftSettings: [.swiftLanguageMode(.v6)]),
    // A program whose files import Foundation alone, but for one.
    .executableTarget(
      name: "everywhere-tutorial", dependencies: ["Security", "VaultUserDefaults"],
      path: "Tests/Tutorials/Everywhere"),
    .testTarget(
      name: "UserDefaultsTests",
      dependencies: [
        "VaultUserDefaults", "VaultPreferences", "TestSupport", "vault", "defaults-tutorial",
        "defaults-tutorial-6", "everywhere-tutorial",
      ]),
    .executableTarget(
      name: "appdata-writer", dependencies: ["VaultAppData", "VaultStorage"],
      path: "Tests/AppDataWriter"),
    .testTarget(name: "ArchitectureTests"),
    .testTarget(
      name: "SSHTests",
      dependencies: [
        "VaultSSHAgent", "VaultSSHKeys", "VaultDBus", "VaultCredentials", "VaultSealing",
        "TestSupport",
      ]),
    .testTarget(
      name: "BrowserTests",
      dependencies: [
        "VaultBrowser", "VaultProtocols", "VaultSealing", "VaultStorage", "TestSupport",
      ]),
    .testTarget(
      name: "OneTimeCodesTests",
      dependencies: ["VaultOneTimeCodes", "VaultSealing", "TestSupport"]),
    .testTarget(
      name: "ExchangeTests",
      dependencies: [
        "VaultExchange", "VaultCredentials", "VaultCredentialsTesting", "VaultStorage",
        "VaultSealing", "VaultOneTimeCodes",
      ]),
    .testTarget(
      name: "SyncTests",
      dependencies: [
        "VaultSync", "VaultSyncEngines", "VaultCredentials", "VaultStorage", "VaultSealing",
        "TestSupport", "vault", "vault-helper",
      ],
      exclude: [
        "Vectors", "Servers/certificates.py", "Servers/etcd_server.py",
        "Servers/postgres_server.py", "Servers/rclone_server.py", "Servers/feed_server.py",
      ]),
    // Two homes, a folder between them, and stores that a program with models has open.
    .testTarget(
      name: "DataSyncTests",
      dependencies: [
        "VaultDataSync", "VaultSync", "VaultSyncEngines", "VaultDataStore", "VaultAppData",
        "VaultCredentials", "VaultStorage", "VaultSealing", "TestSupport",
      ]),
    .testTarget(name: "RedactionTests", dependencies: ["VaultRedaction", "VaultSealing"]),
    .testTarget(
      name: "TerminalTests", dependencies: ["VaultTerminal", "VaultSealing", "TestSupport"]),
    .testTarget(
      name: "ProtocolsTests",
      dependencies: [
        "VaultProtocols", "VaultCredentials", "VaultCredentialsTesting", "VaultStorage",
        "VaultSealing",
      ]),
    .testTarget(name: "PasswordsTests", dependencies: ["VaultPasswords", "VaultSealing"]),
    .testTarget(name: "DBusTests", dependencies: ["VaultDBus", "VaultSealing", "TestSupport"]),
    .testTarget(name: "SealingTests", dependencies: ["VaultSealing", "TestSupport"]),
    .testTarget(name: "StorageTests", dependencies: ["VaultStorage", "TestSupport"]),
    // A process that migrates a store, for tests of several at once and of killed ones.
    .executableTarget(
      name: "migration-probe", dependencies: ["VaultDataStore", "VaultStorage"],
      path: "Tests/MigrationProbe"),
    .testTarget(
      name: "DataStoreTests",
      dependencies: ["VaultDataStore", "VaultStorage", "TestSupport", "migration-probe"]),
    .testTarget(
      name: "DataImportTests",
      dependencies: [
        "VaultDataImport", "VaultDataStore", "VaultAppData", "VaultStorage", "TestSupport",
      ]),
    .testTarget(
      name: "PreferencesTests",
      dependencies: [
        "VaultPreferences", "VaultPreferencesFoundation", "VaultStorage", "VaultSealing",
        "TestSupport", "preference-writer",
      ]),
    .testTarget(
      name: "CredentialsTests",
      dependencies: [
        "VaultCredentials", "VaultCredentialsFoundation", "VaultCredentialsTesting", "VaultStorage",
        "VaultSealing", "TestSupport", "keyring-probe",
      ],
      exclude: ["Vectors", "Keyring/secret-headers.c"]),
    // Files of earlier versions: they open and read the same.
    .testTarget(
      name: "VectorTests",
      dependencies: [
        "VaultCredentials", "VaultPreferences", "VaultAppData", "SwiftData", "VaultStorage",
        "VaultSealing", "TestSupport", "vault",
      ],
      exclude: ["0.1.0", "Writer", "make_vectors.py"]),
    .testTarget(
      name: "AppDataTests",
      dependencies: [
        "VaultAppData", "SwiftData", "VaultCredentials", "VaultStorage", "TestSupport",
        "appdata-writer",
      ],
      exclude: ["Samples"]),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "VaultCommand", "VaultCommandCore", "VaultCompletion", "VaultCredentials", "VaultExchange",
        "VaultPreferences", "VaultProtocols", "VaultDataStore", "VaultStorage", "VaultSealing",
        "VaultOneTimeCodes", "VaultSync", "VaultSyncEngines",
        "VaultTerminal", "VaultDefaultsTool", "VaultKeyringTransport", "VaultDBus", "vault",
        "vault-helper", "TestSupport",
        "ParserEssentials",
      ],
      exclude: ["Scripts", "Snapshots"]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

// `ls Sources` shows the storeys: each target lies in one.
let command: Set = [
  "vault", "VaultCommand", "VaultCommandCore", "VaultCompletion", "VaultDefaultsTool",
  "ParserEssentials",
]
let helper: Set = [
  "vault-helper", "VaultKeyringService", "VaultSSHAgent", "VaultSSHKeys", "VaultBrowser",
  "VaultServerEngines",
]

for target in package.targets where target.path == nil && target.type != .test {
  let storey =
    target.type == .system || target.name.hasPrefix("CVault")
    ? "Shims"
    : command.contains(target.name)
      ? "Command" : helper.contains(target.name) ? "Helper" : "Libraries"
  target.path = "Sources/\(storey)/\(target.name)"
}

// As other people's code is compiled: without what we ask of ours.
let unchanged: Set = [
  "keychain-tutorial", "keychain-tutorial-6", "defaults-tutorial", "defaults-tutorial-6",
  "everywhere-tutorial",
]

for target in package.targets where target.type != .system && !unchanged.contains(target.name) {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"),
      .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"),
      .strictMemorySafety(),
      .treatAllWarnings(as: .error),
    ]
}
