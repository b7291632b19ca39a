extension Sequence<Item> {
  /// The item that was changed last; of several changed at the same time, the first by name.
  ///
  /// Two items can match one request of another program, because the attributes that find an item
  /// need not be unique. Every way in answers with the same one.
  package var newest: Item? { self.max { ($0.modified, $1.name) < ($1.modified, $0.name) } }
}
