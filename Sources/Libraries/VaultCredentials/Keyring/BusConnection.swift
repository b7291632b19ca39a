import CVaultSecret

/// A connection of our own to the session bus.
///
/// Not the process-wide one that GLib keeps: that one ends the process when the bus goes, and would
/// be shared with the host program's.
// @unchecked: GDBusConnection is safe to use from any thread (gio reference); the pointer never
// changes.
@safe final class BusConnection: @unchecked Sendable {
  let library: LibSecret
  let messages: MessageGuard
  let pointer: OpaquePointer

  /// Connects and says hello.
  init(address: String, during call: KeyringCall) throws {
    library = call.library
    messages = MessageGuard()
    let flags = UInt32(cvault_bus_authentication_client | cvault_bus_message_bus_connection)
    var error: UnsafeMutablePointer<cvault_error>?
    guard
      let connection = unsafe library.functions.g_dbus_connection_new_for_address_sync?(
        address, flags, nil, call.cancellable.pointer, &error)
    else {
      // Whatever it was, there is no bus to talk to: no socket, no answer, refused.
      _ = unsafe library.failure(error)
      throw KeyringError(.deadBus)
    }
    unsafe pointer = unsafe connection
    unsafe library.functions.g_dbus_connection_set_exit_on_close?(connection, 0)
    addGuard()
  }

  deinit { unsafe library.functions.g_object_unref?(UnsafeMutableRawPointer(pointer)) }

  var isClosed: Bool { unsafe library.functions.g_dbus_connection_is_closed?(pointer) != 0 }

  /// Makes one call and waits for its reply, which has the type `reply`.
  func call(
    _ destination: String, _ path: String, _ interface: String, _ method: String,
    _ arguments: [BusValue] = [], reply: String, during call: KeyringCall
  ) throws -> BusValue {
    let arguments = try library.tuple(arguments)
    let replyType = unsafe library.functions.g_variant_type_new?(reply)
    defer { unsafe library.functions.g_variant_type_free?(replyType) }
    var error: UnsafeMutablePointer<cvault_error>?
    let result = unsafe library.functions.g_dbus_connection_call_sync?(
      pointer, destination, path, interface, method, arguments.variant, replyType,
      UInt32(cvault_call_no_auto_start), call.deadline.remainingMilliseconds,
      call.cancellable.pointer, &error)
    withExtendedLifetime(arguments) {}
    guard let result = unsafe result else { throw unsafe library.failure(error) }
    return unsafe BusValue(owning: result, library)
  }

  // MARK: The guard

  private final class Watch {
    let library: LibSecret
    let messages: MessageGuard

    init(_ library: LibSecret, _ messages: MessageGuard) {
      self.library = library
      self.messages = messages
    }
  }

  private func addGuard() {
    let watch = unsafe Unmanaged.passRetained(Watch(library, messages))
    _ = unsafe library.functions.g_dbus_connection_add_filter?(
      pointer,
      { _, message, isIncoming, watch in
        guard let message = unsafe message, let watch = unsafe watch else { return nil }
        let known = unsafe Unmanaged<Watch>.fromOpaque(watch).takeUnretainedValue()
        return unsafe BusConnection.inspect(message, isIncoming: isIncoming != 0, known)
      }, watch.toOpaque(),
      { watch in
        if let watch = unsafe watch { unsafe Unmanaged<Watch>.fromOpaque(watch).release() }
      })
  }

  /// Hands the message on, or another one in its place; the caller's reference goes with it.
  private static func inspect(
    _ message: OpaquePointer, isIncoming: Bool, _ watch: Watch
  ) -> OpaquePointer? {
    let functions = watch.library.functions
    let type = unsafe functions.g_dbus_message_get_message_type?(message) ?? 0
    switch Int(type) {
    case cvault_message_method_call where !isIncoming:
      guard unsafe text(functions.g_dbus_message_get_member?(message)) == "OpenSession" else {
        break
      }
      let algorithm = unsafe body(of: message, watch)?.part(0)?.text ?? ""
      let serial = unsafe functions.g_dbus_message_get_serial?(message) ?? 0
      watch.messages.sent(sessionCall: serial, algorithm: algorithm)
    case cvault_message_method_return where isIncoming:
      let serial = unsafe functions.g_dbus_message_get_reply_serial?(message) ?? 0
      guard let algorithm = watch.messages.algorithm(ofReplyTo: serial),
        !MessageGuard.isUsable(unsafe body(of: message, watch), algorithm: algorithm)
      else { break }
      watch.messages.refusedSession()
      return unsafe asError(message, watch)
    case cvault_message_signal where isIncoming:
      switch unsafe text(functions.g_dbus_message_get_member?(message)) {
      case "Completed":
        guard let path = unsafe text(functions.g_dbus_message_get_path?(message)) else { break }
        watch.messages.promptCompleted(path, body: unsafe body(of: message, watch))
      case "NameOwnerChanged":
        let names = unsafe body(of: message, watch)?.texts ?? []
        if names.count == 3, names[2].isEmpty { watch.messages.lost(names[0]) }
      default: break
      }
    default: break
    }
    return unsafe message
  }

  private static func asError(_ message: OpaquePointer, _ watch: Watch) -> OpaquePointer? {
    let functions = watch.library.functions
    // A received message is locked against changes; its copy is not.
    guard let copy = unsafe functions.g_dbus_message_copy?(message, nil) else {
      unsafe functions.g_object_unref?(UnsafeMutableRawPointer(message))
      return nil
    }
    unsafe functions.g_object_unref?(UnsafeMutableRawPointer(message))
    unsafe functions.g_dbus_message_set_message_type?(copy, UInt32(cvault_message_error))
    unsafe functions.g_dbus_message_set_error_name?(copy, MessageGuard.unusableReply)
    unsafe functions.g_dbus_message_set_body?(copy, nil)
    return unsafe copy
  }

  private static func body(of message: OpaquePointer, _ watch: Watch) -> BusValue? {
    guard let body = unsafe watch.library.functions.g_dbus_message_get_body?(message) else {
      return nil
    }
    return unsafe try? BusValue(sinking: body, watch.library)
  }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
    unsafe pointer.map { unsafe String(cString: $0) }
  }
}
