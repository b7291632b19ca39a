import VaultStorage
import VaultSync

/// What an etcd, or the way to it, says when something fails.
enum EtcdFailure: Error {
  /// Another server may answer; a call may come again. What was sent may have been done.
  case next(SyncError)
  /// The token counts no longer.
  case token
  /// The request is larger than the server takes.
  case tooLarge
  /// It is what it is.
  case final(SyncError)

  /// Of a request that has no answer.
  init(_ failure: CurlConnection.Failure, server: String) {
    let said = ": \(Quoting.visible(String(failure.message.prefix(200))))"
    // libcurl-errors(3).
    switch failure.code {
    case _ where failure.isOfCertificate:
      self = .next(
        SyncError(
          .unavailable, "\(server) shows a certificate that is not trusted\(said)",
          hint: "name the file of its roots by ?ca=; nothing was sent to it"))
    case 58:
      self = .final(
        SyncError(
          .unavailable, "the certificate or key of this machine cannot be used\(said)",
          hint: "see the files of ?cert= and ?key="))
    case 77:
      self = .final(
        SyncError(
          .unavailable, "the file of roots cannot be read\(said)", hint: "see the file of ?ca="))
    case 35, 56:
      self = .next(
        SyncError(
          .unavailable, "the connection to \(server) failed\(said)",
          hint: "it may not speak TLS, or ask for a certificate: ?cert=FILE&key=FILE"))
    case CurlConnection.tooLong: self = .tooLarge
    default:
      self = .next(
        SyncError(
          .unavailable, "\(server) cannot be reached\(said)",
          hint: "see whether it runs, and whether a firewall is between"))
    }
  }

  /// Of an answer with another status than 200.
  init(_ answer: CurlConnection.Answer, server: String, user: String?) {
    let document = try? JSONValue.parse(answer.body)
    let text =
      (document?["message"] ?? document?["error"])?.scalarText
      ?? String(decoding: answer.body.prefix(200), as: UTF8.self)
    let code = document?["code"]?.scalarText.flatMap { Int($0) } ?? 0
    self.init(status: answer.status, code: code, text, server: server, user: user)
  }

  init(status: Int, code: Int, _ text: String, server: String, user: String?) {
    func says(_ words: String) -> Bool { text.contains(bytes: words) }
    let said = ": \(Quoting.visible(String(text.prefix(200))))"
    if code == 16 || status == 401 || says("user name is empty") && user != nil
      || says("auth store is old") || says("invalid auth token")
    {
      self = .token
    } else if says("user name is empty") {
      self = .final(
        SyncError(
          .unavailable, "\(server) asks for a user, and the address names none",
          hint: "add ?user=NAME to the address"))
    } else if says("authentication failed") || says("authentication is not enabled") {
      self = .final(
        SyncError(
          .unavailable, "\(server) refused the credentials of '\(user ?? "")'\(said)",
          hint: says("not enabled")
            ? "leave ?user= out, or switch authentication on there"
            : "give the store's password again, with the same address"))
    } else if code == 7 || says("permission denied") {
      self = .final(Self.notAllowed(user))
    } else if says("space exceeded") {
      self = .final(
        SyncError(
          .unavailable, "the database of \(server) is full: it takes nothing more",
          hint: "compact and defragment it, raise its quota, then: etcdctl alarm disarm"))
    } else if says("larger than max") || says("request is too large") || says("too many operations")
    {
      self = .tooLarge
    } else if status == 404 {
      self = .final(
        SyncError(
          .notPrepared, "\(server) has no JSON interface at /v3",
          hint: "an etcd from 3.4 on has it, unless its gateway was switched off"))
    } else if says("no leader") {
      self = .next(
        SyncError(
          .unavailable, "\(server) has no leader: most servers of its cluster are away",
          hint: "try again when they are back"))
    } else {
      self = .next(
        SyncError(.unavailable, "\(server) failed (\(status))\(said)", hint: "try again later"))
    }
  }

  static func notAllowed(_ user: String?) -> SyncError {
    SyncError(
      .notAllowed, "the role of '\(user ?? "nobody")' does not allow that in this etcd",
      hint: "it needs READ on /PREFIX/SPACE/, and READWRITE there to write; a role that lists no "
        + "spaces needs the space in the address: etcd://HOST/PREFIX/SPACE")
  }

  /// As an error of the store.
  var error: SyncError {
    switch self {
    case .next(let error), .final(let error): error
    case .token:
      SyncError(
        .unavailable, "the etcd does not take the token that it gave",
        hint: "its servers may disagree; try again")
    case .tooLarge:
      SyncError(
        .unavailable, "the etcd takes no request of 1 MiB",
        hint: "raise its limit max-request-bytes to 1572864, which is what it has by itself")
    }
  }
}
