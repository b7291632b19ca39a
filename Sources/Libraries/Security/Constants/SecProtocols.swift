// MARK: - Protocols

/// The protocol: FTP.
public let kSecAttrProtocolFTP: CFString = "ftp "
/// The protocol: an account of FTP.
public let kSecAttrProtocolFTPAccount: CFString = "ftpa"
/// The protocol: HTTP.
public let kSecAttrProtocolHTTP: CFString = "http"
/// The protocol: IRC.
public let kSecAttrProtocolIRC: CFString = "irc "
/// The protocol: NNTP.
public let kSecAttrProtocolNNTP: CFString = "nntp"
/// The protocol: POP3.
public let kSecAttrProtocolPOP3: CFString = "pop3"
/// The protocol: SMTP.
public let kSecAttrProtocolSMTP: CFString = "smtp"
/// The protocol: SOCKS.
public let kSecAttrProtocolSOCKS: CFString = "sox "
/// The protocol: IMAP.
public let kSecAttrProtocolIMAP: CFString = "imap"
/// The protocol: LDAP.
public let kSecAttrProtocolLDAP: CFString = "ldap"
/// The protocol: AppleTalk.
public let kSecAttrProtocolAppleTalk: CFString = "atlk"
/// The protocol: AFP.
public let kSecAttrProtocolAFP: CFString = "afp "
/// The protocol: Telnet.
public let kSecAttrProtocolTelnet: CFString = "teln"
/// The protocol: SSH.
public let kSecAttrProtocolSSH: CFString = "ssh "
/// The protocol: FTP over TLS.
public let kSecAttrProtocolFTPS: CFString = "ftps"
/// The protocol: HTTP over TLS.
public let kSecAttrProtocolHTTPS: CFString = "htps"
/// The protocol: a proxy for HTTP.
public let kSecAttrProtocolHTTPProxy: CFString = "htpx"
/// The protocol: a proxy for HTTP over TLS.
public let kSecAttrProtocolHTTPSProxy: CFString = "htsx"
/// The protocol: a proxy for FTP.
public let kSecAttrProtocolFTPProxy: CFString = "ftpx"
/// The protocol: SMB.
public let kSecAttrProtocolSMB: CFString = "smb "
/// The protocol: RTSP.
public let kSecAttrProtocolRTSP: CFString = "rtsp"
/// The protocol: a proxy for RTSP.
public let kSecAttrProtocolRTSPProxy: CFString = "rtsx"
/// The protocol: DAAP.
public let kSecAttrProtocolDAAP: CFString = "daap"
/// The protocol: remote Apple events.
public let kSecAttrProtocolEPPC: CFString = "eppc"
/// The protocol: IPP.
public let kSecAttrProtocolIPP: CFString = "ipp "
/// The protocol: NNTP over TLS.
public let kSecAttrProtocolNNTPS: CFString = "ntps"
/// The protocol: LDAP over TLS.
public let kSecAttrProtocolLDAPS: CFString = "ldps"
/// The protocol: Telnet over TLS.
public let kSecAttrProtocolTelnetS: CFString = "tels"
/// The protocol: IMAP over TLS.
public let kSecAttrProtocolIMAPS: CFString = "imps"
/// The protocol: IRC over TLS.
public let kSecAttrProtocolIRCS: CFString = "ircs"
/// The protocol: POP3 over TLS.
public let kSecAttrProtocolPOP3S: CFString = "pops"

// MARK: - Authentication types

/// How one logs in: NTLM.
public let kSecAttrAuthenticationTypeNTLM: CFString = "ntlm"
/// How one logs in: MSN.
public let kSecAttrAuthenticationTypeMSN: CFString = "msna"
/// How one logs in: distributed password authentication.
public let kSecAttrAuthenticationTypeDPA: CFString = "dpaa"
/// How one logs in: remote password authentication.
public let kSecAttrAuthenticationTypeRPA: CFString = "rpaa"
/// How one logs in: HTTP basic.
public let kSecAttrAuthenticationTypeHTTPBasic: CFString = "http"
/// How one logs in: HTTP digest.
public let kSecAttrAuthenticationTypeHTTPDigest: CFString = "httd"
/// How one logs in: a form in HTML.
public let kSecAttrAuthenticationTypeHTMLForm: CFString = "form"
/// How one logs in: the default one.
public let kSecAttrAuthenticationTypeDefault: CFString = "dflt"
