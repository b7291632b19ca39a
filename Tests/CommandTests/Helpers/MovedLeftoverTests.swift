import Foundation
import TestSupport
import Testing

/// What a killed command leaves beside a file that it was writing, `FILE.<16 hex digits>~`, is found
/// and removed by the next one.
struct MovedLeftoverTests: ClearTextHome {
  let made: ThrowawayVault

  init() throws { made = try Self.make() }

  private static let suffix = ".0123456789abcdef~"

  private func leave(_ paths: [String]) throws {
    for path in paths { try write("c4n4ry", to: path + Self.suffix) }
  }

  @Test func theNextSweepRemovesWhatAKilledOneLeft() throws {
    try clear()
    let paths = [
      ".kube/config", ".aws/credentials", ".npmrc", ".gitconfig", ".docker/config.json", ".netrc",
    ]
    try leave(paths)
    // What only looks alike is somebody's own.
    try write("mine", to: ".npmrc.0123456789ABCDEF~")
    let dry = try made("import", "home", "--dry-run")
    for path in paths {
      #expect(dry.errors.contains("would remove \(home)/\(path)\(Self.suffix)"), "\(dry.errors)")
    }
    #expect(!dry.errors.contains("no program"), "\(dry.errors)")
    #expect(try canaries().count == paths.count)
    let audit = try made("audit", "--only", "vault", "--json").text
    #expect(audit.contains("\"left-file\"") && audit.contains(".npmrc\(Self.suffix)"), "\(audit)")
    let swept = try made("import", "home", "--yes")
    #expect(swept.status == 0 && swept.errors.contains("removed \(home)/.npmrc"), "\(swept.errors)")
    #expect(try canaries().isEmpty)
    #expect(read(".npmrc.0123456789ABCDEF~") == "mine")
    #expect(try !made("audit", "--only", "vault", "--json").text.contains("left-file"))
  }

  @Test func connectAndDisconnectRemoveItToo() throws {
    try leave([".npmrc"])
    #expect(try made("connect", "npm", "--move").status == 0)
    #expect(try !canaries().contains { $0.hasPrefix(".npmrc") })
    try leave([".npmrc"])
    #expect(try made("disconnect", "npm").status == 0)
    #expect(!FileManager.default.fileExists(atPath: "\(home)/.npmrc\(Self.suffix)"))
    try leave([".gitconfig"])
    #expect(try made("connect", "git").status == 0)
    #expect(!FileManager.default.fileExists(atPath: "\(home)/.gitconfig\(Self.suffix)"))
  }
}
