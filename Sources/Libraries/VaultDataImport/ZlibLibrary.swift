import CVaultZlib

/// The linked zlib.
package enum ZlibLibrary {
  /// The version, such as `1.2.13`.
  package static var version: String {
    unsafe zlibVersion().map { unsafe String(cString: $0) } ?? ""
  }
}
