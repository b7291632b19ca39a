/// The help text, which every usage error prints, too.
package enum DefaultsHelp {
  /// All of it.
  package static let text =
    mac + "\n\nBeyond macOS:\n" + options.map { "  \($0)\n" }.joined()
    + own.flatMap(\.syntax).map { "  \($0)\n" }.joined()
    + "\n`--help` after one of the verbs from apply to recover tells more of it."

  /// The help of a verb of our own; `nil` for macOS's verbs, to which `--help` may be a value.
  static func ofVerb(_ name: String) -> String? {
    guard let verb = own.first(where: { $0.names.contains(name) }) else { return nil }
    return (["Syntax:", ""] + verb.syntax.map { "  defaults \($0)" } + ["", verb.words])
      .joined(separator: "\n")
  }

  /// Every verb, ours and macOS's.
  static let verbs = macVerbs + own.flatMap(\.names)

  private static let macVerbs = [
    "read", "read-type", "write", "rename", "delete", "remove", "delete-all", "import", "export",
    "domains", "find", "help",
  ]

  private struct Verb {
    let names: [String]
    let syntax: [String]
    let words: String
  }

  private static let mac = """
    Command line interface to a user's defaults.
    Syntax:

    'defaults' [-currentHost | -host <hostname>] followed by one of the following:

      read                                 shows all defaults
      read <domain>                        shows defaults for given domain
      read <domain> <key>                  shows defaults for given domain, key

      read-type <domain> <key>             shows the type for the given domain, key

      write <domain> <domain_rep>          writes domain (overwrites existing)
      write <domain> <key> <value>         writes key for domain

      rename <domain> <old_key> <new_key>  renames old_key to new_key

      delete <domain>                      deletes domain
      delete <domain> <key>                deletes key in domain

      delete-all <domain>                  deletes the domain for every host
      delete-all <domain> <key>            deletes the key in the domain for every host

      import <domain> <path to plist>      writes the plist at path to domain
      import <domain> -                    writes a plist from stdin to domain
      export <domain> <path to plist>      saves domain as a binary plist to path
      export <domain> -                    writes domain as an xml plist to stdout
      domains                              lists all domains
      find <word>                          lists all entries containing word
      help                                 print this help

    <domain> is ( <domain_name> | -app <application_name> | -globalDomain )
             or a path to a file omitting the '.plist' extension

    <value> is one of:
      <value_rep>
      -string <string_value>
      -data <hex_digits>
      -int[eger] <integer_value>
      -float  <floating-point_value>
      -bool[ean] (true | false | yes | no)
      -date <date_rep>
      -array <value1> <value2> ...
      -array-add [--unique] <value1> <value2> ...
      -dict <key1> <value1> <key2> <value2> ...
      -dict-add <key1> <value1> ...
    """

  private static let options = [
    "read --effective [--show-origin] [--all-layers] <domain> [<key>]",
    "read, read-type, domains, find: --json; read: --ascii, --data-summary",
    "read, read-type, write, delete <domain> --key-path :<key>:<key or index>... for <key>",
    "write <domain> <key> (--if-equals <value> | --if-absent) <value>",
    "delete <domain> <key> --if-equals <value>",
    "write <domain> <key> --force <value>   also where the domain's schema refuses it",
    "write <domain> <key> --to-file <value>, delete <domain> <key> --to-file",
    "       the text file of a domain, in its place: ~/.config/<domain>.toml or .json",
    "write <domain> <key> --json (<json> | -)   writes the value of a JSON text, - from stdin",
    "write <domain> <key> (--json-from | --string-from | --data-from) (<path> | -)",
    "read, find: --protected              protected domains, too, in plain text",
    "export [--format plist|xml|json|toml|script] [--strict] <domain> (<path> | -)",
    "import [--format plist|xml|json|toml|ini|kconfig|dconf] <domain> (<path> | -)",
    "--dconf | --kconfig, before a verb     the desktop's settings: ORG.SCHEMA, /PATH/; FILE:GROUP",
    "--portal, before a verb                what the desktop's portal tells, only for reading",
    "read --gvariant <domain> <key>, write <domain> <key> --gvariant <text>",
    "import --format gschema|profile-manifest [--dry-run] [--output <folder>] (<path> | <folder>)...",
    "       others' schemas, for describe and write",
  ]

  private static let own = [
    Verb(
      names: ["apply"],
      syntax: [
        "apply [--prune] [--merge] [--dry-run] [--json] [--format json|toml|plist]",
        "      [--domain <domain>] (<path> | <folder> | -)...",
      ],
      words: """
        Makes the values of files true: domains, each with keys and values, as JSON, TOML or a property
        list of any form; of a folder, all files that end in .toml, .json or .plist. Other keys stay as
        they are; null (JSON) removes a key. Prints what it changes. All or nothing, in one transaction,
        which undo takes back.

        Behind a domain's name may stand where its section counts: .@host (values of this host alone),
        .@host:NAME, .@os:NAME (linux, debian, debian-12), .@user:NAME. The section @leave-out has
        patterns of keys that --prune leaves alone, by patterns of domains.

          --prune             exact: removes the keys of these domains that no file has
          --merge             dictionaries inside of values keep the keys that no file has
          --dry-run           changes nothing; exits with 2 where something would change
          --json              an object for each change, in a line
          --format json|toml|plist
                              the form, where the file's name does not tell it
          --domain <domain>   the file has the keys of this domain, as export writes them
        """),
    Verb(
      names: ["dump"],
      syntax: [
        "dump [--by-host | --every-host] [--protected] [--filter <pattern>]... [--format toml|json|plist]",
        "     [--output <path>] [<domain>...]",
      ],
      words: """
        Writes domains, or all, in the form that apply reads: sorted, one value a line.

          --by-host           this host's own values, too, as sections that count on this host
          --every-host        those of other hosts, too, as sections .@host-id:ID
          --protected         protected domains, too, in plain text
          --filter <pattern>  leaves out keys: KEY or DOMAIN:KEY, with * and ?
          --format toml|json|plist
                              the form; what the name of the output ends in, or else toml
          --output <path>     writes a file. One that is there is written again: with its domains, its
                              @leave-out, the sections of other machines, and the comments above
                              tables and keys
        """),
    Verb(
      names: ["describe"],
      syntax: ["describe [--json] <domain> [<key>] | describe --check <domain>"],
      words: """
        Prints what a domain's schema says of its keys: type, meaning, limits, default, and the value that
        a program sees, with its layer. A schema is DOMAIN.toml in /etc/vault/schemas, or in vault/schemas
        below XDG_DATA_HOME (~/.local/share) or one of XDG_DATA_DIRS (/usr/share).

          --json              an object of keys
          --check             the stored values that do not fit; exits with 2 if there are any
        """),
    Verb(
      names: ["migrate"], syntax: ["migrate [--dry-run] [--json] <domain>"],
      words: """
        Brings a domain to the version of its schema: values under former names get the new ones, and the
        steps of each version are done, in one transaction that can be undone. The key @schema says of
        which version the values are. write does so by itself.

          --dry-run           changes nothing; exits with 2 where something would change
          --json              an object for each change, in a line
        """),
    Verb(
      names: ["profile"], syntax: ["profile [--json] <domain> [<name>... | --none]"],
      words: """
        Prints or sets the profiles in use, the strongest last. The values of a profile are those of
        DOMAIN/NAME, which every verb takes; they come before the domain's own. Programs with a schema
        follow them while they run.

          --none              uses no profile
          --json              an array of names
        """),
    Verb(
      names: ["record"],
      syntax: [
        "record [--once] [--count <n>] dconf", "record [--once] [--count <n>] kconfig [<file>...]",
        "record --once portal",
      ],
      words: """
        Keeps the journal of the desktop's settings until it is stopped: whatever program changes them,
        history, diff and undo know it. Lines with --dconf or --kconfig look once, before they begin.
        Without names, the files of KConfig that were recorded or written before.

          --once              looks once
          --count <n>         ends after so many transactions
        """),
    Verb(
      names: ["edit"], syntax: ["edit <domain>"],
      words: """
        Opens a domain as JSON in $VISUAL or $EDITOR, and writes what was changed, in one transaction.
        A text that cannot be read, or that meets a change of another program, is opened again with the
        reason in its first line; leaving it as it is gives up.
        """),
    Verb(
      names: ["watch"],
      syntax: ["watch [--json] [--since <sequence>] [--count <n>] [<domain> [<key>]]"],
      words: """
        Prints each change as it is committed, by any process, until it is stopped.

          --json              an object for each change, in a line
          --since <sequence>  begins with the changes after this one ("seq" of --json)
          --count <n>         ends after so many changes
        """),
    Verb(
      names: ["history"],
      syntax: ["history [--json] [--limit <n>] [--since <time>] [<domain> [<key>]]"],
      words: """
        Prints the latest changes, the oldest first: transaction, time, program, domain, key, old -> new.

          --json              an object for each change, in a line
          --limit <n>         at most so many; 50 if nothing is said
          --since <time>      90s, 10m, 2h, 3d, or a date
        """),
    Verb(
      names: ["undo"],
      syntax: [
        "undo [<n> | --since <time> | --transaction <id>] [--dry-run] [--force]"
      ],
      words: """
        Takes back the latest transaction, or the latest n, all or none, and prints what it took back.
        A transaction that was taken back, or that takes one back, does not count.

          --since <time>      all since then: 90s, 10m, 2h, 3d, or a date
          --transaction <id>  the one that history shows with this number
          --dry-run           prints what it would take back, and changes nothing
          --force             also where a later change of the same key is lost
        """),
    Verb(
      names: ["snapshot"],
      syntax: [
        "snapshot [--replace] [--input <path>] [<name>] | snapshot --list",
        "snapshot --output <path> [<name>]",
        "snapshot --remove <name> | snapshot --restore <name>",
      ],
      words: """
        Keeps all domains as they are now, under a name; the time if nothing is said. Protected domains
        stay sealed in it. "latest" stands for the one that was taken last.

          --replace           instead of a snapshot of that name, which is refused otherwise
          --input <path>      keeps what a file has that --output wrote
          --output <path>     writes a snapshot, or what is now, to a file
          --list              the snapshots, with their times
          --remove <name>     removes one
          --restore <name>    makes everything as it was then, in one transaction that can be undone
        """),
    Verb(
      names: ["diff"],
      syntax: [
        "diff [--json] [<snapshot> [<snapshot>]]",
        "diff [--json] [--prune] [--merge] [--format json|toml|plist] <path>...",
      ],
      words: """
        Prints what differs between a snapshot (the latest if nothing is said) and now, or another
        snapshot. Exits with 1 where something differs. Of files that apply reads, a path with a slash or
        one that ends in .toml, .json or .plist: what differs between them and now. Exits with 2 then.

          --json              an object for each key, in a line
          --prune, --merge    as for apply
        """),
    Verb(
      names: ["protect", "unprotect"], syntax: ["protect <domain>, unprotect <domain>"],
      words: """
        Seals a domain's keys and values with a key of the vault, its parts for single hosts too; or stores
        them plainly again. After -currentHost or -host <hostname>, that part alone.
        """),
    Verb(
      names: ["recover"], syntax: ["recover"],
      words: "Sets a damaged store aside and goes on with what can be read."),
  ]
}
