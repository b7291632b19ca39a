import Testing
import VaultBrowser

/// Which login is for which page: no other host, however it looks, and never from https to http.
struct SiteAddressTests {
  private func matches(_ item: String, _ page: String) -> Bool {
    guard let item = SiteAddress(item: item), let page = SiteAddress(page: page) else {
      return false
    }
    return item.exactness(for: page) != nil
  }

  @Test(arguments: [
    ("https://bank.example", "https://bank.example/"),
    ("https://bank.example/", "https://bank.example/login?next=/#top"),
    ("bank.example", "https://bank.example/login"),
    ("https://BANK.example", "https://bank.example/"),
    // What is in a query or a fragment says nothing of the place.
    ("https://bank.example", #"https://bank.example/login?next=\x"#),
    ("https://bank.example", #"https://bank.example#a\b c"#),
    ("https://bank.example", "https://bank.example:8443/"),
    ("https://bank.example:443", "https://bank.example/"),
    ("https://bank.example/app", "https://bank.example/app"),
    ("https://bank.example/app/", "https://bank.example/app/login"),
    ("http://router.example", "http://router.example/"),
    ("http://router.example", "https://router.example/"),
    ("http://[::1]:8080", "http://[::1]:8080/x"),
    ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example/"),
  ])
  func aPageOfTheItemMatches(item: String, page: String) { #expect(matches(item, page)) }

  @Test(arguments: [
    // Another host, however it looks.
    ("https://bank.example", "https://bank.example.evil.test/"),
    ("https://bank.example", "https://evil.test/bank.example"),
    ("https://bank.example", "https://evil.test/?https://bank.example/"),
    ("https://bank.example", "https://bank.example@evil.test/"),
    ("https://bank.example", "https://bank.example:443@evil.test/"),
    ("https://bank.example", "https://evil.test#@bank.example/"),
    ("https://bank.example", "https://evil.test?@bank.example/"),
    ("https://bank.example", "https://evil.test\\@bank.example/"),
    ("https://bank.example", "https://www.bank.example/"),
    ("https://www.bank.example", "https://bank.example/"),
    ("https://bank.example", "https://xbank.example/"),
    ("https://bank.example", "https://bank.example./"),
    ("https://bank.example", "https://bаnk.example/"),
    ("https://bank.example", "https://xn--bnk-6cd.example/"),
    ("https://bücher.example", "https://xn--bcher-kva.example/"),
    ("https://bank.example", "https://bank%2eexample/"),
    ("https://bank.example", "https:// bank.example/"),
    ("https://bank.example", "https://bank.example\u{0}.evil.test/"),
    ("https://github.io", "https://somebody.github.io/"),
    // No fall from https, and no other scheme.
    ("https://bank.example", "http://bank.example/"),
    ("bank.example", "http://bank.example/"),
    ("https://bank.example", "ftp://bank.example/"),
    ("https://bank.example", "file:///bank.example"),
    ("https://bank.example", "javascript://bank.example/%0aalert(1)"),
    ("https://bank.example", "moz-extension://bank.example/"),
    // Another port, another path.
    ("https://bank.example:8443", "https://bank.example/"),
    ("http://router.example:80", "https://router.example/"),
    ("https://bank.example/app", "https://bank.example/"),
    ("https://bank.example/app", "https://bank.example/apple"),
    ("https://bank.example/app", "https://bank.example/app/../other"),
    ("https://bank.example/app", "https://bank.example/app/%2E%2e/other"),
    // None at all.
    ("https://", "https://bank.example/"),
    ("https://bank.example:0", "https://bank.example/"),
    ("https://bank.example:99999", "https://bank.example/"),
    ("{REF:A@I:0123}", "https://bank.example/"),
    ("https://{REF:A@I:0123}", "https://bank.example/"),
  ])
  func anotherPageDoesNot(item: String, page: String) { #expect(!matches(item, page)) }

  @Test func theAttributesOfOtherProgramsAreAnAddress() {
    let full = SiteAddress(attributes: [
      "server": "git.example", "protocol": "https", "port": "8443", "path": "team",
    ])
    #expect(full == SiteAddress(item: "https://git.example:8443/team"))
    #expect(SiteAddress(attributes: ["server": "git.example"])?.scheme == .https)
    #expect(SiteAddress(attributes: ["server": "https://index.docker.io/v1/"])?.path == "/v1")
    #expect(SiteAddress(attributes: ["server": "git.example", "protocol": "ssh"]) == nil)
    #expect(SiteAddress(attributes: ["protocol": "https"]) == nil)
  }

  @Test func theMoreExactAddressComesFirst() throws {
    let page = try #require(SiteAddress(page: "https://bank.example/app/login"))
    let order = [
      "http://bank.example", "https://bank.example", "https://bank.example:443",
      "https://bank.example/app", "https://bank.example:443/app",
    ].map { SiteAddress(item: $0)?.exactness(for: page) ?? -1 }
    #expect(order == order.sorted() && Set(order).count == order.count && order[0] >= 0)
  }

  @Test func anOriginHasNoUsualPort() {
    #expect(SiteAddress(page: "https://a.example:443/x")?.origin == "https://a.example")
    #expect(SiteAddress(page: "http://a.example:443/x")?.origin == "http://a.example:443")
  }
}
