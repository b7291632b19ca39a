public import VaultSealing

// The calls of `blocking`, off Swift's cooperative threads.

extension UnlockedVault {
  /// Stores a secret; see ``Blocking/set(_:to:field:changes:)``.
  @discardableResult
  public func set(
    _ name: ItemName, to secret: Secret, field: String? = nil, changes: ItemChanges = ItemChanges()
  ) async throws -> ItemChange {
    try await offCooperativeThreads {
      try self.blocking.set(name, to: secret, field: field, changes: changes)
    }
  }

  /// Changes what is known of an item; see ``Blocking/update(_:_:)``.
  @discardableResult
  public func update(_ name: ItemName, _ changes: ItemChanges) async throws -> Item {
    try await offCooperativeThreads { try self.blocking.update(name, changes) }
  }

  /// Removes an item; see ``Blocking/remove(_:purge:)-(ItemName,_)``.
  public func remove(_ name: ItemName, purge: Bool = false) async throws {
    try await offCooperativeThreads { try self.blocking.remove(name, purge: purge) }
  }

  /// Removes several items in one change; see ``Blocking/remove(_:purge:)-([ItemName],_)``.
  public func remove(_ names: [ItemName], purge: Bool = false) async throws {
    try await offCooperativeThreads { try self.blocking.remove(names, purge: purge) }
  }

  /// Removes what is in the trash for good; see ``Blocking/emptyTrash(of:)``.
  @discardableResult
  public func emptyTrash(of name: ItemName? = nil) async throws -> Int {
    try await offCooperativeThreads { try self.blocking.emptyTrash(of: name) }
  }

  /// Gives an item another name; see ``Blocking/rename(_:to:)``.
  @discardableResult
  public func rename(_ name: ItemName, to new: ItemName) async throws -> Item {
    try await offCooperativeThreads { try self.blocking.rename(name, to: new) }
  }

  /// Makes a second item with the same contents; see ``Blocking/copy(_:to:)``.
  @discardableResult
  public func copy(_ name: ItemName, to new: ItemName) async throws -> Item {
    try await offCooperativeThreads { try self.blocking.copy(name, to: new) }
  }

  /// Makes an earlier version current; see ``Blocking/restore(_:version:)``.
  @discardableResult
  public func restore(_ name: ItemName, version: UInt64? = nil) async throws -> Item {
    try await offCooperativeThreads { try self.blocking.restore(name, version: version) }
  }

  /// Takes back the last change; see ``Blocking/undo()``.
  @discardableResult
  public func undo() async throws -> [UndoneChange] {
    try await offCooperativeThreads { try self.blocking.undo() }
  }

  /// Verifies every seal, and what surrounds the vault; see ``Blocking/check()``.
  public func check() async throws -> CheckReport {
    try await offCooperativeThreads { try self.blocking.check() }
  }

  /// Writes vault and history into one sealed file; see ``Blocking/backUp(to:)``.
  @discardableResult
  public func backUp(to path: String) async throws -> BackupSummary {
    try await offCooperativeThreads { try self.blocking.backUp(to: path) }
  }

  /// The vault's key slots; see ``Blocking/slots()``.
  public func slots() async throws -> [KeySlot] {
    try await offCooperativeThreads { try self.blocking.slots() }
  }

  /// Adds a slot; see ``Blocking/addSlot(_:)``.
  @discardableResult
  public func addSlot(_ slot: NewKeySlot) async throws -> KeySlot {
    try await offCooperativeThreads { try self.blocking.addSlot(slot) }
  }

  /// Removes a slot; see ``Blocking/removeSlot(_:)``.
  public func removeSlot(_ id: String) async throws {
    try await offCooperativeThreads { try self.blocking.removeSlot(id) }
  }

  /// Replaces the passphrase of a slot; see ``Blocking/changePassphrase(of:to:)``.
  public func changePassphrase(of id: String? = nil, to passphrase: SecretBytes) async throws {
    try await offCooperativeThreads { try self.blocking.changePassphrase(of: id, to: passphrase) }
  }

  /// Makes a new vault key and seals everything under it; see ``Blocking/rotate(to:)``.
  public func rotate(to slots: [NewKeySlot]) async throws -> UnlockedVault {
    try await offCooperativeThreads { try self.blocking.rotate(to: slots) }
  }

  /// Gives old passphrase slots a new cost; see ``Blocking/upgradeSlots(passphrase:)``.
  @discardableResult
  public func upgradeSlots(passphrase: SecretBytes) async throws -> Int {
    try await offCooperativeThreads { try self.blocking.upgradeSlots(passphrase: passphrase) }
  }

  /// How long a session lasts, as it was set; see ``Blocking/sessionSetting()``.
  public func sessionSetting() async throws -> Int? {
    try await offCooperativeThreads { try self.blocking.sessionSetting() }
  }

  /// Sets how long a session lasts; see ``Blocking/setSession(seconds:)``.
  public func setSession(seconds: Int?) async throws {
    try await offCooperativeThreads { try self.blocking.setSession(seconds: seconds) }
  }
}
