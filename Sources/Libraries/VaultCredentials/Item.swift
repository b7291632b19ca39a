public import FoundationEssentials
import VaultSealing

/// A stored credential without its secrets.
public struct Item: Sendable, Identifiable {
  /// The purpose of an item.
  ///
  /// It decides how other programs are served, not how the item is stored.
  public enum Kind: UInt16, Sendable, CaseIterable {
    /// Nothing in particular.
    case secret = 0
    /// A password for a service and an account, as the Keychain's generic password.
    case genericPassword = 1
    /// A password for a server, as the Keychain's internet password.
    case internetPassword = 2
    /// A user name and a password, often with an address.
    case login = 3
    /// A token for a programming interface.
    case token = 4
    /// A certificate or key in PEM form.
    case certificate = 5
    /// Text to be kept private.
    case note = 6
    /// The seed of one-time passwords.
    case otp = 7
    /// A private key of ssh, in OpenSSH's format.
    case sshKey = 8

    /// The kind's name as the command writes it.
    public var name: String {
      switch self {
      case .secret: "secret"
      case .genericPassword: "generic-password"
      case .internetPassword: "internet-password"
      case .login: "login"
      case .token: "token"
      case .certificate: "certificate"
      case .note: "note"
      case .otp: "otp"
      case .sshKey: "ssh-key"
      }
    }

    /// The kind with this name, or `nil`.
    ///
    /// - Parameter name: As ``name`` writes it.
    public init?(name: String) {
      guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
      self = kind
    }
  }

  /// The state of the copy that the desktop keyring holds for other programs.
  public enum PublishedCopy: String, Sendable {
    /// There is none, and none is to be made.
    case none
    /// The keyring holds the current secret, as far as this vault knows.
    case published
    /// It is still to be made or brought up to date.
    case pending
  }

  /// The item's id: 32 hex digits, the same for all its versions and names.
  public var id: String { recordID.hexadecimal }
  let recordID: Bytes16
  /// Its name.
  public let name: ItemName
  /// The purpose of the item.
  public let kind: Kind
  /// 1 for the first secret, one more with every change.
  public let version: UInt64
  /// The time when the item was created.
  public let created: Date
  /// The time when the item was last changed.
  public let modified: Date
  /// The time when the secret expires, if one is set.
  public let expires: Date?
  /// The time when the item was moved to the trash, if it is there.
  public let trashed: Date?
  /// Free text about it.
  public let note: String
  /// Words to find it by, sorted.
  public let tags: [String]
  /// The attributes that other programs look it up by, such as `service`, `account`, `server`.
  public var attributes: [String: String] {
    var attributes: [String: String] = [:]
    for attribute in storedAttributes.all where !Self.isOwn(attribute.name) {
      attributes[attribute.name] = attribute.text
    }
    return attributes
  }
  let storedAttributes: NamedTexts
  /// The state of its copy in the keyring.
  ///
  /// That is read from `store.sqlite` when it is first asked of an item of a snapshot, once for all
  /// of them.
  public var publishedCopy: PublishedCopy {
    switch copy {
    case .none: .none
    case .published: .published
    case .pending: states.state(of: name.text)
    }
  }
  private let copy: ItemRecord.Copy
  private let states: CopyStates
  /// The number of earlier versions that can be restored.
  public let earlierVersions: Int

  init(_ record: ItemRecord, _ states: CopyStates) {
    recordID = record.id
    name = ItemName(stored: record.name)
    kind = Kind(rawValue: record.kind) ?? .secret
    version = record.version
    created = Date(milliseconds: record.created)
    modified = Date(milliseconds: record.modified)
    expires = record.expires == 0 ? nil : Date(milliseconds: record.expires)
    trashed = record.trashed == 0 ? nil : Date(milliseconds: record.trashed)
    note = record.note
    tags = record.tags
    storedAttributes = record.attributes
    copy = record.trashed == 0 ? record.copy : .none
    self.states = states
    earlierVersions = record.earlier.count
  }

  /// The version with the other of two values that met in a merge; `nil` if none did.
  ///
  /// The later value is current. A new secret, or a version that is restored, settles it.
  public var conflictingVersion: UInt64? { ItemConflict.version(in: storedAttributes) }

  /// What a merge left to be settled: another value, another item of the same name, or a removal
  /// for good that did not know of the last change.
  ///
  /// ```swift
  /// let item = try await vault.read().item(ItemName("api-token"))
  /// for conflict in item.conflicts where conflict.kind == .secret {
  ///   print("version \(conflict.version ?? 0), from \(conflict.machine ?? "another file")")
  /// }
  /// ```
  public var conflicts: [MergeReport.Conflict] {
    ItemConflict.unsettled(storedAttributes, of: name)
  }

  /// The values of the note, of attributes, of the expiry and the name that met the current ones in
  /// a merge and are kept until somebody settles that.
  public var lostValues: [LostValue] { ItemConflict.lost(in: storedAttributes) }

  /// Whether an attribute is one that the vault itself writes.
  private static func isOwn(_ name: String) -> Bool {
    name == FieldMarks.attribute || name == ImportMark.attribute || ItemConflict.isOwn(name)
  }

  /// Returns whether a field holds no secret and may be shown, such as a user name.
  ///
  /// Fields with a usual name, such as `user`, `url` and `notes`, are open unless the item says
  /// otherwise; all others are concealed unless the item says that they are open.
  ///
  /// - Parameter field: The name of a further field; the main secret is never open.
  /// - Returns: Whether the field is open.
  public func isOpen(field: String) -> Bool { FieldMarks(storedAttributes).isOpen(field) }

  /// Returns whether a field of this name is open in an item that says nothing about it.
  ///
  /// - Parameter field: The name of a field, such as `user`.
  /// - Returns: Whether it is open.
  public static func isUsuallyOpen(field: String) -> Bool { FieldMarks(NamedTexts()).isOpen(field) }
}

/// An earlier version of an item that can still be read and restored.
public struct ItemVersion: Sendable, Identifiable {
  /// The version's number.
  public let version: UInt64
  /// The time when this version was written.
  public let written: Date
  /// A Boolean value that says whether `get` returns this version.
  public let isCurrent: Bool
  /// A Boolean value that says whether this version met another one that did not know of it.
  public let isConcurrent: Bool
  /// The machine that wrote a version that met another one; `nil` where that is not known.
  public let machine: String?

  /// The version's number.
  public var id: UInt64 { version }
}

extension Date {
  init(milliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }

  var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }
}
