/// Orders that Foundation has on Apple's systems only.
extension SortDescriptor where Compared: PersistentModel {
  /// Orders by a truth value: false first.
  public init(_ keyPath: any KeyPath<Compared, Bool> & Sendable, order: SortOrder = .forward) {
    self.init(Self.sendable(keyPath.appending(path: SortKeyPaths.truth)), order: order)
  }

  /// Orders by a truth value that may be missing: `nil` first, then false.
  public init(_ keyPath: any KeyPath<Compared, Bool?> & Sendable, order: SortOrder = .forward) {
    self.init(Self.sendable(keyPath.appending(path: SortKeyPaths.optionalTruth)), order: order)
  }

  /// Orders by a text in the user's language.
  ///
  /// ```swift
  /// SortDescriptor(\Trip.name, comparator: .localizedStandard)
  /// ```
  public init(
    _ keyPath: any KeyPath<Compared, String> & Sendable, comparator: _AppData.LocalizedComparator,
    order: SortOrder = .forward
  ) {
    switch comparator.kind {
    case .standard:
      self.init(Self.sendable(keyPath.appending(path: SortKeyPaths.standard)), order: order)
    case .plain:
      self.init(Self.sendable(keyPath.appending(path: SortKeyPaths.localized)), order: order)
    }
  }

  /// Orders by a text in the user's language: `nil` first.
  public init(
    _ keyPath: any KeyPath<Compared, String?> & Sendable, comparator: _AppData.LocalizedComparator,
    order: SortOrder = .forward
  ) {
    switch comparator.kind {
    case .standard:
      self.init(Self.sendable(keyPath.appending(path: SortKeyPaths.optionalStandard)), order: order)
    case .plain:
      self.init(
        Self.sendable(keyPath.appending(path: SortKeyPaths.optionalLocalized)), order: order)
    }
  }

  /// A key path of two parts that are values themselves.
  private static func sendable<Value>(
    _ path: KeyPath<Compared, Value>
  ) -> any KeyPath<Compared, Value> & Sendable {
    // Appending keeps nothing of this, though neither part holds anything that could be shared.
    unsafe unsafeBitCast(path, to: (any KeyPath<Compared, Value> & Sendable).self)
  }
}

extension _AppData {
  /// How texts follow each other for a person.
  public struct LocalizedComparator: Hashable, Sendable {
    enum Kind { case standard, plain }

    let kind: Kind

    /// The order of a file manager: regardless of case, "Item 2" before "Item 10".
    public static let localizedStandard = Self(kind: .standard)
    /// As the user's language sorts.
    public static let localized = Self(kind: .plain)
  }

  /// A text that sorts as ``LocalizedComparator/localizedStandard`` says.
  struct StandardText: Comparable {
    let text: String

    static func < (left: Self, right: Self) -> Bool {
      left.text.localizedStandardCompare(right.text) == .orderedAscending
    }
  }

  /// A text that sorts as ``LocalizedComparator/localized`` says.
  struct LocalizedText: Comparable {
    let text: String

    static func < (left: Self, right: Self) -> Bool {
      left.text.localizedCompare(right.text) == .orderedAscending
    }
  }
}

/// The orders' key paths, each written once.
///
/// In a module that is compiled as a whole, as in every release build, the same key path has another
/// text in each file: its getter is there twice.
enum SortKeyPaths {
  static let truth: any KeyPath<Bool, Int> & Sendable = \Bool._sortKey
  static let optionalTruth: any KeyPath<Bool?, Int?> & Sendable = \Bool?._sortKey
  static let standard: any KeyPath<String, _AppData.StandardText> & Sendable =
    \String._localizedStandard
  static let optionalStandard: any KeyPath<String?, _AppData.StandardText?> & Sendable =
    \String?._localizedStandard
  static let localized: any KeyPath<String, _AppData.LocalizedText> & Sendable =
    \String._localized
  static let optionalLocalized: any KeyPath<String?, _AppData.LocalizedText?> & Sendable =
    \String?._localized
}

extension Bool {
  var _sortKey: Int { self ? 1 : 0 }
}

extension Bool? {
  var _sortKey: Int? { map { $0 ? 1 : 0 } }
}

extension String {
  var _localizedStandard: _AppData.StandardText { _AppData.StandardText(text: self) }
  var _localized: _AppData.LocalizedText { _AppData.LocalizedText(text: self) }
}

extension String? {
  var _localizedStandard: _AppData.StandardText? { map { _AppData.StandardText(text: $0) } }
  var _localized: _AppData.LocalizedText? { map { _AppData.LocalizedText(text: $0) } }
}
