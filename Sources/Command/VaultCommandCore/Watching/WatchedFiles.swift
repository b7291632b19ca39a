package import VaultSealing
import VaultTerminal

/// The files of a command beside which this process stays, since its secrets are followed or its
/// output is masked: their paths stay, what is behind them may change.
package final class WatchedFiles: Sendable {
  private let files: [RunFile]
  /// Where the files with a path are; `nil` if there are none.
  private let held: HeldFiles?

  /// Makes a place for files.
  ///
  /// - Parameter files: The files that the line asks for.
  /// - Throws: `TerminalError` with code `.programMissing` or `.inputOutput`.
  package init(_ files: [RunFile]) throws {
    self.files = files
    held = files.contains { $0.use == .path } ? try HeldFiles() : nil
  }

  /// Creates the files for a start of the command.
  ///
  /// - Parameter values: The secret of each.
  /// - Returns: What is passed on by number, and the variables.
  /// - Throws: What ``RunFile/make(_:values:place:)`` throws; `TerminalError`.
  package func make(_ values: [SecretBytes]) throws -> RunFile.Made {
    try replace(values)
    let byNumber = zip(files, values).filter { $0.0.use != .path }
    let made = try RunFile.make(byNumber.map(\.0), values: byNumber.map(\.1), place: .reader)
    guard let held else { return made }
    let paths = try files.filter { $0.use == .path }.enumerated().map { index, file in
      (file.variable, try SecretBytes(copying: Array(held.path(index).utf8)))
    }
    return RunFile.Made(placements: made.placements, variables: made.variables + paths)
  }

  /// Puts new contents behind the paths.
  ///
  /// - Parameter values: The secret of each file, those without a path, too.
  /// - Throws: `TerminalError` with code `.inputOutput`.
  package func replace(_ values: [SecretBytes]) throws {
    guard let held else { return }
    // All of them exist before the first is replaced: what fails changes nothing.
    let made = try zip(files, values).filter { $0.0.use == .path }
      .map { try SealedMemoryFile.make($0.1) }
    defer { for file in made { SealedMemoryFile.close(file) } }
    for (index, file) in made.enumerated() { try held.put(file, at: index) }
  }
}
