import CVaultCurl
import VaultSyncEngines

/// A connection to servers over HTTP, which is kept from one request to the next.
///
/// TLS is verified, nothing is followed to another address, no proxy and no variable leads elsewhere.
@safe final class CurlConnection {
  /// Why there is no answer.
  struct Failure: Error {
    /// libcurl's number: libcurl-errors(3).
    let code: Int32
    /// libcurl's words.
    let message: String

    /// Whether the server's certificate is not trusted, or is another host's.
    var isOfCertificate: Bool { [51, 60, 83, 91].contains(code) }
  }

  /// An answer.
  struct Answer {
    let status: Int
    let body: [UInt8]
  }

  /// What takes the bytes of an answer; false ends it.
  private final class Taking {
    let take: ([UInt8]) -> Bool

    init(_ take: @escaping ([UInt8]) -> Bool) { self.take = take }
  }

  /// CURLE_WRITE_ERROR: here, an answer that is too long.
  static let tooLong: Int32 = 23

  private var curl: cvault_curl
  private let handle: UnsafeMutableRawPointer
  private let files: TLSFiles
  /// For how many seconds nothing may move; 0 for as long as it takes.
  private let patience: Int

  init(_ library: CurlLibrary, _ files: TLSFiles, patience: Int) throws(Failure) {
    curl = library.functions
    guard let handle = unsafe curl.curl_easy_init() else {
      throw Failure(code: 2, message: "libcurl could not be started")
    }
    unsafe self.handle = unsafe handle
    self.files = files
    self.patience = patience
  }

  deinit { unsafe curl.curl_easy_cleanup(handle) }

  /// Sends a request.
  ///
  /// - Parameters:
  ///   - address: `https://host:port/path`, or http.
  ///   - body: What is posted.
  ///   - headers: Lines.
  ///   - limit: Most bytes of the answer.
  /// - Returns: The answer, whatever its status.
  /// - Throws: ``Failure``.
  func post(
    _ address: String, _ body: [UInt8], headers: [String], limit: Int
  ) throws(Failure) -> Answer {
    var taken: [UInt8] = []
    let status = try stream(address, body, headers: headers) { bytes in
      guard taken.count + bytes.count <= limit else { return false }
      taken += bytes
      return true
    }
    return Answer(status: status, body: taken)
  }

  /// Sends a request whose answer goes on and on.
  ///
  /// - Parameters:
  ///   - address: As for ``post(_:_:headers:limit:)``.
  ///   - body: What is posted; `nil` to fetch.
  ///   - headers: Lines.
  ///   - take: Gets what comes; false ends it.
  /// - Returns: The status.
  /// - Throws: ``Failure``.
  func stream(
    _ address: String, _ body: [UInt8]?, headers: [String],
    _ take: ([UInt8]) -> Bool
  ) throws(Failure) -> Int {
    let result: Result<Int, Failure> = withoutActuallyEscaping(take) { take in
      let taking = Taking(take)
      do throws(Failure) {
        return .success(try perform(address, body, headers, taking))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Fetches a file; its answer has the lines of its head, an empty one, and the file.
  ///
  /// A connection that has posted something is of no use for it.
  ///
  /// - Parameters:
  ///   - address: As for ``post(_:_:headers:limit:)``.
  ///   - headers: Lines.
  ///   - limit: Most bytes of the answer, with its head.
  /// - Returns: The answer, whatever its status.
  /// - Throws: ``Failure``.
  func get(_ address: String, headers: [String], limit: Int) throws(Failure) -> Answer {
    set(1, cvault_curl_http_get)
    set(1, cvault_curl_header)
    var taken: [UInt8] = []
    let status = try stream(address, nil, headers: headers) { bytes in
      guard taken.count + bytes.count <= limit else { return false }
      taken += bytes
      return true
    }
    return Answer(status: status, body: taken)
  }

  private func perform(
    _ address: String, _ body: [UInt8]?, _ headers: [String], _ taking: Taking
  ) throws(Failure) -> Int {
    var list: OpaquePointer?
    for header in headers { unsafe list = curl.curl_slist_append(list, header) }
    defer { unsafe curl.curl_slist_free_all(list) }
    var words = [CChar](repeating: 0, count: 256)
    let code: Int32 = unsafe words.withUnsafeMutableBufferPointer { words in
      unsafe (body ?? []).withUnsafeBufferPointer { posted in
        set(address, cvault_curl_url)
        if body != nil {
          unsafe set(pointer: posted.baseAddress, cvault_curl_post_fields)
          set(posted.count, cvault_curl_post_field_size)
        }
        unsafe set(pointer: UnsafeRawPointer(list), cvault_curl_http_header)
        unsafe set(pointer: words.baseAddress, cvault_curl_error_buffer)
        unsafe set(
          pointer: Unmanaged.passUnretained(taking).toOpaque(), cvault_curl_write_data)
        _ = unsafe cvault_curl_set_take(&curl, handle) { bytes, size, count, context in
          guard let context = unsafe context else { return 0 }
          let taking = unsafe Unmanaged<Taking>.fromOpaque(context).takeUnretainedValue()
          let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
          return unsafe taking.take(Array(buffer)) ? size * count : 0
        }
        setRest()
        return withExtendedLifetime(taking) { unsafe curl.curl_easy_perform(handle) }
      }
    }
    guard code == 0 else {
      let said = String(
        decoding: words.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      throw Failure(code: code, message: said.isEmpty ? "error \(code) of libcurl" : said)
    }
    return unsafe cvault_curl_status(&curl, handle)
  }

  private func setRest() {
    set(files.rootsFile, cvault_curl_ca_info)
    // A folder that libcurl was built with would count beside the file.
    unsafe set(pointer: nil, cvault_curl_ca_path)
    if let certificate = files.certificate { set(certificate, cvault_curl_ssl_cert) }
    if let key = files.key { set(key, cvault_curl_ssl_key) }
    set(1, cvault_curl_verify_peer)
    set(2, cvault_curl_verify_host)
    set(0, cvault_curl_follow_location)
    // HTTP and HTTPS: curl.h, CURLPROTO_HTTP, CURLPROTO_HTTPS.
    set(3, cvault_curl_protocols)
    // CURL_HTTP_VERSION_1_1.
    set(2, cvault_curl_http_version)
    set("", cvault_curl_proxy)
    set(1, cvault_curl_no_signal)
    set(1, cvault_curl_tcp_keepalive)
    set(5000, cvault_curl_connect_timeout_ms)
    set(patience > 0 ? 1 : 0, cvault_curl_low_speed_limit)
    set(patience, cvault_curl_low_speed_time)
  }

  private typealias Option = cvault_curl_options

  private func set(_ value: Int, _ option: Option) {
    _ = unsafe cvault_curl_set_number(&curl, handle, Int32(option.rawValue), value)
  }

  /// libcurl copies texts.
  private func set(_ text: String, _ option: Option) {
    _ = unsafe text.withCString {
      unsafe cvault_curl_set_pointer(&curl, handle, Int32(option.rawValue), $0)
    }
  }

  @unsafe private func set(pointer: UnsafeRawPointer?, _ option: Option) {
    _ = unsafe cvault_curl_set_pointer(&curl, handle, Int32(option.rawValue), pointer)
  }
}
