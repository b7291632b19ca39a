/// A large domain of which single keys have been read: opening a store and reading a few keys costs
/// the same, however many there are.
struct PartlyReadDomain {
  /// Domains with at most so many keys are read whole.
  static let smallest = 256
  /// A domain is read whole once a key in so many has been asked for: looking up a key costs about
  /// as much as reading so many in a row.
  static let share = 8
  /// Domains with more keys are never read whole for a key: that takes longer than a frame of a
  /// program that draws.
  static let largest = 2_000

  /// The keys that were asked for; `nil` where the domain has no such key.
  var values: [String: PreferenceValue?] = [:]
  /// The number of keys at which to look again whether reading the whole domain costs less.
  var measureAt = 32
}
