package import VaultSync
import VaultTerminal

extension MirrorReport {
  /// Says what those who follow do not get.
  package func warn() {
    if !stores.isEmpty {
      StandardError.note(
        "items and preferences are published; the rows of "
          + stores.map(StandardOutput.shown).joined(separator: ", ") + " are not",
        hint: "a machine that is to have them joins the space: "
          + "\(ProgramName.current) sync invite --role reader")
    }
    if isClosed {
      StandardError.warning(
        "the space has more than 256 MiB of records: nobody can begin to follow it by this mirror",
        hint:
          "those who follow it go on until a snapshot takes the place of old records here: then this "
          + "machine publishes no more; let all in as readers: "
          + "\(ProgramName.current) sync invite --role reader")
    }
  }
}
