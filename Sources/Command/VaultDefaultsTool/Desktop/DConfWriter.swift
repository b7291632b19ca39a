import VaultDBus
import VaultSealing
import VaultStorage

/// The service that writes dconf's databases, for the one change that `dconf` itself has no line
/// for: exactly these keys are reset, all of them at once.
///
/// `dconf reset` takes a single key, and `dconf reset -f` also what another program has set in the
/// folder meanwhile.
struct DConfWriter {
  private static let name = "ca.desrt.dconf"
  private static let interface = "ca.desrt.dconf.Writer"
  /// How long the service may take; it may have to be started.
  private static let patience = Duration.seconds(30)

  /// The bus that the service is on.
  let address: String
  /// The name of the database.
  let database: String

  /// - Returns: `nil` without a session bus, and for a database whose name is none on a bus.
  init?(_ database: String, _ environment: [String: String]) {
    let isName = database.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x5f, 0x61...0x7a: true
      default: false
      }
    }
    guard isName, !database.isEmpty, let address = DesktopEnvironment.bus(environment) else {
      return nil
    }
    (self.address, self.database) = (address, database)
  }

  /// Resets keys.
  ///
  /// - Parameter keys: Their paths, none twice.
  /// - Returns: Whether that is done; if not, nothing is.
  func reset(_ keys: [String]) -> Bool {
    let end = ContinuousClock.now + Self.patience
    do {
      let client = try BusClient(address, until: end)
      // Where the bus can start it; one that runs already is enough.
      let start = try client.askBus("StartServiceByName", [.string(Self.name), .uint32(0)])
      _ = try? client.reply(to: start, until: end)
      guard let owner = client.owner(of: Self.name) else { return false }
      let changes = try SecretBytes(copying: Self.changes(resetting: keys))
      _ = try client.reply(
        to: client.ask(
          owner, "/ca/desrt/dconf/Writer/\(database)", Self.interface, "Change",
          [.bytes(changes)]), until: end)
      return true
    } catch {
      return false
    }
  }

  /// What `Change` takes: a dictionary of paths and values, `a{smv}` in GVariant's form, here with
  /// nothing for each value (`dconf_changeset_deserialise` in dconf's `common/dconf-changeset.c`;
  /// docs.gtk.org/glib/gvariant-specification.html, 2.3 to 2.5).
  ///
  /// It has no numbers in the order of this machine's bytes: offsets are little-endian everywhere.
  static func changes(resetting keys: [String]) -> [UInt8] {
    var whole: [UInt8] = []
    var ends: [Int] = []
    for key in keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
      pad(&whole)
      var entry = Array(key.utf8) + [0]
      let end = entry.count
      // Nothing has no bytes, and begins where a value would.
      pad(&entry)
      whole += withOffsets(entry, [end])
      ends.append(whole.count)
    }
    return withOffsets(whole, ends)
  }

  /// A value may begin at each eighth byte.
  private static func pad(_ bytes: inout [UInt8]) {
    while bytes.count % 8 != 0 { bytes.append(0) }
  }

  /// A container with its offsets behind it, which are as wide as its whole size needs.
  private static func withOffsets(_ bytes: [UInt8], _ ends: [Int]) -> [UInt8] {
    let width = [1, 2, 4].first { bytes.count + ends.count * $0 < 1 << (8 * $0) } ?? 8
    var bytes = bytes
    for end in ends {
      for place in 0..<width { bytes.append(UInt8(truncatingIfNeeded: end >> (8 * place))) }
    }
    return bytes
  }
}
