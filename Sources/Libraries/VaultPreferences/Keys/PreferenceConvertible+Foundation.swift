public import FoundationEssentials
import VaultStorage

// The command is linked without this file, and so without all that URL and Data bring with them:
// scripts/build-release.

extension Data: PreferenceConvertible {
  /// Takes bytes.
  public init?(preferenceValue: PreferenceValue) {
    guard case .data(let bytes) = preferenceValue else { return nil }
    self = Data(bytes)
  }
  /// Bytes.
  public var preferenceValue: PreferenceValue { .data([UInt8](self)) }
}

extension URL: PreferenceConvertible {
  /// Takes paths and URLs in text.
  public init?(preferenceValue: PreferenceValue) {
    guard case .string(let text) = preferenceValue else { return nil }
    self.init(preference: text)
  }
  /// A file's path, any other URL's whole text.
  public var preferenceValue: PreferenceValue { .string(preferenceText) }
}

extension URL {
  /// A file's path, any other URL's whole text.
  var preferenceText: String { isFileURL ? path : absoluteString }

  /// Reads what ``preferenceText`` wrote, and a path that begins with `~`.
  init?(preference text: String) {
    if text.hasPrefix("~"), let home = try? StoreLocation.home(),
      text == "~" || text.hasPrefix("~/")
    {
      self.init(filePath: home + text.dropFirst())
    } else if !text.hasPrefix("/"), text.contains(bytes: ":") {
      self.init(string: text)
    } else if text.isEmpty {
      return nil
    } else {
      self.init(filePath: text)
    }
  }
}
