import VaultStorage

/// What a server is trusted by, and this machine's own certificate.
package struct TLSFiles: Sendable, Equatable {
  /// The roots; `nil` for those of the system.
  package var roots: String?
  /// This machine's certificate and its key.
  package var certificate: String?
  package var key: String?

  package init(roots: String? = nil, certificate: String? = nil, key: String? = nil) {
    self.roots = roots
    self.certificate = certificate
    self.key = key
  }

  /// The roots of the system: Debian's place, then Fedora's.
  private static let systemRoots = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
  ]

  /// The file of the roots.
  ///
  /// The environment names none: it may be anybody's.
  package var rootsFile: String {
    roots ?? Self.systemRoots.first { UserFile.exists($0) } ?? Self.systemRoots[0]
  }
}
