import CVaultSecret
import VaultSealing

/// A session with the service, in which secrets travel: libsecret's part.
// @unchecked: SecretService guards its session with a mutex of its own; the pointer never changes.
@safe final class SecretSession: @unchecked Sendable {
  /// Beyond this a reply is not taken for a secret; an item of ours has at most 1 MiB.
  static let maximumSecret = 64 << 20

  private let bus: BusConnection
  private let service: OpaquePointer
  /// Whether secrets are encrypted on the bus.
  let isEncrypted: Bool
  /// The session's object on the bus.
  let path: String

  /// Opens a session; encrypted where the service offers it.
  ///
  /// The proxy is bound to the owner's unique name: it asks nothing of the bus, and a program that
  /// takes the well-known name later is not talked to.
  init(_ bus: BusConnection, owner: String, during call: KeyringCall) throws {
    let functions = bus.library.functions
    guard let service = unsafe Self.proxy(bus, owner: owner) else {
      throw KeyringError(.unusableReply)
    }
    var error: UnsafeMutablePointer<cvault_error>?
    guard
      unsafe functions.g_initable_init?(
        service, call.cancellable.pointer, &error) == 1,
      unsafe functions.secret_service_ensure_session_sync?(
        service, call.cancellable.pointer, &error) == 1
    else {
      unsafe functions.g_object_unref?(UnsafeMutableRawPointer(service))
      let failure = unsafe bus.library.failure(error)
      if bus.messages.hasRefusedSession { throw BusFailure(.unusable) }
      throw failure
    }
    let algorithms = unsafe functions.secret_service_get_session_algorithms?(service)
    guard let path = unsafe functions.secret_service_get_session_dbus_path?(service) else {
      unsafe functions.g_object_unref?(UnsafeMutableRawPointer(service))
      throw BusFailure(.unusable)
    }
    self.path = unsafe String(cString: path)
    isEncrypted = unsafe algorithms.map { unsafe String(cString: $0) != "plain" } ?? false
    self.bus = bus
    unsafe self.service = unsafe service
  }

  deinit { unsafe bus.library.functions.g_object_unref?(UnsafeMutableRawPointer(service)) }

  private static func proxy(
    _ bus: BusConnection, owner: String
  ) -> OpaquePointer? {
    let functions = bus.library.functions
    let flags = UInt32(
      cvault_proxy_do_not_load_properties | cvault_proxy_do_not_connect_signals
        | cvault_proxy_do_not_auto_start)
    var values = [cvault_value](repeating: cvault_value(), count: 5)
    unsafe values.withUnsafeMutableBufferPointer { values in
      guard let first = values.baseAddress else { return }
      _ = unsafe functions.g_value_init?(first, functions.g_dbus_connection_get_type?() ?? 0)
      unsafe functions.g_value_set_object?(first, UnsafeMutableRawPointer(bus.pointer))
      _ = unsafe functions.g_value_init?(first + 1, functions.g_dbus_proxy_flags_get_type?() ?? 0)
      unsafe functions.g_value_set_flags?(first + 1, flags)
      for (index, text) in [owner, SecretServiceNames.servicePath, SecretServiceNames.service]
        .enumerated()
      {
        _ = unsafe functions.g_value_init?(first + 2 + index, cvault_gtype(cvault_type_string))
        unsafe functions.g_value_set_string?(first + 2 + index, text)
      }
    }
    defer {
      unsafe values.withUnsafeMutableBufferPointer { values in
        for index in values.indices {
          unsafe functions.g_value_unset?(values.baseAddress?.advanced(by: index))
        }
      }
    }
    // String literals of the C library's lifetime: GObject looks the names up, and keeps none.
    let names: [StaticString] = [
      "g-connection", "g-flags", "g-name", "g-object-path", "g-interface-name",
    ]
    var pointers = unsafe names.map { name in
      unsafe Optional(UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self))
    }
    return unsafe functions.g_object_new_with_properties?(
      bus.library.serviceType, 5, &pointers, values)
  }

  /// The secret as the service takes it: session, parameters, value, content type.
  func encode(_ secret: SecretBytes) throws -> BusValue {
    let library = bus.library
    let isText = secret.withBytes { Self.isText($0) }
    let value = unsafe secret.withBytes { bytes in
      unsafe bytes.withUnsafeBytes { buffer in
        // 0 bytes need a pointer too.
        var nothing: CChar = 0
        let base = unsafe buffer.bindMemory(to: CChar.self).baseAddress
        let type = isText ? "text/plain" : "application/octet-stream"
        if let base = unsafe base {
          return unsafe library.functions.secret_value_new?(base, buffer.count, type)
        }
        return unsafe library.functions.secret_value_new?(&nothing, 0, type)
      }
    }
    guard let value = unsafe value else { throw BusFailure(.invalidRequest) }
    defer { unsafe library.functions.secret_value_unref?(UnsafeMutableRawPointer(value)) }
    return unsafe try BusValue(
      taking: unsafe library.functions.secret_service_encode_dbus_secret?(service, value), library)
  }

  /// The bytes of a secret that came over the bus, straight into locked memory.
  func decode(_ reply: BusValue) throws -> SecretBytes {
    guard reply.type == "(oayays)" else { throw BusFailure(.unusable) }
    let library = bus.library
    guard
      let value = unsafe library.functions.secret_service_decode_dbus_secret?(
        service, reply.variant)
    else { throw BusFailure(.undecryptable) }
    defer { unsafe library.functions.secret_value_unref?(UnsafeMutableRawPointer(value)) }
    var count = 0
    let base = unsafe library.functions.secret_value_get?(value, &count)
    guard count <= Self.maximumSecret else { throw BusFailure(.unusable) }
    guard let base = unsafe base, count > 0 else { return try SecretBytes(copying: []) }
    return try SecretBytes(copying: unsafe RawSpan(_unsafeStart: base, byteCount: count))
  }

  /// Whether the bytes are UTF-8 without NUL: what other programs read as text.
  ///
  /// Nothing is copied.
  static func isText(_ bytes: RawSpan) -> Bool {
    unsafe bytes.withUnsafeBytes { buffer in
      let bytes = unsafe buffer.bindMemory(to: UInt8.self)
      guard unsafe !bytes.contains(0) else { return false }
      return unsafe (try? UTF8Span(validating: bytes.span)) != nil
    }
  }
}
