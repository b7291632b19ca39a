import Glibc
import VaultStorage

/// A text file whose keys and values are a layer: `DOMAIN.toml` or `DOMAIN.json` in
/// `XDG_CONFIG_HOME`.
package struct TextLayer: Sendable {
  /// The folder.
  package let folder: String
  /// The file's names, the first one that is there counts.
  package let names: [String]
  /// The values of the last state that could be read.
  package private(set) var values: [String: FileValue] = [:]
  /// Why the file as it is now could not be read.
  package private(set) var problem: PreferenceError?

  /// `nil` where there is no folder for it, or the domain's name is a path.
  ///
  /// - Parameters:
  ///   - domain: The domain.
  ///   - environment: Returns the variables.
  package init?(
    of domain: String, environment: (String) -> String? = StoreLocation.variable
  ) {
    guard !domain.utf8.contains(0x2f), !domain.utf8.contains(0), !domain.isEmpty,
      let folder = try? StoreLocation.configuration(environment)
    else { return nil }
    self.folder = folder
    names = ["\(domain).toml", "\(domain).json"]
  }

  /// The file that is there; the first name, if there is none.
  package var path: String {
    "\(folder)/\(names.first { UserFile.exists("\(folder)/\($0)") } ?? names[0])"
  }

  /// Reads the file again.
  ///
  /// A state that cannot be read changes nothing but ``problem``.
  ///
  /// - Returns: Whether the values are others now.
  @discardableResult
  package mutating func read() -> Bool {
    let before = values
    do throws(PreferenceError) {
      guard let directory = try PreferenceFileDirectory(folder) else {
        values = [:]
        problem = nil
        return !before.isEmpty
      }
      var found: [String: FileValue] = [:]
      for name in names {
        guard let bytes = try directory.text(of: name) else { continue }
        let path = "\(folder)/\(name)"
        found = try Self.values(bytes, path).mapValues { FileValue(value: $0, file: path) }
        break
      }
      values = found
      problem = nil
    } catch {
      problem = error
    }
    return values != before
  }

  /// The keys and values of a file.
  ///
  /// - Throws: ``PreferenceError`` with code `.syntax`, with the path and the line.
  package static func values(
    _ bytes: [UInt8], _ path: String
  ) throws(PreferenceError) -> [String: PreferenceValue] {
    do throws(PreferenceError) {
      let value = try path.ends(with: ".json") ? JSONText.parse(bytes) : TOMLText.parse(bytes)
      guard case .dictionary(let entries) = value else {
        throw PreferenceError(.syntax, "this is not an object of keys and values")
      }
      return entries
    } catch {
      throw PreferenceError(
        .syntax, "\(path): \(placed(error.message, bytes))", underlying: error)
    }
  }

  /// A message with a line in the place of a byte.
  private static func placed(_ message: String, _ bytes: [UInt8]) -> String {
    let words = message.parts(at: " ").map(String.init)
    guard let place = words.lastIndex(of: "byte"), place + 1 < words.count,
      let byte = Int(words[place + 1])
    else { return message }
    let line = bytes.prefix(byte).filter { $0 == 0x0a }.count + 1
    return words[..<place].joined(separator: " ") + " line \(line)"
  }
}

extension PreferenceFileDirectory {
  /// The bytes of a file that the user or root has written; `nil` if there is none.
  ///
  /// - Throws: ``PreferenceError`` with code `.storage`, also for a file that others may write.
  func text(of name: String) throws(PreferenceError) -> [UInt8]? {
    do {
      return try bytes(of: name, from: .anyoneTrusted)
    } catch let error as System.Failure {
      if error.errno == ENOENT { return nil }
      throw PreferenceError(.storage, "cannot read \(path)/\(name): \(error.reason)")
    } catch {
      throw PreferenceError(wrapping: error)
    }
  }
}
