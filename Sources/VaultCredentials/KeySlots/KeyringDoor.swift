import VaultSealing

struct KeyringDoor {
  let options: VaultOptions
  func slotKey(vaultID: [UInt8], slotID: [UInt8]) throws -> SecretBytes? { nil }
  func storeSlotKey(_ key: SecretBytes, vaultID: [UInt8], slotID: [UInt8]) throws {}
  func removeSlotKey(vaultID: [UInt8], slotID: [UInt8]) throws {}
}
extension UnlockedVault {
  @discardableResult
  func synchroniseCopies(after record: ItemRecord) throws -> ItemRecord { record }
  func synchroniseCopies() throws {}
}
