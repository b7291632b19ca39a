import Foundation
import TestSupport

/// A real ssh server for one connection at a time, without a port: the client starts it as its way
/// to the host `store`.
struct LoopbackSSH {
  /// Whether one can be run here: openssh-server is installed with all that it needs.
  static let works: Bool = {
    guard let vault = try? ThrowawayVault(), let server = try? LoopbackSSH(in: vault),
      let result = try? vault.shell("\(server.command) store true")
    else { return false }
    return result.status == 0
  }()

  private let folder: String

  /// Makes keys and settings in a home.
  init(in vault: ThrowawayVault) throws {
    folder = "\(vault.home.path)/ssh"
    let made = try vault.shell(
      """
      set -e
      PATH=$PATH:/usr/sbin:/sbin
      umask 077
      mkdir "$1" && cd "$1"
      for name in host key other; do ssh-keygen -q -t ed25519 -N '' -f "$name"; done
      cp key.pub authorized
      cat >server <<END
      HostKey $1/host
      AuthorizedKeysFile $1/authorized
      StrictModes no
      UsePAM no
      PidFile none
      PermitRootLogin yes
      END
      for name in key other; do
        cat >"client-$name" <<END
      Host store
        User $(id -un)
        ProxyCommand $(command -v sshd) -i -f $1/server
        IdentityFile $1/$name
        IdentitiesOnly yes
        UserKnownHostsFile $1/known
        StrictHostKeyChecking accept-new
        LogLevel ERROR
      END
      done
      """, folder)
    guard made.status == 0 else { throw ThrowawayVault.Refusal(description: made.errors) }
  }

  /// The client, as git takes it.
  var command: String { "ssh -F \(folder)/client-key" }

  /// The client with a key that the server does not know.
  var strangersCommand: String { "ssh -F \(folder)/client-other" }
}
