package import FoundationEssentials

/// A use of a secret: one record of the usage log.
package struct UsageRecord: Sendable, Equatable {
  /// What of an item was used.
  package enum Field: Sendable, Hashable {
    /// The main secret.
    case main
    /// A further field.
    case named(String)
    /// The main secret and every field.
    case all

    /// The field with a name; the main secret without one.
    package init(_ name: String?) {
      if let name, !name.isEmpty { self = .named(name) } else { self = .main }
    }
  }

  /// How a secret was used.
  package struct Verb: RawRepresentable, Hashable, Sendable {
    /// The verb's word, as the log keeps it.
    package let rawValue: String

    /// Makes a verb from its word.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// It was written out.
    package static let get = Verb(rawValue: "get")
    /// A command was started with it.
    package static let run = Verb(rawValue: "run")
    /// A reference to it was read.
    package static let read = Verb(rawValue: "read")
    /// It was filled into a template.
    package static let inject = Verb(rawValue: "inject")
    /// A one-time code was made of it, or its seed was handed out.
    package static let otp = Verb(rawValue: "otp")
    /// It was put on the clipboard.
    package static let copy = Verb(rawValue: "copy")
    /// It was written to an export.
    package static let export = Verb(rawValue: "export")
    /// It was picked in a menu on the display, and put on the clipboard.
    package static let menu = Verb(rawValue: "menu")
    /// It was shown with the rest of its item.
    package static let show = Verb(rawValue: "show")
    /// It was opened in an editor.
    package static let edit = Verb(rawValue: "edit")
    /// git was answered.
    package static let git = Verb(rawValue: "git")
    /// docker or podman was answered.
    package static let docker = Verb(rawValue: "docker")
    /// AWS's tools were answered.
    package static let aws = Verb(rawValue: "aws")
    /// A prompt of ssh, git or sudo was answered.
    package static let askpass = Verb(rawValue: "askpass")
    /// Python's keyring was answered.
    package static let keyring = Verb(rawValue: "keyring")
    /// A client of the Secret Service was answered.
    package static let service = Verb(rawValue: "secret-service")
    /// A browser filled it in.
    package static let browser = Verb(rawValue: "browser")
    /// A browser has stored or changed it.
    package static let browserStore = Verb(rawValue: "browser store")
    /// The agent of ssh signed with it.
    ///
    /// - Parameter purpose: What for, such as `git at github.com (known)`, in at most 400 bytes.
    /// - Returns: The verb.
    package static func sshAgent(_ purpose: String) -> Verb {
      Verb(rawValue: "ssh-agent for " + String(decoding: purpose.utf8.prefix(400), as: UTF8.self))
    }
    /// A program behind `vault guard` was answered.
    ///
    /// - Parameters:
    ///   - protocol: What it speaks, such as `git`.
    ///   - namespace: Where it runs, as the kernel names it, such as `pid:[4026532281]`.
    /// - Returns: The verb.
    package static func guarded(_ protocol: String, namespace: String?) -> Verb {
      let place = namespace.map { " in \($0)" } ?? ""
      return Verb(rawValue: "\(`protocol`) by guard\(place)")
    }
    /// The log was switched off; such a record names no item.
    package static let logOff = Verb(rawValue: "log-off")
    /// The log was switched on; such a record names no item.
    package static let logOn = Verb(rawValue: "log-on")
  }

  /// The number of the record: 1 for the first one of a log.
  package let sequence: UInt64
  /// The time of the use, by the wall clock of the machine.
  package let time: Date
  /// The id of the item, 32 hex digits; `nil` for a record that names none.
  package let itemID: String?
  /// The name that the item had.
  package let itemName: String
  /// What of the item was used.
  package let field: Field
  /// How it was used.
  package let verb: Verb
  /// Whether the secret was given; if not, it was asked for and refused.
  package let isAllowed: Bool
  /// Who used it.
  package let caller: UsageCaller
  /// What for, why, and who has allowed it.
  package let account: UsageAccount
}

/// A use of a secret that is to be recorded.
package struct Usage: Sendable, Equatable {
  let itemID: Bytes16
  let itemName: String
  let field: UsageRecord.Field
  let verb: UsageRecord.Verb
  let isAllowed: Bool
  let account: UsageAccount

  /// The use of an item.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - field: What of it was used.
  ///   - verb: How.
  ///   - isAllowed: Whether the secret was given.
  ///   - account: What for, why, and who has allowed it.
  package init(
    _ item: Item, field: UsageRecord.Field = .main, verb: UsageRecord.Verb, isAllowed: Bool = true,
    account: UsageAccount = UsageAccount()
  ) {
    self.init(
      itemID: item.recordID, itemName: item.name.text, field: field, verb: verb,
      isAllowed: isAllowed, account: account)
  }

  /// An event of the log itself, which names no item.
  static func event(_ verb: UsageRecord.Verb) -> Usage {
    Usage(
      itemID: .zero, itemName: "", field: .main, verb: verb, isAllowed: true,
      account: UsageAccount())
  }

  private init(
    itemID: Bytes16, itemName: String, field: UsageRecord.Field, verb: UsageRecord.Verb,
    isAllowed: Bool, account: UsageAccount
  ) {
    self.account = account
    self.itemID = itemID
    self.itemName = itemName
    self.field = field
    self.verb = verb
    self.isAllowed = isAllowed
  }
}
