public import VaultSealing
import VaultStorage

/// A format of another program's export.
///
/// ```swift
/// let reading = try ImportFormat.bitwarden.read(Array(Data(contentsOf: file)))
/// for loss in reading.losses { print("not taken: \(loss.origin): \(loss.reason)") }
/// ```
public enum ImportFormat: String, CaseIterable, Sendable {
  /// A table of 1Password 8: CSV.
  case onePassword = "1password"
  /// Bitwarden's unencrypted JSON.
  case bitwarden
  /// KeePassXC: KeePass 2's XML.
  case keepassxc
  /// A table of LastPass: CSV.
  case lastPass = "lastpass"
  /// A table of Dashlane's archive: CSV.
  case dashlane
  /// Proton Pass's unencrypted JSON.
  case protonPass = "protonpass"
  /// 1Password's unencrypted archive, 1PUX: its file `export.data`.
  case onePUX = "1pux"
  /// A table of Apple Passwords: CSV.
  case apple
  /// A table of Chrome: CSV.
  case chrome
  /// A table of Firefox: CSV.
  case firefox
  /// A table whose columns have the usual names; ``read(table:columns:)`` takes any other.
  case csv
  /// Keeper's JSON, or its table without headings.
  case keeper
  /// RoboForm's table.
  case roboform
  /// Enpass's JSON.
  case enpass
  /// Aegis' plain JSON.
  case aegis
  /// 2FAS' backup without a password.
  case twoFAS = "2fas"
  /// andOTP's plain JSON.
  case andOTP = "andotp"
  /// Addresses of one-time codes, one a line; also Google Authenticator's.
  case otpauth
  /// A `.env` file.
  case dotenv
  /// The JSON that this software exports, or an object of names and texts.
  case json

  /// Reads a file of this format.
  ///
  /// An export is in clear, so its bytes and texts pass through ordinary memory; the secrets of the
  /// result are in locked memory.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - decompress: Unpacks gzip data, in which KeePass keeps attachments; returns `nil` if it
  ///     cannot. Without it, packed attachments are losses.
  ///   - attachment: Returns a file of 1Password's archive by its path there, or `nil`. Without it,
  ///     documents are losses.
  /// - Returns: The items of the file, and whatever could not be taken.
  /// - Throws: ``ExchangeError`` with code `.unreadable` or `.encrypted`; `SealingError` with code
  ///   `.outOfMemory`.
  public func read(
    _ bytes: [UInt8], decompress: @escaping (SecretBytes) throws -> SecretBytes? = { _ in nil },
    attachment: @escaping (String) throws -> SecretBytes? = { _ in nil }
  ) throws -> ImportReading {
    // XML says itself how it is written.
    if self == .keepassxc { return try KeePassImport(decompress: decompress).read(bytes) }
    let (text, remark) = try SourceText.utf8(bytes)
    var reading = try read(text: text, attachment: attachment)
    if let remark { reading.note("the file", remark) }
    return reading
  }

  private func read(
    text bytes: [UInt8], attachment: @escaping (String) throws -> SecretBytes?
  ) throws -> ImportReading {
    switch self {
    case .onePassword, .chrome, .firefox, .apple: try CSVImport().read(bytes)
    case .csv: try CSVImport(keepsSlashes: true).read(bytes)
    case .keeper: try KeeperImport.read(bytes)
    case .roboform: try CSVImport(.roboForm).read(bytes)
    case .enpass: try EnpassImport.read(bytes)
    case .aegis: try AuthenticatorImport.aegis.read(bytes)
    case .twoFAS: try AuthenticatorImport.twoFAS.read(bytes)
    case .andOTP: try AuthenticatorImport.andOTP.read(bytes)
    case .lastPass: try CSVImport(.lastPass).read(bytes)
    case .dashlane: try CSVImport(.dashlane).read(bytes)
    case .protonPass: try ProtonPassImport.read(bytes)
    case .onePUX: try OnePUXImport(attachment: attachment).read(bytes)
    case .otpauth: try OTPAuthImport.read(bytes)
    case .bitwarden: try BitwardenImport.read(bytes)
    case .json: try JSONImport.read(bytes)
    case .dotenv: try DotenvImport.read(bytes)
    case .keepassxc: throw ExchangeError.unreadable("it is not text")
    }
  }

  /// Reads a table of passwords of any program.
  ///
  /// - Parameters:
  ///   - table: CSV, as RFC 4180 has it; also with semicolons or tabs between the fields.
  ///   - columns: The meaning of the columns; `nil` if they have the usual names. Columns that are
  ///     not described become fields with the names of their headings.
  /// - Returns: The items of the file, and whatever could not be taken.
  /// - Throws: ``ExchangeError`` with code `.unreadable`, or `.invalidRequest` if the table has not
  ///   the described columns; `SealingError` with code `.outOfMemory`.
  public static func read(table: [UInt8], columns: TableColumns? = nil) throws -> ImportReading {
    let (text, remark) = try SourceText.utf8(table)
    var reading = try CSVImport(columns: columns, keepsSlashes: columns != nil).read(text)
    if let remark { reading.note("the file", remark) }
    return reading
  }
}

extension JSONValue {
  /// Reads a document, with one member of each name.
  ///
  /// - Returns: The document, and the paths of repeated members, which are not in it.
  static func document(_ bytes: [UInt8]) throws -> (value: JSONValue, repeated: [String]) {
    do {
      return try JSONValue.parse(bytes).removingRepeatedMembers()
    } catch {
      // A file of Windows or an old program, whose letters are bytes of another encoding.
      guard String(validating: bytes, as: UTF8.self) != nil else { throw SourceText.notUTF8() }
      throw ExchangeError.unreadable(error.message)
    }
  }
}
