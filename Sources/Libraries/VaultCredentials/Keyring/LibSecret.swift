import CVaultSecret
import Glibc

/// libsecret, and the GLib that it stands on, opened when first needed.
///
/// Its functions are reached through this table alone; nothing here is linked, so that a program
/// starts where libsecret is not installed.
// @unchecked: the table is filled before init returns, and never changes.
@safe final class LibSecret: @unchecked Sendable {
  /// The functions; every one is there.
  let functions: cvault_secret
  /// The type of our proxies to the service.
  let serviceType: cvault_gtype

  private static let standardName = "libsecret-1.so.0"
  private static let standard = LibSecret(name: standardName)

  /// The library, opened on the first call.
  static func open(name: String) throws(KeyringError) -> LibSecret {
    guard let library = name == standardName ? standard : LibSecret(name: name) else {
      throw KeyringError(.libraryMissing)
    }
    return library
  }

  private init?(name: String) {
    let hasGLib = unsafe dlopen("libglib-2.0.so.0", RTLD_NOLOAD | RTLD_LAZY) != nil
    // Never closed: GLib's types cannot be unregistered.
    guard let handle = unsafe dlopen(name, RTLD_LAZY | RTLD_LOCAL) else { return nil }
    var table = cvault_secret()
    guard unsafe cvault_secret_resolve(handle, &table) != 0 else { return nil }
    functions = table
    guard let type = Self.serviceType(table) else { return nil }
    serviceType = type
    silence(hostUsesGLib: hasGLib)
  }

  /// A subclass of SecretService that takes the connection it is given.
  ///
  /// SecretService's own constructor overwrites what it was given by "the process-wide session bus,
  /// under the well-known name": that connection may belong to the host program, and would start a
  /// service unasked. The subclass is constructed as any other object is.
  private static func serviceType(_ functions: cvault_secret) -> cvault_gtype? {
    let name = "VaultSecretService"
    if let known = unsafe functions.g_type_from_name?(name), known != 0 { return known }
    let parent = functions.secret_service_get_type?() ?? 0
    // The sizes are those of the library that was opened, not of headers.
    var sizes = unsafe cvault_type_query()
    unsafe functions.g_type_query?(parent, &sizes)
    let type = unsafe functions.g_type_register_static_simple?(
      parent, name, sizes.class_size, nil, sizes.instance_size, nil, 0)
    // Both references are kept: a class that is in use does not go.
    guard let type, type != 0, let own = functions.g_type_class_ref?(type),
      let plain = functions.g_type_class_ref?(cvault_gtype(cvault_type_object))
    else { return nil }
    unsafe own.assumingMemoryBound(to: cvault_object_class.self).pointee.constructor =
      plain.assumingMemoryBound(to: cvault_object_class.self).pointee.constructor
    return type
  }

  /// Keeps GLib's warnings off stderr: what they would say is returned as an error.
  ///
  /// A host that uses GLib itself keeps its own handlers; only libsecret's domain is quiet then.
  private func silence(hostUsesGLib: Bool) {
    let quiet: cvault_log = { _, _, _, _ in }
    if hostUsesGLib {
      let all: cvault_log_levels = ~0
      _ = unsafe functions.g_log_set_handler?("libsecret", all, quiet, nil)
    } else {
      _ = unsafe functions.g_log_set_default_handler?(quiet, nil)
    }
  }

  /// Takes over an error of GLib's: its parts are copied before anything else is called.
  func failure(_ error: UnsafeMutablePointer<cvault_error>?) -> BusFailure {
    guard let error = unsafe error else { return BusFailure(.unusable) }
    defer { unsafe functions.g_error_free?(error) }
    if let name = unsafe functions.g_dbus_error_get_remote_error?(error) {
      defer { unsafe functions.g_free?(name) }
      return BusFailure(remoteError: unsafe String(cString: name))
    }
    let domain = unsafe functions.g_quark_to_string?(error.pointee.domain)
    return BusFailure(
      domain: unsafe domain.map { unsafe String(cString: $0) } ?? "",
      code: unsafe error.pointee.code)
  }
}

/// Stops a call of GLib's from another thread.
// @unchecked: GCancellable is safe to use from any thread (gio reference); the pointer never
// changes.
@safe final class Cancellable: @unchecked Sendable {
  let library: LibSecret
  let pointer: OpaquePointer?

  init(_ library: LibSecret) {
    self.library = library
    unsafe pointer = library.functions.g_cancellable_new?()
  }

  deinit { unsafe library.functions.g_object_unref?(UnsafeMutableRawPointer(pointer)) }

  func cancel() { unsafe library.functions.g_cancellable_cancel?(pointer) }
}
