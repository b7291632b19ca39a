import VaultSealing

/// The room that is left in a vault while a space is merged into it.
///
/// It is reckoned from above, so that the file that is written at the end never meets its limits:
/// then nothing at all would come in.
struct VaultRoom {
  /// What is kept free for what grows beside the items: the note of how to undo, ancestors.
  private static let reserve = 1 << 20

  private var items: Int
  private var indexBytes: Int
  private var itemBytes: Int

  /// The room in the vault that an edit begins with.
  init(of edit: VaultEdit) {
    items = VaultIndex.maximumItems - edit.index.items.count
    indexBytes = VaultHeader.maximumIndex - Self.reserve - Int(edit.file.header.indexLength)
    itemBytes =
      VaultHeader.maximumFile - VaultHeader.maximumIndex - Self.reserve
      - Int(clamping: edit.file.header.itemsLength)
  }

  /// Takes the room of a new item, or the room by which an item grows.
  ///
  /// - Parameters:
  ///   - record: What the index is to hold of it.
  ///   - contents: Its secrets; `nil` if they stay as they are.
  ///   - former: What the index has of it; `nil` for a new item.
  /// - Returns: False, and nothing is taken, if there is too little.
  mutating func takes(
    _ record: ItemRecord, _ contents: ItemContents?, inPlaceOf former: ItemRecord? = nil
  ) -> Bool {
    let growth = Self.indexLength(record) - (former.map(Self.indexLength) ?? 0)
    let itemGrowth = (contents.map(Self.itemLength) ?? 0) - Int(former?.length ?? 0)
    let count = former == nil ? 1 : 0
    guard items >= count, indexBytes >= growth || growth <= 0,
      itemBytes >= itemGrowth || itemGrowth <= 0
    else { return false }
    items -= count
    // What shrinks may be kept as it is where both sides changed it.
    indexBytes -= max(0, growth)
    itemBytes -= max(0, itemGrowth)
    return true
  }

  private static func indexLength(_ record: ItemRecord) -> Int {
    let texts =
      record.tags.reduce(0) { $0 + $1.utf8.count + 2 }
      + record.attributes.all.reduce(0) { $0 + $1.name.utf8.count + $1.text.utf8.count + 4 }
    // The marks of a conflict come later.
    return 256 + record.name.utf8.count + record.note.utf8.count + texts
      + 54 * (record.earlier.count + 1)
  }

  private static func itemLength(_ contents: ItemContents) -> Int {
    let fields = contents.fields.all.reduce(contents.main.count + 8) {
      $0 + $1.name.utf8.count + $1.value.count + 6
    }
    return Padding.itemLength(fields) + AuthenticatedEncryption.overhead
  }
}
