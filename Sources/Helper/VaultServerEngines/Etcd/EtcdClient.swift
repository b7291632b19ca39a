import Glibc
import VaultSealing
import VaultStorage
import VaultSync
import VaultSyncEngines

/// Calls of an etcd's JSON interface, on one of its servers at a time.
///
/// etcd.io/docs/v3.4/dev-guide/api_grpc_gateway. A call that failed comes again, on the next server:
/// each of them may be done twice.
struct EtcdClient: ~Copyable {
  let address: EtcdAddress
  private let connection: CurlConnection
  private let password: SecretBytes?
  private var server: Int
  private var token: String?
  private var cluster: String?
  /// How long all tries of a call may take.
  private let patience: Duration

  /// Most bytes of an answer: 22 MiB in base64, which fit into a message with the 8 MiB before them;
  /// of a longer one fewer records are asked for.
  private static let limit = 30 << 20
  /// An election answers after seven seconds.
  private static let requestSeconds = 8

  init(_ address: EtcdAddress, password: SecretBytes?, seconds: Int) throws {
    let connection = try Self.connection(address)
    self.connection = connection
    self.address = address
    self.password = password
    // Not all machines ask the same one.
    server = Int.random(in: address.servers.indices)
    patience = .seconds(max(1, seconds - 1))
  }

  private static func connection(_ address: EtcdAddress) throws -> CurlConnection {
    let library = try CurlLibrary.open()
    do {
      return try CurlConnection(library, address.files, patience: requestSeconds)
    } catch {
      throw EtcdFailure(error, server: "libcurl").error
    }
  }

  /// A call.
  ///
  /// - Parameters:
  ///   - path: Such as `kv/range`.
  ///   - request: What is posted.
  /// - Returns: The answer.
  /// - Throws: ``EtcdFailure/tooLarge``; `SyncError`.
  mutating func call(_ path: String, _ request: JSONValue) throws -> JSONValue {
    let body = Array(request.text().utf8)
    let end = ContinuousClock.now + patience
    var (tries, tokens) = (0, 0)
    while true {
      do {
        return try once(path, body)
      } catch EtcdFailure.token where address.user != nil && tokens < 2 {
        tokens += 1
        token = nil
      } catch EtcdFailure.next(let error) {
        tries += 1
        server = (server + 1) % address.servers.count
        // All of them once, and three times where one may only be slow.
        guard tries < max(3, address.servers.count), ContinuousClock.now < end else { throw error }
        // Full jitter, doubled each time: 0.5 s at first.
        usleep(UInt32.random(in: 0...(min(4_000_000, 250_000 << UInt32(tries)))))
      } catch EtcdFailure.tooLarge {
        throw EtcdFailure.tooLarge
      } catch let failure as EtcdFailure {
        throw failure.error
      }
    }
  }

  private mutating func once(_ path: String, _ body: [UInt8]) throws -> JSONValue {
    let headers = try headers()
    let document = try post(path, body, headers)
    if let id = document["header"]?["cluster_id"]?.scalarText {
      guard cluster ?? id == id else {
        throw EtcdFailure.final(
          SyncError(
            .rolledBack, "the servers of the address belong to more than one cluster",
            hint: "leave out of the address what belongs to another one"))
      }
      cluster = id
    }
    return document
  }

  private func post(_ path: String, _ body: [UInt8], _ headers: [String]) throws -> JSONValue {
    let name = address.servers[server]
    let answer: CurlConnection.Answer
    do {
      answer = try connection.post("\(name)/v3/\(path)", body, headers: headers, limit: Self.limit)
    } catch {
      throw EtcdFailure(error, server: name)
    }
    guard answer.status == 200 else {
      throw EtcdFailure(answer, server: name, user: address.user)
    }
    guard let document = try? JSONValue.parse(answer.body) else {
      throw EtcdFailure.next(
        SyncError(
          .unavailable, "\(name) does not answer as an etcd does",
          hint: "see whether it is one: etcdctl endpoint status"))
    }
    return document
  }

  private mutating func headers() throws -> [String] {
    let plain = ["Content-Type: application/json", "Expect:"]
    guard let user = address.user else { return plain }
    if let token { return plain + ["Authorization: \(token)"] }
    guard let password else {
      throw EtcdFailure.final(
        SyncError(
          .unavailable, "the store asks for the password of '\(user)', and there is none",
          hint: "give the store's password, with the same address"))
    }
    let text = password.withBytes { String(validating: $0.array(0..<$0.byteCount), as: UTF8.self) }
    guard let text else {
      throw EtcdFailure.final(SyncError(.unavailable, "the password is not text"))
    }
    let request = JSONValue.object([("name", .string(user)), ("password", .string(text))])
    let answer = try post("auth/authenticate", Array(request.text().utf8), plain)
    guard let token = answer["token"]?.scalarText,
      token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw EtcdFailure.token }
    self.token = token
    return plain + ["Authorization: \(token)"]
  }

  /// What a watch on the server that answered last needs.
  ///
  /// - Parameter key: One that this machine may read.
  /// - Returns: Where it asks, and the lines of its head.
  /// - Throws: As ``call(_:_:)`` does.
  mutating func watching(_ key: JSONValue) throws -> (address: String, headers: [String]) {
    // A look, so that there is a server that answers, and a token.
    _ = try call("kv/range", .object([("key", key), ("limit", .number(1))]))
    return ("\(address.servers[server])/v3/watch", try headers())
  }
}
