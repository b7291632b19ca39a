import CVaultSecret

/// A value on the bus: what GLib calls a variant.
///
/// Readers check the type first and answer `nil` for another one, so that nothing a service sends
/// is taken for something that it is not.
// @unchecked: a GVariant is immutable and counts its references atomically; the pointer never
// changes.
@safe final class BusValue: @unchecked Sendable {
  let library: LibSecret
  let variant: OpaquePointer

  /// Takes over a reference.
  init(owning variant: OpaquePointer, _ library: LibSecret) {
    unsafe self.variant = unsafe variant
    self.library = library
  }

  /// Takes over a fresh value that nobody has a reference to yet.
  convenience init(sinking variant: OpaquePointer?, _ library: LibSecret) throws(BusFailure) {
    guard let variant = unsafe library.functions.g_variant_ref_sink?(variant) else {
      throw BusFailure(.unusable)
    }
    unsafe self.init(owning: variant, library)
  }

  /// Takes over a value that may be fresh or may come with a reference.
  convenience init(taking variant: OpaquePointer?, _ library: LibSecret) throws(BusFailure) {
    guard let variant = unsafe variant,
      let taken = unsafe library.functions.g_variant_take_ref?(variant)
    else { throw BusFailure(.unusable) }
    unsafe self.init(owning: taken, library)
  }

  deinit { unsafe library.functions.g_variant_unref?(variant) }

  var type: String {
    guard let type = unsafe library.functions.g_variant_get_type_string?(variant) else { return "" }
    return unsafe String(cString: type)
  }

  /// How many parts a tuple, array, dictionary, entry or variant has; 0 for anything else.
  var count: Int {
    guard let first = type.utf8.first, "({av".utf8.contains(first) else { return 0 }
    return unsafe library.functions.g_variant_n_children?(variant) ?? 0
  }

  func part(_ index: Int) -> BusValue? {
    guard index >= 0, index < count else { return nil }
    guard
      let part = unsafe library.functions.g_variant_get_child_value?(variant, index)
    else { return nil }
    return unsafe BusValue(owning: part, library)
  }

  var parts: [BusValue] { (0..<count).compactMap(part) }

  /// What a variant holds.
  var content: BusValue? { type == "v" ? part(0) : nil }

  /// A string or an object path.
  var text: String? {
    guard type == "s" || type == "o" else { return nil }
    guard let text = unsafe library.functions.g_variant_get_string?(variant, nil) else {
      return nil
    }
    return unsafe String(cString: text)
  }

  var boolean: Bool? {
    guard type == "b" else { return nil }
    return unsafe library.functions.g_variant_get_boolean?(variant) != 0
  }

  var number: UInt64? {
    switch type {
    case "t": (unsafe library.functions.g_variant_get_uint64?(variant)).map { UInt64($0) }
    case "u": (unsafe library.functions.g_variant_get_uint32?(variant)).map { UInt64($0) }
    default: nil
    }
  }

  /// Plain bytes, which are not secret.
  var bytes: [UInt8]? {
    guard type == "ay" else { return nil }
    var count = 0
    let base = unsafe library.functions.g_variant_get_fixed_array?(variant, &count, 1)
    guard let base = unsafe base else { return [] }
    return unsafe Array(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// The texts of an array of strings or paths.
  var texts: [String] { parts.compactMap(\.text) }

  /// A dictionary with text keys; values that are variants are opened.
  var entries: [String: BusValue] {
    var entries: [String: BusValue] = [:]
    for entry in parts where entry.count == 2 {
      guard let key = entry.part(0)?.text, let value = entry.part(1) else { continue }
      entries[key] = value.content ?? value
    }
    return entries
  }

  /// A dictionary of texts.
  var textEntries: [String: String] { entries.compactMapValues(\.text) }
}

extension LibSecret {
  func text(_ text: String) throws(BusFailure) -> BusValue {
    // C strings end at the first NUL: a text with one would be another text.
    guard !text.utf8.contains(0) else { throw BusFailure(.invalidRequest) }
    return unsafe try BusValue(sinking: unsafe functions.g_variant_new_string?(text), self)
  }

  func path(_ path: String) throws(BusFailure) -> BusValue {
    guard !path.utf8.contains(0), unsafe functions.g_variant_is_object_path?(path) == 1 else {
      throw BusFailure(.invalidRequest)
    }
    return unsafe try BusValue(sinking: unsafe functions.g_variant_new_object_path?(path), self)
  }

  func boolean(_ value: Bool) throws(BusFailure) -> BusValue {
    unsafe try BusValue(sinking: functions.g_variant_new_boolean?(value ? 1 : 0), self)
  }

  func number(_ value: UInt32) throws(BusFailure) -> BusValue {
    unsafe try BusValue(sinking: functions.g_variant_new_uint32?(value), self)
  }

  func variant(_ value: BusValue) throws(BusFailure) -> BusValue {
    unsafe try BusValue(sinking: unsafe functions.g_variant_new_variant?(value.variant), self)
  }

  func tuple(_ parts: [BusValue]) throws(BusFailure) -> BusValue {
    let variants = unsafe parts.map { unsafe Optional(unsafe $0.variant) }
    defer { withExtendedLifetime(parts) {} }
    return unsafe try BusValue(
      sinking: unsafe functions.g_variant_new_tuple?(variants, variants.count), self)
  }

  /// An array whose elements have the type `type`, in D-Bus' notation.
  func array(of type: String, _ elements: [BusValue]) throws(BusFailure) -> BusValue {
    let elementType = unsafe functions.g_variant_type_new?(type)
    defer { unsafe functions.g_variant_type_free?(elementType) }
    let variants = unsafe elements.map { unsafe Optional(unsafe $0.variant) }
    defer { withExtendedLifetime(elements) {} }
    return unsafe try BusValue(
      sinking: unsafe functions.g_variant_new_array?(
        elementType, variants, variants.count), self)
  }

  func dictionary(_ entries: [String: String]) throws(BusFailure) -> BusValue {
    var elements: [BusValue] = []
    for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
      elements.append(try entry(text(key), text(value)))
    }
    return try array(of: "{ss}", elements)
  }

  func properties(_ entries: [(String, BusValue)]) throws(BusFailure) -> BusValue {
    var elements: [BusValue] = []
    for (key, value) in entries {
      elements.append(try entry(text(key), variant(value)))
    }
    return try array(of: "{sv}", elements)
  }

  private func entry(_ key: BusValue, _ value: BusValue) throws(BusFailure) -> BusValue {
    unsafe try BusValue(
      sinking: unsafe functions.g_variant_new_dict_entry?(key.variant, value.variant), self)
  }
}
