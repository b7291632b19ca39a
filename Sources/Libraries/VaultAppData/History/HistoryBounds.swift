import VaultDataStore

/// What a predicate over transactions says of their place in the history, so that the rest need not
/// be read: `$0.token > token && $0.author == "widget"`.
///
/// The predicate is evaluated all the same; these bounds only leave out what it cannot find.
struct HistoryBounds {
  /// Only later ones, by store.
  var after: [DefaultHistoryToken] = []
  /// Only these or earlier ones, by store.
  var through: [DefaultHistoryToken] = []
  var afterID: Int64?
  var throughID: Int64?
  var author: String?

  init(_ predicate: Predicate<DefaultHistoryTransaction>?) {
    (predicate?.expression as? any HistoryCondition)?.narrow(&self)
  }

  /// The transaction in one store that what is wanted comes after.
  func token(in store: String) -> Int64? { after.compactMap { $0.tokenValue?[store] }.max() }

  /// The bounds in one store.
  func bounds(in store: String) -> DataStoreHistory.Bounds {
    DataStoreHistory.Bounds(
      after: (after.compactMap { $0.tokenValue?[store] } + [afterID].compactMap { $0 }).max(),
      through: (through.compactMap { $0.tokenValue?[store] } + [throughID].compactMap { $0 }).min(),
      author: author)
  }
}

/// A part of a predicate that holds for every transaction that is found.
private protocol HistoryCondition {
  func narrow(_ bounds: inout HistoryBounds)
}

/// A value that the predicate captured.
private protocol CapturedValue {
  var captured: Any { get }
}

extension PredicateExpressions.Value: CapturedValue {
  fileprivate var captured: Any { value }
}

/// A property of the transaction.
private protocol TransactionProperty {
  var property: AnyKeyPath { get }
}

extension PredicateExpressions.KeyPath: TransactionProperty
where Root == PredicateExpressions.Variable<DefaultHistoryTransaction> {
  fileprivate var property: AnyKeyPath { keyPath }
}

extension PredicateExpressions.Conjunction: HistoryCondition {
  fileprivate func narrow(_ bounds: inout HistoryBounds) {
    (lhs as? any HistoryCondition)?.narrow(&bounds)
    (rhs as? any HistoryCondition)?.narrow(&bounds)
  }
}

extension PredicateExpressions.Comparison: HistoryCondition {
  fileprivate func narrow(_ bounds: inout HistoryBounds) {
    if let property = lhs as? any TransactionProperty, let value = rhs as? any CapturedValue {
      switch op {
      case .greaterThan, .greaterThanOrEqual:
        bounds.bound(
          property.property, above: value.captured, isIncluded: op == .greaterThanOrEqual)
      case .lessThan, .lessThanOrEqual: bounds.bound(property.property, below: value.captured)
      @unknown default: break
      }
    } else if let value = lhs as? any CapturedValue, let property = rhs as? any TransactionProperty
    {
      switch op {
      case .lessThan, .lessThanOrEqual:
        bounds.bound(property.property, above: value.captured, isIncluded: op == .lessThanOrEqual)
      case .greaterThan, .greaterThanOrEqual:
        bounds.bound(property.property, below: value.captured)
      @unknown default: break
      }
    }
  }
}

extension PredicateExpressions.Equal: HistoryCondition {
  fileprivate func narrow(_ bounds: inout HistoryBounds) {
    guard let property = lhs as? any TransactionProperty, let value = rhs as? any CapturedValue
    else { return }
    if property.property == \DefaultHistoryTransaction.author {
      bounds.author = value.captured as? String ?? bounds.author
    }
    bounds.bound(property.property, above: value.captured, isIncluded: true)
    bounds.bound(property.property, below: value.captured)
  }
}

extension HistoryBounds {
  fileprivate mutating func bound(_ property: AnyKeyPath, above value: Any, isIncluded: Bool) {
    let step: Int64 = isIncluded ? 1 : 0
    if property == \DefaultHistoryTransaction.token, let token = value as? DefaultHistoryToken {
      after.append(DefaultHistoryToken((token.tokenValue ?? [:]).mapValues { $0 - step }))
    } else if property == \DefaultHistoryTransaction.transactionIdentifier,
      let id = value as? Int64
    {
      afterID = max(afterID ?? .min, id - step)
    }
  }

  fileprivate mutating func bound(_ property: AnyKeyPath, below value: Any) {
    if property == \DefaultHistoryTransaction.token, let token = value as? DefaultHistoryToken {
      through.append(token)
    } else if property == \DefaultHistoryTransaction.transactionIdentifier,
      let id = value as? Int64
    {
      throughID = min(throughID ?? .max, id)
    }
  }
}
