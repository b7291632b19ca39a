/// Values that Apple writes with four characters, and an item in words.
///
/// An item says `https`, as the scheme of a URL does, so that the command and other programs see
/// what they know. Documentation/keychain.md, "Attributes".
struct CodedNames: Sendable {
  private let names: [(code: String, name: String)]

  init(_ names: [(code: String, name: String)]) { self.names = names }

  /// The name that an item has for a code; `nil` if it is not one of them.
  func name(of code: String) -> String? { names.first { $0.code == code }?.name }

  /// The code for the name that an item has; `nil` if there is none.
  func code(of name: String) -> String? { names.first { $0.name == name }?.code }

  static let accessible = CodedNames([
    (kSecAttrAccessibleWhenUnlocked, "when-unlocked"),
    (kSecAttrAccessibleAfterFirstUnlock, "after-first-unlock"),
    (kSecAttrAccessibleAlways, "always"),
    (kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, "when-passcode-set-this-device-only"),
    (kSecAttrAccessibleWhenUnlockedThisDeviceOnly, "when-unlocked-this-device-only"),
    (kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, "after-first-unlock-this-device-only"),
    (kSecAttrAccessibleAlwaysThisDeviceOnly, "always-this-device-only"),
  ])

  static let protocols = CodedNames([
    (kSecAttrProtocolFTP, "ftp"), (kSecAttrProtocolFTPAccount, "ftp-account"),
    (kSecAttrProtocolHTTP, "http"), (kSecAttrProtocolIRC, "irc"),
    (kSecAttrProtocolNNTP, "nntp"), (kSecAttrProtocolPOP3, "pop3"),
    (kSecAttrProtocolSMTP, "smtp"), (kSecAttrProtocolSOCKS, "socks"),
    (kSecAttrProtocolIMAP, "imap"), (kSecAttrProtocolLDAP, "ldap"),
    (kSecAttrProtocolAppleTalk, "appletalk"), (kSecAttrProtocolAFP, "afp"),
    (kSecAttrProtocolTelnet, "telnet"), (kSecAttrProtocolSSH, "ssh"),
    (kSecAttrProtocolFTPS, "ftps"), (kSecAttrProtocolHTTPS, "https"),
    (kSecAttrProtocolHTTPProxy, "http-proxy"), (kSecAttrProtocolHTTPSProxy, "https-proxy"),
    (kSecAttrProtocolFTPProxy, "ftp-proxy"), (kSecAttrProtocolSMB, "smb"),
    (kSecAttrProtocolRTSP, "rtsp"), (kSecAttrProtocolRTSPProxy, "rtsp-proxy"),
    (kSecAttrProtocolDAAP, "daap"), (kSecAttrProtocolEPPC, "eppc"),
    (kSecAttrProtocolIPP, "ipp"), (kSecAttrProtocolNNTPS, "nntps"),
    (kSecAttrProtocolLDAPS, "ldaps"), (kSecAttrProtocolTelnetS, "telnets"),
    (kSecAttrProtocolIMAPS, "imaps"), (kSecAttrProtocolIRCS, "ircs"),
    (kSecAttrProtocolPOP3S, "pop3s"),
  ])

  static let authenticationTypes = CodedNames([
    (kSecAttrAuthenticationTypeNTLM, "ntlm"), (kSecAttrAuthenticationTypeMSN, "msn"),
    (kSecAttrAuthenticationTypeDPA, "dpa"), (kSecAttrAuthenticationTypeRPA, "rpa"),
    (kSecAttrAuthenticationTypeHTTPBasic, "basic"),
    (kSecAttrAuthenticationTypeHTTPDigest, "digest"),
    (kSecAttrAuthenticationTypeHTMLForm, "form"),
    (kSecAttrAuthenticationTypeDefault, "default"),
  ])
}
