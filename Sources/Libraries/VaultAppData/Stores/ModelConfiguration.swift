import VaultDataStore
import VaultStorage

/// Which models a container keeps in which file.
///
/// ```swift
/// ModelConfiguration()                              // $XDG_DATA_HOME/<application id>/default.store
/// ModelConfiguration("Cache", schema: Schema([Page.self]))
/// ModelConfiguration(isStoredInMemoryOnly: true)    // shared with no other container
/// ```
///
/// The application id is, in this order: `G_APPLICATION_ID`, `FLATPAK_ID`, `SNAP_NAME`, the main
/// bundle's identifier, the executable's name.
public struct ModelConfiguration: Identifiable, Hashable, Sendable, CustomDebugStringConvertible {
  /// The directory of files that several applications share.
  public struct GroupContainer: Hashable, Sendable {
    let group: String?

    /// The application's own directory.
    public static let automatic = GroupContainer(group: nil)
    /// The application's own directory.
    public static let none = GroupContainer(group: nil)
    /// The directory `$XDG_DATA_HOME/<name>`, shared by all programs that name it.
    public static func identifier(_ name: String) -> GroupContainer { GroupContainer(group: name) }
  }

  /// Whether the objects may go to the person's other machines.
  ///
  /// There is no CloudKit here. Objects go along with a vault that syncs, if the person says so
  /// (`vault sync add data APPLICATION`), sealed and without the program's code: see
  /// ``ModelContainer/syncEvents``.
  public struct CloudKitDatabase: Hashable, Sendable {
    let kind: String
    let container: String?

    /// If the person says so.
    public static let automatic = CloudKitDatabase(kind: "automatic", container: nil)
    /// Never: `vault sync add data` refuses the store.
    public static let none = CloudKitDatabase(kind: "none", container: nil)
    /// If the person says so; the name is kept, and shown by `vault sync status`.
    public static func `private`(_ privateDBName: String) -> CloudKitDatabase {
      CloudKitDatabase(kind: "private", container: privateDBName)
    }

    /// As the store has it.
    var synced: SyncedDatabase {
      if self == .none { .none } else { container.map { .named($0) } ?? .automatic }
    }
  }

  /// The file; for a configuration in memory, a name that no other has.
  public let url: URL
  /// The configuration's name; the file's without its ending.
  public let name: String
  /// Which models; `nil` for all of the container's.
  public var schema: Schema?
  /// Whether ``ModelContext/save()`` may write.
  public let allowsSave: Bool
  /// Whether nothing is written to a file.
  public let isStoredInMemoryOnly: Bool
  /// The directory of files that several applications share.
  public let groupContainer: GroupContainer
  /// The group's name; `nil` for the application's own directory.
  public var groupAppContainerIdentifier: String? { groupContainer.group }
  /// Whether the objects may go to the person's other machines; the store keeps it.
  public let cloudKitDatabase: CloudKitDatabase
  /// The name of the database, if it has one.
  public var cloudKitContainerIdentifier: String? { cloudKitDatabase.container }
  /// How many connections to the file a container keeps open at most; at least 2.
  ///
  /// Each takes two or three descriptors. Contexts share them: one that finds all in use waits.
  /// What is idle for half a minute is closed. Not part of SwiftData.
  public var maximumConnections = 16
  /// Whether the store keeps a history of who changed what when, for
  /// ``ModelContext/fetchHistory(_:)``.
  ///
  /// The store decides, for every program that writes to it: `nil`, the default, and `true` begin
  /// one where there is none, `false` ends and deletes it. It grows with every save, and nothing of
  /// it is deleted by itself: see ``ModelContext/deleteHistory(_:)``. Not part of SwiftData, whose
  /// stores always keep one.
  public var keepsHistory: Bool?
  /// The key of the attributes with `.encrypt`; `nil` for a program that does without them.
  ///
  /// Not part of SwiftData.
  public var sealingKey: SealingKey?
  /// When a save is on disk: ``Durability/full`` unless another choice is made.
  ///
  /// Not part of SwiftData.
  public var durability = Durability.full
  /// Who is informed of the store's statements, waits, commits and connections; `nil` for nobody.
  ///
  /// Not part of SwiftData.
  public var observer: (any StoreObserver)? {
    get { observerReference?.observer }
    set { observerReference = newValue.map { ObserverReference(observer: $0) } }
  }
  private var observerReference: ObserverReference?
  /// How long a connection stays open that nobody uses, for tests.
  package var idleTime = Duration.seconds(30)
  /// Whether the file's name was made from ``name``.
  let isNamed: Bool

  /// The file's URL.
  public var id: URL { url }

