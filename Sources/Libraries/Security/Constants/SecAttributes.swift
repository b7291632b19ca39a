// MARK: - Attributes

/// The account.
public let kSecAttrAccount: CFString = "acct"
/// The service, of a generic password.
public let kSecAttrService: CFString = "svce"
/// The server, of an internet password.
public let kSecAttrServer: CFString = "srvr"
/// The security domain, of an internet password.
public let kSecAttrSecurityDomain: CFString = "sdmn"
/// The protocol, of an internet password.
public let kSecAttrProtocol: CFString = "ptcl"
/// How one logs in, of an internet password.
public let kSecAttrAuthenticationType: CFString = "atyp"
/// The port, of an internet password.
public let kSecAttrPort: CFString = "port"
/// The path, of an internet password.
public let kSecAttrPath: CFString = "path"
/// The label that people see.
public let kSecAttrLabel: CFString = "labl"
/// The kind of item, in words.
public let kSecAttrDescription: CFString = "desc"
/// What people note: the item's note.
public let kSecAttrComment: CFString = "icmt"
/// Bytes of the program's own, of a generic password.
public let kSecAttrGeneric: CFString = "gena"
/// Who made it: a number of four characters.
public let kSecAttrCreator: CFString = "crtr"
/// Its type: a number of four characters.
public let kSecAttrType: CFString = "type"
/// Whether it is not to be shown.
public let kSecAttrIsInvisible: CFString = "invi"
/// Whether it says that there is no password.
public let kSecAttrIsNegative: CFString = "nega"
/// When it was made: set by the vault.
public let kSecAttrCreationDate: CFString = "cdat"
/// When it was changed: set by the vault.
public let kSecAttrModificationDate: CFString = "mdat"
/// Who has access, on a Mac: not implemented here.
public let kSecAttrAccess: CFString = "acls"
/// Under which conditions it may be used: see ``SecAccessControl``.
public let kSecAttrAccessControl: CFString = "accc"
/// Whose it is, besides this program's.
public let kSecAttrAccessGroup: CFString = "agrp"
/// The access group of tokens.
public let kSecAttrAccessGroupToken: CFString = "com.apple.token"
/// Whether it goes to the person's other devices: kept, and matched.
public let kSecAttrSynchronizable: CFString = "sync"
/// Whether or not it goes to other devices.
public let kSecAttrSynchronizableAny: CFString = "syna"
/// A hint for synchronizing: not used here.
public let kSecAttrSyncViewHint: CFString = "vwht"
/// What finds the item again.
public let kSecAttrPersistentReference: CFString = "persistref"
/// A token: not implemented here.
public let kSecAttrTokenID: CFString = "tkid"
/// When it can be read: kept, and matched.
public let kSecAttrAccessible: CFString = "pdmn"

// MARK: - When an item can be read

/// While the device is unlocked: what is meant where nothing is said.
public let kSecAttrAccessibleWhenUnlocked: CFString = "ak"
/// Once the device was unlocked.
public let kSecAttrAccessibleAfterFirstUnlock: CFString = "ck"
/// Always.
public let kSecAttrAccessibleAlways: CFString = "dk"
/// While it is unlocked, if it has a passcode, on this device.
public let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = "akpu"
/// While it is unlocked, on this device.
public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = "aku"
/// Once it was unlocked, on this device.
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku"
/// Always, on this device.
public let kSecAttrAccessibleAlwaysThisDeviceOnly: CFString = "dku"

// MARK: - Attributes of keys

/// The class of a key.
public let kSecAttrKeyClass: CFString = "kcls"
/// The label of a key for programs.
public let kSecAttrApplicationLabel: CFString = "klbl"
/// The tag of a key.
public let kSecAttrApplicationTag: CFString = "atag"
/// The algorithm of a key.
public let kSecAttrKeyType: CFString = "type"
/// The size of a key.
public let kSecAttrKeySizeInBits: CFString = "bsiz"
/// The effective size of a key.
public let kSecAttrEffectiveKeySize: CFString = "esiz"
/// Whether a key is stored.
public let kSecAttrIsPermanent: CFString = "perm"
/// The subject of a certificate.
public let kSecAttrSubject: CFString = "subj"
/// The issuer of a certificate.
public let kSecAttrIssuer: CFString = "issr"
/// The number of a certificate.
public let kSecAttrSerialNumber: CFString = "slnr"
