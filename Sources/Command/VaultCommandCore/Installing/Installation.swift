import VaultStorage
import VaultTerminal

/// How this copy of the command was installed, and the lines to type for another version.
///
/// Packages leave a mark, `libexec/vault/installed-by`: a word, and the address that they came
/// from. Some managers unpack the archive of the release, so that only the folder tells.
package struct Installation: Equatable, Sendable {
  /// What installs the command.
  package enum Kind: String, CaseIterable, Sendable {
    case deb, rpm, pacman, homebrew, nix, wheel, uv, pipx, mise, aqua, image, installer, archive
    case source, checkout, unknown
  }

  /// What installed it.
  package let kind: Kind
  /// The program's own file.
  package let program: String
  /// The folder that has `bin/` and `libexec/`.
  package let prefix: String
  /// Where its releases are, if the package says so.
  package let address: String?

  /// The copy that is running.
  package static var current: Installation {
    let program = HelperProgram.ownFile
    let prefix = HelperProgram.parent(of: HelperProgram.parent(of: program))
    let mark = try? UserFile.bytes(of: "\(prefix)/libexec/vault/installed-by", limit: 4096)
    return Installation(program: program, prefix: prefix, mark: mark)
  }

  /// Parts of paths by which a manager that unpacks archives is known.
  private static let folders: [(part: String, kind: Kind)] = [
    ("/nix/store/", .nix), ("/Cellar/", .homebrew), ("/mise/installs/", .mise),
    ("/aquaproj-aqua/", .aqua), ("/uv/tools/", .uv), ("/pipx/venvs/", .pipx),
  ]

  /// Tells by a program's place and the mark in it.
  package init(program: String, prefix: String, mark: [UInt8]?) {
    self.program = program
    self.prefix = prefix
    let line = (mark ?? []).prefix { $0 != UInt8(ascii: "\n") }
    let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    let marked = words.first.flatMap(Kind.init(rawValue:))
    let byFolder = Self.folders.first { program.contains(bytes: $0.part) }?.kind
    let isBuilt = program.contains(bytes: "/.build")
    kind = byFolder ?? marked ?? (isBuilt ? .checkout : .unknown)
    address = words.dropFirst().first { $0.starts(with: "https://") }.map(Quoting.visible)
  }

  /// Who installed it, in words.
  package var words: String {
    switch kind {
    case .deb: "installed by apt or dpkg, as the package vault-swift"
    case .rpm: "installed by dnf, zypper or rpm, as the package vault-swift"
    case .pacman: "installed by pacman, as the package vault-swift"
    case .homebrew: "installed by Homebrew, as vault-swift"
    case .nix: "installed by Nix, as vault-swift"
    case .wheel: "installed by pip, as vault-swift"
    case .uv: "installed by uv, as the tool vault-swift"
    case .pipx: "installed by pipx, as vault-swift"
    case .mise: "installed by mise"
    case .aqua: "installed by aqua"
    case .image: "in an image for containers"
    case .installer: "installed by install.sh"
    case .archive: "unpacked from the archive of a release"
    case .source: "installed by make install, from a checkout"
    case .checkout: "built in a checkout, and not installed"
    case .unknown: "installed by something that left no mark"
    }
  }

  /// The lines that bring a newer version.
  package var upgrade: [String] {
    let place = Quoting.typed(prefix)
    return switch kind {
    case .deb:
      [
        "sudo apt update && sudo apt install --only-upgrade vault-swift",
        "sudo apt install ./vault-swift_VERSION_\(Self.debianArchitecture).deb",
      ]
    case .rpm:
      [
        "sudo dnf upgrade vault-swift",
        "sudo rpm --upgrade vault-swift-VERSION-1.\(Self.machine).rpm",
      ]
    case .pacman: ["makepkg --syncdeps --install"]
    case .homebrew: ["brew update && brew upgrade vault-swift"]
    case .nix: ["nix profile upgrade vault-swift"]
    case .wheel: ["\(place)/bin/python3 -m pip install --upgrade vault-swift"]
    case .uv: ["uv tool upgrade vault-swift"]
    case .pipx: ["pipx upgrade vault-swift"]
    case .mise: ["mise install"]
    case .aqua: ["aqua install"]
    case .image: ["podman load --input vault-VERSION-\(Self.debianArchitecture).oci.tar"]
    case .installer: ["sh install.sh --prefix \(place)"]
    case .archive, .unknown: ["tar -C \(place) -xzf vault-linux-\(Self.machine).tar.gz"]
    case .source: ["git pull && make install PREFIX=\(place)"]
    case .checkout: ["git pull && make install"]
    }
  }

  /// What has to be at hand for the lines of ``upgrade``.
  package var condition: String? {
    switch kind {
    case .deb: "the second line without a repository, with the downloaded package"
    case .rpm: "the second line without a repository, with the downloaded package"
    case .pacman: "in the folder of the new PKGBUILD"
    case .mise: "after a change of version and checksum in mise.toml"
    case .aqua: "after a change of version in aqua.yaml"
    case .image: "with the downloaded image"
    case .installer: "with the installer of the new version"
    case .archive, .unknown: "with the downloaded archive, verified by SHA256SUMS and its signature"
    case .source, .checkout: "in the checkout"
    case .homebrew, .nix, .wheel, .uv, .pipx: nil
    }
  }

  /// The lines that bring an older version; its files stay as they are.
  package var downgrade: [String] {
    switch kind {
    case .deb:
      [
        "sudo apt install vault-swift=VERSION",
        "sudo apt install --allow-downgrades ./vault-swift_VERSION_\(Self.debianArchitecture).deb",
      ]
    case .rpm:
      [
        "sudo dnf downgrade vault-swift",
        "sudo rpm --upgrade --oldpackage vault-swift-VERSION-1.\(Self.machine).rpm",
      ]
    case .wheel: ["\(Quoting.typed(prefix))/bin/python3 -m pip install vault-swift==VERSION"]
    case .uv: ["uv tool install --force vault-swift==VERSION"]
    case .pipx: ["pipx install --force vault-swift==VERSION"]
    case .nix: ["nix profile rollback"]
    case .source, .checkout:
      ["git checkout VERSION && \(upgrade[0].dropFirst("git pull && ".count))"]
    case .homebrew:
      ["brew uninstall vault-swift && brew install --formula ./vault-swift.rb"]
    case .pacman, .mise, .aqua, .image, .installer, .archive, .unknown: upgrade
    }
  }

  #if arch(arm64)
  private static let machine = "aarch64"
  private static let debianArchitecture = "arm64"
  #else
  private static let machine = "x86_64"
  private static let debianArchitecture = "amd64"
  #endif
}
