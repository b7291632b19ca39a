import TestSupport
import Testing
import VaultSync
import VaultSyncEngines

/// Addresses of feeds.
struct FeedAddressTests {
  private func address(_ text: String) throws -> String {
    try FeedAddress(typed: text, in: "/home/me").text
  }

  @Test func whatIsAnAddress() throws {
    let home = try TemporaryHome()
    for (typed, text) in [
      ("https://www.example.org/vault/feed", "https://www.example.org/vault/feed"),
      ("https://www.example.org:8443/feed", "https://www.example.org:8443/feed"),
      ("http://127.0.0.1:8000/feed", "http://127.0.0.1:8000/feed"),
      ("http://[::1]:8000/feed", "http://[::1]:8000/feed"),
      ("http://localhost/feed", "http://localhost/feed"),
      ("file:///srv/vault/feed", "file:///srv/vault/feed"),
      ("/srv/vault/feed", "file:///srv/vault/feed"), ("x/feed", "file:///home/me/x/feed"),
      (home.path, "file://\(home.path)/feed"),
    ] {
      #expect(try address(typed) == text)
      #expect(FeedAddress(remembered: "feed+\(text)")?.text == text)
      #expect(StoreAddress(remembered: "feed+\(text)").kind == .feed)
      #expect(StoreAddress(remembered: "feed+\(text)").shown == text)
    }
  }

  @Test(arguments: [
    "", "http://www.example.org/feed", "http://127.0.0.1.example.org/feed",
    "http://localhost.example.org/feed", "https://me:secret@example.org/feed",
    "https://me@example.org/feed", "https://example.org/feed?token=1", "https://example.org/feed#x",
    "https://example.org", "https://example.org/", "https:///feed", "https://-x/feed",
    "https://example.org:0/feed", "https://example.org:x/feed", "ftp://example.org/feed",
    "https://example.org/\u{1b}feed", "https://example.org/a feed", "file://relative/feed",
    "ext::sh -c x", "https://ex\u{e4}mple.org/feed",
  ])
  func whatIsNone(_ text: String) {
    let error = #expect(throws: SyncError.self) { try address(text) }
    #expect(error?.code == .notAllowed)
  }
}
