import VaultCredentials
import VaultProtocols

/// The logins of a vault with the addresses at which they are used, without their secrets.
struct BrowserLogins {
  /// More than a person chooses from.
  static let maximum = 16
  /// The fields and attributes that have the user.
  static let userNames = ["user", "username", "login", "email", "account"]

  struct Login {
    let item: Item
    let user: String
    /// Those of its fields.
    let addresses: [SiteAddress]
    /// Those of its attributes, which other programs have set.
    let attributed: [SiteAddress]

    /// How exactly it is for a page; `nil` if it is for another one.
    ///
    /// What its fields say comes before all that attributes say: another program that sees a part
    /// of the vault crowds nothing out.
    func exactness(for page: SiteAddress) -> Exactness? {
      func best(_ addresses: [SiteAddress]) -> Int? {
        addresses.compactMap { $0.exactness(for: page) }.max()
      }
      if let own = best(addresses) { return Exactness(isOwn: true, number: own) }
      return best(attributed).map { Exactness(isOwn: false, number: $0) }
    }
  }

  /// How exactly a login is for a page, to sort by.
  struct Exactness: Comparable {
    let isOwn: Bool
    let number: Int

    static func < (left: Exactness, right: Exactness) -> Bool {
      left.isOwn == right.isOwn ? left.number < right.number : right.isOwn
    }
  }

  let snapshot: VaultSnapshot
  let all: [Login]

  /// The logins of a snapshot.
  ///
  /// What is text of another kind, a key or the seed of codes is no password.
  init(_ snapshot: VaultSnapshot) throws {
    self.snapshot = snapshot
    let items = snapshot.items().filter { item in
      switch item.kind {
      case .secret, .genericPassword, .internetPassword, .login, .token: true
      case .certificate, .note, .otp, .sshKey: false
      }
    }
    let sites = try snapshot.sites(of: items)
    all = items.compactMap { item in
      let attributes = item.attributes
      let site = sites[item.id]
      let addresses = (site?.addresses ?? []).compactMap { SiteAddress(item: $0) }
      let attributed = [
        attributes["url"].flatMap { SiteAddress(item: $0) }, SiteAddress(attributes: attributes),
      ].compactMap(\.self)
      guard !addresses.isEmpty || !attributed.isEmpty else { return nil }
      let user = site?.user ?? ""
      let other = Self.userNames.lazy.compactMap { attributes[$0] }.first
      return Login(
        item: item, user: user.isEmpty ? other ?? "" : user, addresses: addresses,
        attributed: attributed)
    }
  }

  /// The logins for a page, the most exact ones first.
  func matching(_ page: SiteAddress) -> [Login] {
    let found = all.compactMap { login in
      login.exactness(for: page).map { (login: login, exactness: $0) }
    }
    let sorted = found.sorted {
      ($1.exactness, $0.login.item.name) < ($0.exactness, $1.login.item.name)
    }
    return sorted.prefix(Self.maximum).map(\.login)
  }

  /// The login of an item, if it is for a page.
  func login(withID id: String, for page: SiteAddress) -> Login? {
    all.first { $0.item.id == id && $0.exactness(for: page) != nil }
  }
}
