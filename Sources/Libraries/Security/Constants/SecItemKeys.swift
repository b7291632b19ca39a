// MARK: - Classes

/// The class of an item.
public let kSecClass: CFString = "class"
/// A password for a service.
public let kSecClassGenericPassword: CFString = "genp"
/// A password for a server.
public let kSecClassInternetPassword: CFString = "inet"
/// A certificate: not implemented here.
public let kSecClassCertificate: CFString = "cert"
/// A key: not implemented here.
public let kSecClassKey: CFString = "keys"
/// A certificate with its key: not implemented here.
public let kSecClassIdentity: CFString = "idnt"

// MARK: - Values

/// The secret: `Data`.
public let kSecValueData: CFString = "v_Data"
/// An item, as ``kSecReturnRef`` returns it.
public let kSecValueRef: CFString = "v_Ref"
/// An item, as ``kSecReturnPersistentRef`` returns it.
public let kSecValuePersistentRef: CFString = "v_PersistentRef"

// MARK: - What is returned

/// Return the secret.
public let kSecReturnData: CFString = "r_Data"
/// Return the attributes, as a dictionary.
public let kSecReturnAttributes: CFString = "r_Attributes"
/// Return the item, as an object.
public let kSecReturnRef: CFString = "r_Ref"
/// Return what finds the item again, as `Data`.
public let kSecReturnPersistentRef: CFString = "r_PersistentRef"

// MARK: - How items are matched

/// How many items: ``kSecMatchLimitOne``, ``kSecMatchLimitAll`` or a number.
public let kSecMatchLimit: CFString = "m_Limit"
/// One item: what is meant where nothing is said.
public let kSecMatchLimitOne: CFString = "m_LimitOne"
/// All items, as an array.
public let kSecMatchLimitAll: CFString = "m_LimitAll"
/// Whether the case of texts does not matter.
public let kSecMatchCaseInsensitive: CFString = "m_CaseInsensitive"
/// Only these items: an array of what ``kSecReturnPersistentRef`` returned.
public let kSecMatchItemList: CFString = "m_ItemList"
/// Only these keychains: not implemented here.
public let kSecMatchSearchList: CFString = "m_SearchList"
/// Of certificates: not implemented here.
public let kSecMatchPolicy: CFString = "m_Policy"
/// Of certificates: not implemented here.
public let kSecMatchIssuers: CFString = "m_Issuers"
/// Of certificates: not implemented here.
public let kSecMatchEmailAddressIfPresent: CFString = "m_EmailAddressIfPresent"
/// Of certificates: not implemented here.
public let kSecMatchSubjectContains: CFString = "m_SubjectContains"
/// Of certificates: not implemented here.
public let kSecMatchSubjectStartsWith: CFString = "m_SubjectStartsWith"
/// Of certificates: not implemented here.
public let kSecMatchSubjectEndsWith: CFString = "m_SubjectEndsWith"
/// Of certificates: not implemented here.
public let kSecMatchSubjectWholeString: CFString = "m_SubjectWholeString"
/// Of certificates: not implemented here.
public let kSecMatchDiacriticInsensitive: CFString = "m_DiacriticInsensitive"
/// Of certificates: not implemented here.
public let kSecMatchWidthInsensitive: CFString = "m_WidthInsensitive"
/// Of certificates: not implemented here.
public let kSecMatchTrustedOnly: CFString = "m_TrustedOnly"
/// Of certificates: not implemented here.
public let kSecMatchValidOnDate: CFString = "m_ValidOnDate"

// MARK: - What is used

/// Which of a Mac's keychains: there is one here.
public let kSecUseDataProtectionKeychain: CFString = "nleg"
/// Another keychain: not implemented here.
public let kSecUseKeychain: CFString = "u_Keychain"
/// Items to search in: not implemented here.
public let kSecUseItemList: CFString = "u_ItemList"
/// Words for a prompt: not used here.
public let kSecUseOperationPrompt: CFString = "u_OpPrompt"
/// Who has answered a prompt already: not used here.
public let kSecUseAuthenticationContext: CFString = "u_AuthCtx"
/// Whether nobody may be asked.
public let kSecUseNoAuthenticationUI: CFString = "u_NoAuthUI"
/// Whether somebody may be asked.
public let kSecUseAuthenticationUI: CFString = "u_AuthUI"
/// Somebody may be asked.
public let kSecUseAuthenticationUIAllow: CFString = "u_AuthUIA"
/// Nobody is asked: ``errSecInteractionNotAllowed``.
public let kSecUseAuthenticationUIFail: CFString = "u_AuthUIF"
/// Nobody is asked: what is locked counts as not there.
public let kSecUseAuthenticationUISkip: CFString = "u_AuthUIS"
/// Which of a device's keychains: there is one here.
public let kSecUseUserIndependentKeychain: CFString = "u_UserIndependentKeychain"
/// The password of a shared web credential.
public let kSecSharedPassword: CFString = "spwd"