  /// Makes the configuration of the default file, or of one in memory.
  public init(isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// Makes a configuration for models, and for those that they relate to.
  public init(for forTypes: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: Schema(forTypes), isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// Makes a configuration with a name of its own.
  public init(
    _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false,
    allowsSave: Bool = true, groupContainer: GroupContainer = .automatic,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.name = name ?? "default"
    self.schema = schema
    self.isStoredInMemoryOnly = isStoredInMemoryOnly
    self.allowsSave = allowsSave
    self.groupContainer = groupContainer
    self.cloudKitDatabase = cloudKitDatabase
    isNamed = true
    url =
      isStoredInMemoryOnly
      ? URL(string: "memory:\(UUID().uuidString)") ?? URL(fileURLWithPath: "/dev/null")
      : ApplicationData.url(of: self.name, group: groupContainer.group)
  }

  /// Makes a configuration for a file; its directory is made where there is none.
  public init(
    _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.name = name ?? url.deletingPathExtension().lastPathComponent
    self.schema = schema
    self.url = url
    self.allowsSave = allowsSave
    self.cloudKitDatabase = cloudKitDatabase
    isStoredInMemoryOnly = false
    groupContainer = .none
    isNamed = false
  }

  /// Makes a configuration with a name of its own, whose sealed attributes can be read and written.
  ///
  /// - Parameters:
  ///   - name: The file's name without its ending.
  ///   - schema: Which models; `nil` for all of the container's.
  ///   - isStoredInMemoryOnly: Whether nothing is written to a file.
  ///   - allowsSave: Whether ``ModelContext/save()`` may write.
  ///   - groupContainer: The directory of files that several applications share.
  ///   - sealingKey: The key of the attributes with `.encrypt`.
  public init(
    _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false,
    allowsSave: Bool = true, groupContainer: GroupContainer = .automatic, sealingKey: SealingKey?
  ) {
    self.init(
      name, schema: schema, isStoredInMemoryOnly: isStoredInMemoryOnly, allowsSave: allowsSave,
      groupContainer: groupContainer)
    self.sealingKey = sealingKey
  }

  /// Makes a configuration for a file, whose sealed attributes can be read and written.
  ///
  /// - Parameters:
  ///   - name: The configuration's name.
  ///   - schema: Which models; `nil` for all of the container's.
  ///   - url: The file; its directory is made where there is none.
  ///   - allowsSave: Whether ``ModelContext/save()`` may write.
  ///   - sealingKey: The key of the attributes with `.encrypt`.
  public init(
    _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
    sealingKey: SealingKey?
  ) {
    self.init(name, schema: schema, url: url, allowsSave: allowsSave)
    self.sealingKey = sealingKey
  }

  /// Checks that the name can be a file's.
  ///
  /// - Throws: ``SwiftDataError/configurationFileNameTooLong``,
  ///   ``SwiftDataError/configurationFileNameContainsInvalidCharacters``.
  public func validate() throws {
    guard !isStoredInMemoryOnly else { return }
    let file = isNamed ? "\(name).store" : url.lastPathComponent
    // SQLite's longest companion is NAME-journal; 255 bytes is the kernel's limit (NAME_MAX).
    guard "\(file)-journal".utf8.count <= 255 else {
      throw SwiftDataError.configurationFileNameTooLong.saying("\(file.utf8.count) bytes")
    }
    let isBad =
      file.contains("/") || file.utf8.contains(0) || file.hasPrefix(".") || name.isEmpty
      || groupContainer.group.map { $0.contains("/") || $0.hasPrefix(".") || $0.isEmpty } == true
    guard !isBad else {
      throw SwiftDataError.configurationFileNameContainsInvalidCharacters.saying(
        "a name must not be empty, begin with \".\" or hold \"/\": \(name)")
    }
  }

  /// Name and place.
  public var debugDescription: String {
    isStoredInMemoryOnly ? "\(name) in memory" : "\(name) at \(url.path)"
  }
}

/// The directory of an application's own files.
enum ApplicationData {
  /// Whose files they are.
  static var identifier: String {
    for variable in ["G_APPLICATION_ID", "FLATPAK_ID", "SNAP_NAME"] {
      if let id = StoreLocation.variable(variable), isUsable(id) { return id }
    }
    if let id = Bundle.main.bundleIdentifier, isUsable(id) { return id }
    let name = ProcessInfo.processInfo.processName
    return isUsable(name) ? name : "unnamed"
  }

  private static func isUsable(_ id: String) -> Bool {
    !id.isEmpty && !id.hasPrefix(".") && !id.contains("/") && !id.utf8.contains(0)
  }

  /// The file of a name; below the file system's root where there is no home directory, which then
  /// fails when it is opened.
  static func url(of name: String, group: String?) -> URL {
    let directory =
      (try? StoreLocation.applicationData(id: group ?? identifier)) ?? "/nonexistent"
    return URL(fileURLWithPath: directory, isDirectory: true)
      .appendingPathComponent("\(name).store", isDirectory: false)
  }
}
