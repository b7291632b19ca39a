import CVaultCurl
import Glibc
import VaultSync

/// libcurl, opened when an engine first needs it.
// @unchecked: the table is filled before init returns, and never changes.
@safe final class CurlLibrary: @unchecked Sendable {
  let functions: cvault_curl

  /// In this order: the first one is there wherever git is.
  private static let names = ["libcurl-gnutls.so.4", "libcurl.so.4"]
  private static let shared = names.lazy.compactMap { CurlLibrary($0) }.first

  /// The library.
  ///
  /// - Throws: `SyncError` with code `.unavailable` where it is not installed.
  static func open() throws -> CurlLibrary {
    guard let shared else {
      throw SyncError(
        .unavailable, "the library libcurl is missing, and a store over HTTP needs it",
        hint: "install libcurl3-gnutls (Debian, Ubuntu) or libcurl (Fedora)")
    }
    return shared
  }

  private init?(_ name: String) {
    guard let handle = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else { return nil }
    var table = cvault_curl()
    guard unsafe cvault_curl_resolve(handle, &table) != 0,
      table.curl_global_init(Int(cvault_curl_global_all.rawValue)) == 0
    else { return nil }
    functions = table
  }
}
