@_exported import Security
import VaultUserDefaults

// The one file that is added: all others import Foundation, as on a Mac.
typealias UserDefaults = VaultUserDefaults.UserDefaults
typealias AppStorage = VaultUserDefaults.AppStorage
