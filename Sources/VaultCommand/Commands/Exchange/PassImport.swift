import FoundationEssentials
import VaultCredentials
package import VaultSealing
import VaultStorage

/// The folder of `pass`: a file for each secret, opened by gpg; ``PassEntry`` says what is in it.
package enum PassImport {
  private static let suffix = ".gpg"

  static func read(_ path: String) throws -> ImportReading {
    guard let names = try? FileManager.default.subpathsOfDirectory(atPath: path).sorted() else {
      throw ImportFormat.unreadable("it is not a folder")
    }
    var reading = ImportReading()
    let progress = ProgressLine("opening file")
    for (number, name) in names.enumerated()
    where !name.parts(at: "/").contains(where: { $0.begins(with: ".") }) {
      progress.show(number, of: names.count)
      let file = "\(path)/\(name)"
      var isFolder = false
      guard FileManager.default.fileExists(atPath: file, isDirectory: &isFolder), !isFolder else {
        continue
      }
      guard name.ends(with: suffix) else {
        reading.lose(name, "it is not a .gpg file")
        continue
      }
      let run = try ChildProgram.runInstalled(
        ["gpg", "--quiet", "--decrypt", "--", file], input: .inherited)
      guard run.isSuccess else {
        reading.lose(name, "gpg could not open it")
        continue
      }
      reading.items.append(try item(String(name.dropLast(suffix.count)), run.output))
    }
    return reading
  }

  /// What a decrypted file holds: ``PassEntry``.
  package static func item(_ name: String, _ secret: SecretBytes) throws -> ImportedItem {
    let entry = try PassEntry(file: secret)
    var item = ImportedItem(origin: name, name: name, main: entry.main)
    item.fields = entry.fields
    item.mayBeEmpty = true
    if PassEntry.isPEM(secret) {
      item.kind = .certificate
    } else if PassEntry.isWhole(secret) {
      item.kind = .secret
    }
    return item
  }
}
