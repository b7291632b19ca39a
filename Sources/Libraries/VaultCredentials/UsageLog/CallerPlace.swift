import Glibc
import VaultStorage

/// Where a program works that uses a secret.
package enum CallerPlace {
  /// The folder of the first process of the chain that lets this user look.
  ///
  /// Helpers of ours let nobody look into them; what has started them works in the same folder. Whoever
  /// makes a namespace of mounts chooses the path of a folder, too: it is believed if the same folder
  /// is there for this process.
  ///
  /// - Parameter caller: The caller.
  /// - Returns: The folder in words; `nil` if the kernel does not say.
  package static func folder(of caller: UsageCaller) -> String? {
    for program in caller.programs {
      let link = "/proc/\(program.pid)/cwd"
      guard let path = System.linkTarget(link),
        let there = try? System.targetStatus(of: link, in: AT_FDCWD)
      else { continue }
      let text = String(decoding: path, as: UTF8.self)
      let here = try? System.targetStatus(of: text, in: AT_FDCWD)
      guard let here, here.isSameFile(as: there) else {
        return "a folder of another namespace"
      }
      return text
    }
    return nil
  }
}
