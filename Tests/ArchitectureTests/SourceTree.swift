import Foundation

/// The repository's files, for tests that read source.
struct SourceTree {
  private let folder: String
  /// The folders that the paths do not name, each with what lies in it: the storeys of `Sources`.
  private let storeys: [String: [String]]

  /// The sources: paths begin with the target, whichever storey it lies in.
  static let sources = SourceTree("Sources", hasStoreys: true)

  /// - Parameters:
  ///   - name: A folder of the repository, such as `Tests`.
  ///   - hasStoreys: True if the folders in it are left out of the paths.
  init(_ name: String, hasStoreys: Bool = false) {
    folder =
      URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../\(name)").standardized.path
    storeys = hasStoreys ? Self.children(of: folder) : [:]
  }

  private static func children(of folder: String) -> [String: [String]] {
    let manager = FileManager.default
    let names = ((try? manager.contentsOfDirectory(atPath: folder)) ?? []).filter {
      !$0.hasPrefix(".")
    }
    return Dictionary(
      uniqueKeysWithValues: names.map { name in
        let inside = (try? manager.contentsOfDirectory(atPath: "\(folder)/\(name)")) ?? []
        return (name, inside.filter { !$0.hasPrefix(".") })
      })
  }

  /// The targets of each storey.
  var targets: [String: [String]] { storeys }

  /// Where a file or folder of the tree is.
  func path(of file: String) -> String {
    let first = String(file.prefix { $0 != "/" })
    guard let storey = storeys.first(where: { $0.value.contains(first) })?.key else {
      return "\(folder)/\(file)"
    }
    return "\(folder)/\(storey)/\(file)"
  }

  /// The Swift files below the folder, by their paths in it, sorted; nothing that a build wrote.
  var swiftFiles: [String] {
    let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return all.filter { $0.hasSuffix(".swift") && !$0.contains(".build") }
      .map { storeys.isEmpty ? $0 : String($0.drop { $0 != "/" }.dropFirst()) }.sorted()
  }

  /// The Swift files of a target, by their paths, which begin with its name.
  func swiftFiles(of target: String) -> [String] {
    let all = FileManager.default.enumerator(atPath: path(of: target))
    return (all?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".swift") }.sorted()
      .map { "\(target)/\($0)" }
  }

  /// A file's text.
  func text(of file: String) throws -> String {
    try String(contentsOfFile: path(of: file), encoding: .utf8)
  }

  /// A file's lines, each as it is.
  func lines(of file: String) throws -> [String] {
    try text(of: file).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
