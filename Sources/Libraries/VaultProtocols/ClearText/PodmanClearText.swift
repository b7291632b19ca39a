import VaultStorage

/// `auth.json` of podman, skopeo and buildah: docker's `auths`, by registry or by a part of one.
///
/// containers-auth.json(5). A helper is asked for a registry alone, and before the file:
/// github.com/containers/image, `pkg/docker/config`. So what is for a part of a registry stays, and
/// so does what the file has for that registry, which would win over it from then on.
enum PodmanClearText: ClearTextFormat {
  static func secrets(in text: String) throws -> [ClearTextSecret] {
    let hosts = Set(try parts(in: text).map { Array(host(of: $0).utf8) })
    return try DockerClearText.secrets(in: text).filter {
      !hosts.contains(Array(host(of: $0.entry).utf8))
    }
  }

  /// The names of parts of registries, such as `quay.io/team`.
  static func parts(in text: String) throws -> [String] {
    try DockerClearText.names(in: text).filter { $0.utf8.contains(UInt8(ascii: "/")) }
  }

  private static func host(of name: String) -> Substring {
    name.halves(at: "/")?.before ?? name[...]
  }

  static func removing(_ entries: Set<String>, from text: String) throws -> String {
    guard !text.trimmingBlanks.isEmpty else { return text }
    return try DockerClearText.changing(text) { members in
      members.removeAll { entries.contains($0.0) }
    }
  }

  static func adding(_ value: ClearTextValue, to text: String) throws -> String {
    try DockerClearText.adding(value, to: text)
  }

  static func doubtfulLines(in text: String) throws -> [Int] {
    try DockerClearText.doubtfulLines(in: text)
  }
}
