// Written by scripts/completion-grammar: make completions.

extension CommandGrammar {
  /// The arguments of every verb, which a `*` stands for.
  static let common = """
    --home <home> =directory: Where vaults are kept, instead of VAULT_HOME and the XDG \
    directories.
    --vault <name> =live: Use the vault of this name.
    --json: Print JSON
    --quiet -q: Show only errors and warnings, no notes or progress.
    --color <when> =auto,always,never: Color: auto, always or never.
    --passphrase <source>: The passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.
    --key-file <path> =file: The key file
    --trust-key-file: Use a key file that others may read, as on a stick with FAT, from now on.
    --keyring-timeout <time>: How long the keyring may take, such as 5s.
    --accept-rollback: Accept a vault file that is older than one seen before, or a fork of it.
    --no-session: Neither use nor start a session.
    --no-keyring: Leave the desktop keyring alone: it neither opens the vault nor gets copies.
    --require-encrypted-session: Refuse a keyring that offers no encrypted connection.
    -h --help: Show help information.
    """

  /// Each verb with what it is for, and its arguments.
  static let table: [CommandGrammar] = [
    CommandGrammar(
      "",
      "",
      """
      --version: Show the version.
      -h --help: Show help information.
      """),
    CommandGrammar(
      "set",
      "Store a secret, or change what is known of an item.",
      """
      <name> =live: The item.
      <surplus> + !:
      --stdin: Read it from stdin
      --file <path> =file: Read it from a file, exactly
      --exact: With --stdin: keep a final newline.
      --allow-empty: Store a secret of no bytes, too.
      --generate: Generate it, and report its strength
      --show: With --generate: write it to stdout, too.
      --otp: The seed of one-time codes, as an otpauth:// address or base32
      --field -f <name> =live +: The field to set
      --open <name> =live +: A field that holds no secret: 'show' shows it, and it may be set on \
      the line
      --conceal <name> =live +: A field that holds a secret after all
      --length <number>: How many characters
      --lower: Small letters.
      --no-lower: Small letters.
      --upper: Capitals.
      --no-upper: Capitals.
      --digits: Digits.
      --no-digits: Digits.
      --symbols: Symbols. All four kinds by default, or only those that are named.
      --no-symbols: Symbols. All four kinds by default, or only those that are named.
      --exclude-look-alikes: Leave out characters that look alike: 0OoQ 1Il| 2Z 5S 8B 6G.
      --exclude <characters>: Leave these characters out.
      --words <number>: Use this many words of the EFF's large list instead.
      --separator <text>: The separator between words
      --capitalize --capitalise: Capitalize words.
      --pattern <pattern>: A pattern instead: l u d s small letter, capital, digit, symbol
      --copy -c --clip: Put it on the clipboard for a while.
      --clear-after <time>: When the clipboard is cleared, such as 20s
      --clipboard <kind> =wayland,x11,tmux,screen,terminal: The clipboard to use: wayland, x11, \
      tmux, screen or terminal.
      --tag <word> =live +: A tag to find it by
      --untag <word> =live +: A tag to take away
      --note <text>: Free text about it.
      --expires <time>: When it expires: a date, a duration such as 30d, or never.
      --attribute <name=value> =live +: What other programs look it up by, such as \
      server=example.com
      --kind <kind> =secret,generic-password,internet-password,login,token,certificate,note,otp,\
      ssh-key: What it is: secret, generic-password, internet-password, login, token, certificate,\
       note, otp, ssh-key.
      *
      """),
    CommandGrammar(
      "get",
      "Write a secret to stdout, or put it on the clipboard.",
      """
      <name> =live: The item, or NAME@3 for its version 3
      --field -f <name> =live: The field
      --revision <number> =live: An earlier version, as NAME@3 has it.
      --out -o <file> =file: Write it to a file that only you can read
      --attribute <name=value> =live +: The item with this attribute, instead of its name
      --qr: Draw it as a QR code, for a phone
      --copy -c --clip: Put it on the clipboard for a while.
      --clear-after <time>: When the clipboard is cleared, such as 20s
      --clipboard <kind> =wayland,x11,tmux,screen,terminal: The clipboard to use: wayland, x11, \
      tmux, screen or terminal.
      *
      """),
    CommandGrammar(
      "edit",
      "Change a secret in your editor.",
      """
      <name> =live: The item
      --field -f <name> =live: The field
      --all: Edit the secret, all fields and the notes as one text.
      --exact: Keep a final newline that the secret did not have before.
      *
      """),
    CommandGrammar(
      "list",
      "List the names of items.",
      """
      <pattern> =live: A word of a name, user, address, tag or note
      --long -l: Also show kind, version, times, tags, user and host.
      --tree: Show a tree, by slashes
      --no-tree: Show a tree, by slashes
      --tag <word> =live: Only items with this tag.
      --attribute <name=value> =live +: Only items with this attribute, such as service=api
      --expired: Only expired items.
      --conflicts: Only items with another value from a merge.
      --expiring <time>: Only items that expire within this time.
      --unused <time>: Only items not used for this time.
      --exposed-to <machine>: Only items that this machine of the space could read, and that are \
      unchanged since.
      --trash: List the trash instead.
      --vaults: List the vaults instead: their names and files.
      --sort <sort> =name,modified,created,expires: Newest first for modified and created, \
      soonest first for expires.
      --exit-code: Exit with 1 if nothing is found.
      --no-pager: Show long lists at once, not a page at a time.
      *
      """),
    CommandGrammar(
      "show",
      "Show everything about an item except its secrets.",
      """
      <name> =live: The item, or NAME@3 for its version 3
      --reveal: Show the secrets, too.
      --copy -c --clip <field> =live: Show nothing, and put this field on the clipboard for a \
      while
      --qr: Draw the secret as a QR code for a phone, or the address of its one-time codes
      --revision <number> =live: An earlier version, as NAME@3 has it.
      --clear-after <time>: When the clipboard is cleared, such as 20s
      --clipboard <kind> =wayland,x11,tmux,screen,terminal: The clipboard to use: wayland, x11, \
      tmux, screen or terminal.
      *
      """),
    CommandGrammar(
      "remove",
      "Remove items: to the trash, or for good.",
      """
      <names> =live +: The items
      --purge: Erase them for good, with removed items of the same name.
      --dry-run -n: Only list what would be removed.
      --yes -y: Do not ask before a purge or a whole folder.
      --field <name> =live +: Remove only this field of the item
      *
      """),
    CommandGrammar(
      "rename",
      "Rename an item, or move a folder.",
      """
      <name> =live: The item, a folder/ or a shell pattern.
      <new-name> =live: The new name, or a folder/.
      --dry-run -n: Only show what would be done.
      --yes -y: Do not ask before a whole folder.
      *
      """),
    CommandGrammar(
      "copy",
      "Copy an item, or a folder.",
      """
      <name> =live: The item, a folder/ or a shell pattern.
      <new-name> =live: The new name, or a folder/.
      --dry-run -n: Only show what would be done.
      --yes -y: Do not ask before a whole folder.
      *
      """),
    CommandGrammar(
      "history",
      "List the versions of an item.",
      """
      <name> =live: The item.
      *
      """),
    CommandGrammar(
      "restore",
      "Restore an item from the trash, or an earlier version.",
      """
      <name> =live: The item, or NAME@3 for its version 3.
      --revision <number> =live: Which version, as NAME@3 has it.
      --trash <number>: Which of that name in the trash
      *
      """),
    CommandGrammar(
      "undo",
      "Undo the last change to items.",
      """
      --steps <number>: How many changes to undo, newest first.
      --program: Undo what a program stored last: git, docker, a client of the served keyring.
      *
      """),
    CommandGrammar(
      "generate",
      "Generate passwords and passphrases",
      """
      <characters>: How many characters, as --length.
      --length <number>: How many characters
      --lower: Small letters.
      --no-lower: Small letters.
      --upper: Capitals.
      --no-upper: Capitals.
      --digits: Digits.
      --no-digits: Digits.
      --symbols: Symbols. All four kinds by default, or only those that are named.
      --no-symbols: Symbols. All four kinds by default, or only those that are named.
      --exclude-look-alikes: Leave out characters that look alike: 0OoQ 1Il| 2Z 5S 8B 6G.
      --exclude <characters>: Leave these characters out.
      --words <number>: Use this many words of the EFF's large list instead.
      --separator <text>: The separator between words
      --capitalize --capitalise: Capitalize words.
      --pattern <pattern>: A pattern instead: l u d s small letter, capital, digit, symbol
      --count <number>: How many, one per line.
      --copy -c --clip: Put it on the clipboard for a while.
      --clear-after <time>: When the clipboard is cleared, such as 20s
      --clipboard <kind> =wayland,x11,tmux,screen,terminal: The clipboard to use: wayland, x11, \
      tmux, screen or terminal.
      *
      """),
    CommandGrammar(
      "audit",
      "Find equal, weak, old and expired secrets, and a vault without a way back.",
      """
      --only <topics> =equal,weak,breached,old,expired,expiring,vault +: Only these, separated by \
      commas: equal, weak, breached, old, expired, expiring, vault.
      --older-than <time>: What counts as old
      --expiring <time>: What counts as expiring soon
      --breaches <list> =file: Also look up leaked passwords: online, an address, or a downloaded \
      file or folder.
      --exit-code: Exit with status 1 if anything is found.
      *
      """),
    CommandGrammar(
      "run",
      "Run a command with secrets in its environment.",
      """
      <names> =live +: Items and references
      --prefix-names: Name a folder's variables by whole names: app/STRIPE_KEY is $APP_STRIPE_KEY.
      --env <name=ref> =live +: A variable and its value: an item, a reference, or text with \
      references
      --env-file <path> =file +: A .env file, whose values may hold references
      --fd <name=n> =live +: An open file in memory with the secret
      --as-file <name> =live +: A path to a file in memory with the secret, in NAME_FILE.
      --to-stdin <ref> =live: What the command reads from its stdin.
      --file <file> =live + !:
      --stdin <stdin> =live !:
      --only: Leave out the rest of the environment, except HOME, PATH, TERM and the like.
      --mask: Replace the secrets in what the command writes, in every common encoding.
      --dry-run -n: Print the names of the variables, and run nothing.
      --run-command <run-command> ++ !:
      --watch <action> =restart,signal,exit: Follow changes of the secrets: restart the command \
      (also --watch alone), send it a signal, or stop it and exit with 75.
      --signal <signal> =HUP,INT,QUIT,TERM,USR1,USR2,WINCH: What --watch=signal sends when the \
      files are replaced
      --stop-signal <signal> =HUP,INT,QUIT,TERM,USR1,USR2,WINCH: What stops the command
      --stop-timeout <time>: How long it may take to stop before it is killed
      --settle <time>: How long the vault is quiet before a change counts
      --splay <time>: The longest random wait before a change counts, so that many machines do \
      not restart at once.
      *
      """),
    CommandGrammar(
      "read",
      "Write what a reference points to.",
      """
      <reference> =live: The reference.
      *
      """),
    CommandGrammar(
      "inject",
      "Fill in the references in a template.",
      """
      --in -i <file> =file: The template
      --out -o <file> =file: Write the result to this file instead of stdout, all or nothing.
      --mode <mode>: The permissions of that file, in octal.
      --dry-run -n: List the references in the template
      *
      """),
    CommandGrammar(
      "redact",
      "Replace secrets in a text by <redacted>.",
      """
      <names> =live +: Items, references, folders and patterns
      --in -i <file> =file: The text
      *
      """),
    CommandGrammar(
      "otp",
      "Write a one-time code to stdout.",
      """
      <name> =live: The item
      --field -f <name> =live: The field with the seed, if not otp.
      --qr: Draw the seed's address as a QR code instead, to enroll a phone
      --copy -c --clip: Put it on the clipboard for a while.
      --clear-after <time>: When the clipboard is cleared, such as 20s
      --clipboard <kind> =wayland,x11,tmux,screen,terminal: The clipboard to use: wayland, x11, \
      tmux, screen or terminal.
      *
      """),
    CommandGrammar(
      "menu",
      "Pick an item in a menu on the display, and copy its secret.",
      """
      --program <command> =fuzzel,wofi,tofi,rofi,bemenu,dmenu: The program: one of those above, \
      or a line that reads names from stdin and prints one.
      --field <name> =live: Copy this field instead of the secret.
      --otp: Copy a one-time code instead of the secret.
      --clear-after <time>: When the clipboard is cleared, such as 20s
      --clipboard <kind> =wayland,x11,tmux,screen,terminal: The clipboard to use: wayland, x11, \
      tmux, screen or terminal.
      *
      """),
    CommandGrammar(
      "ssh-agent",
      "Run a command whose ssh and git sign with the keys of the vault.",
      """
      --only <glob> +: Serve only the keys whose item matches
      --read-only: Let no program add or remove keys, which are kept in memory alone.
      --confirm: Ask in approve --watch, here, or by VAULT_ASKPASS, before a key signs: for which \
      program, host or commit. No session is started.
      --answer-within <time>: How long a person has for an answer
      --foreground: Serve here until it is ended, for programs that SSH_AUTH_SOCK leads to it.
      --at <path> =file: With --foreground, the socket
      --socket: Serve the socket that systemd passes.
      --run-command <run-command> ++ !:
      *
      """),
    CommandGrammar(
      "ssh",
      "Make, import and show keys of ssh.",
      """
      -h --help: Show help information.
      """),
    CommandGrammar(
      "ssh keygen",
      "Make a key of ssh and store it",
      """
      <name>: The item
      --type <type> =ed25519,rsa4096,ecdsa-p256: ed25519, rsa4096 or ecdsa-p256
      --comment <comment>: What follows the public key
      *
      """),
    CommandGrammar(
      "ssh import",
      "Store a private key of ssh that is in a file",
      """
      <name>: The item
      <file> =file: The file with the private key
      --comment <comment>: What follows the public key
      --key-passphrase <source>: The key's passphrase: env:NAME, file:PATH, fd:N, stdin or \
      cmd:COMMAND
      *
      """),
    CommandGrammar(
      "ssh public",
      "Print public keys, as authorized_keys and .pub files have them.",
      """
      <names> =live +: The items
      *
      """),
    CommandGrammar(
      "guard",
      "Run a command that sees no secret but what it uses: an agent, an installer.",
      """
      --only <glob> +: Let git, docker, aws, pip and uv use the items that match
      --store: Let git, docker and aws also store and forget items that match --only.
      --ssh: Let ssh and git sign with the keys that match --only
      --confirm <glob> +: Ask before an item is used, in approve --watch or by VAULT_ASKPASS \
      (also --confirm alone: about each one)
      --answer-within <time>: How long a person has for an answer
      --rw <path> =file +: Show a folder or file besides the working folder
      --ro <path> =file +: Show a folder or file, to be read alone
      --net <net> =host,none: The network: 'host' as it is, or 'none'
      --env <name> +: Pass a variable of the environment on
      --run-command <run-command> ++ !:
      *
      """),
    CommandGrammar(
      "mcp",
      "Let a coding agent run commands with secrets that it does not see (MCP).",
      """
      --only <glob> +: Let the agent use only the items that match
      --no-confirm <glob> +: Ask nobody about the items that match
      --answer-within <time>: How long a person has for an answer
      *
      """),
    CommandGrammar(
      "approve",
      "Allow uses that a person is asked about, in another terminal.",
      """
      --watch: Show questions as they come, and take the answers, until Ctrl-C.
      --list: List the answers that hold for longer, with their numbers.
      --forget <number>: Forget an answer by its number, or 'all'.
      *
      """),
    CommandGrammar(
      "browser",
      "List and remove the browsers that are associated with the vault.",
      """
      -h --help: Show help information.
      """),
    CommandGrammar(
      "browser list",
      "List the associated browsers, with their profiles.",
      """
      *
      """),
    CommandGrammar(
      "browser remove",
      "Remove associations: these browsers get nothing any more.",
      """
      <names> =live +: The associations, as 'browser list' names them.
      *
      """),
    CommandGrammar(
      "init",
      "Make a vault.",
      """
      --from <file> =file: Restore a backup instead
      --label <text>: A label for the first key slot.
      --recovery: Create a recovery code
      --no-recovery: Create a recovery code
      --if-missing: Succeed if there is a vault already and the key that is named opens it.
      --allow-weak: Accept a passphrase that is easily guessed.
      *
      """),
    CommandGrammar(
      "unlock",
      "Keep the vault unlocked for a while.",
      """
      --for <time>: How long, such as 8h.
      --until-logout: Until the person logs out
      --recovery: Open it with the recovery code
      *
      """),
    CommandGrammar(
      "lock",
      "End the session, in every terminal at once.",
      """
      --watch: Stay, and lock whenever the person leaves.
      *
      """),
    CommandGrammar(
      "status",
      "Show the vault, what unlocks it, and the state of the keyring and its copies.",
      """
      *
      """),
    CommandGrammar(
      "check",
      "Verify the vault, or a backup, and say what to fix.",
      """
      <file> =file: A backup, '-' for stdin
      --salvage: Rebuild the vault from what can be read
      *
      """),
    CommandGrammar(
      "key",
      "Manage the key slots, which open the vault.",
      """
      -h --help: Show help information.
      """),
    CommandGrammar(
      "key list",
      "List the key slots: any one of them opens the vault.",
      """
      *
      """),
    CommandGrammar(
      "key add",
      "Add a key slot.",
      """
      --new-passphrase <source>: A new passphrase, as --passphrase takes it.
      --new-key-file <path> =file: A key file, created if it is missing.
      --keyring: The desktop keyring.
      --recovery: A recovery code.
      --label <text>: A label for the key slot.
      --allow-weak: Accept a passphrase that is easily guessed.
      *
      """),
    CommandGrammar(
      "key remove",
      "Remove a key slot",
      """
      <slot> =live: Its id, the beginning of it, or its label.
      *
      """),
    CommandGrammar(
      "key change-passphrase",
      "Change a passphrase",
      """
      <slot> =live: The slot's id or label, where there are several passphrases.
      --new-passphrase <source>: The new passphrase, as --passphrase takes it.
      --allow-weak: Accept a passphrase that is easily guessed.
      *
      """),
    CommandGrammar(
      "key rotate",
      "Replace the vault key and seal everything anew",
      """
      --new-passphrase <source>: A new passphrase, as --passphrase takes it.
      --new-key-file <path> =file: A key file, created if it is missing.
      --keyring: The desktop keyring.
      --recovery: A recovery code.
      --label <text>: A label for the key slot.
      --allow-weak: Accept a passphrase that is easily guessed.
      --dry-run -n: Only show which keys stop working, and the new ones.
      *
      """),
    CommandGrammar(
      "key upgrade",
      "Strengthen passphrase slots with weak parameters.",
      """
      *
      """),
    CommandGrammar(
      "keyring",
      "Inspect and unlock the desktop keyring, and manage the copies in it.",
      """
      -h --help: Show help information.
      """),
    CommandGrammar(
      "keyring status",
      "Show the state of the desktop keyring.",
      """
      *
      """),
    CommandGrammar(
      "keyring unlock",
      "Unlock the desktop keyring from here, with its own password.",
      """
      --keyring-password <source>: The keyring's password: env:NAME, file:PATH, fd:N, stdin or \
      cmd:COMMAND.
      *
      """),
    CommandGrammar(
      "keyring sync",
      "Bring the copies in the keyring up to date, and report those that others changed.",
      """
      --take: Take what other programs changed, or keep under the same name, as new versions.
      --overwrite: Replace what other programs changed by what the vault holds
      *
      """),
    CommandGrammar(
      "keyring publish",
      "Turn copies for other programs on or off.",
      """
      <state> =on,off: on or off.
      <names> =live +: Items
      *
      """),
    CommandGrammar(
      "keyring list",
      "List the items of all programs in the desktop keyring.",
      """
      --attribute <name=value> +: Only items with this attribute.
      *
      """),
    CommandGrammar(
      "keyring adopt",
      "Take other programs' items of the desktop keyring into the vault.",
      """
      <item>: The item.
      --all: Take every item
      --as <name>: Its name in the vault.
      --replace: Store the secret as a new version of the item that has the name.
      *
      """),
    CommandGrammar(
      "keyring serve",
      "Run a command that finds the vault as its desktop keyring.",
      """
      --only <glob> +: Serve only items whose name, service or server matches
      --read-only: Let no program store, change or remove anything.
      --confirm: Ask in approve --watch, here, or by VAULT_ASKPASS, before a program may use an \
      item. No session is started.
      --collection <name=vault> +: Serve another vault as a further collection
      --answer-within <time>: How long a person has for an answer
      --bus: Serve the session bus that there is, in the place of a desktop keyring.
      --socket: Serve the socket that systemd passes, as a bus of its own.
      --replace: With --bus, take the place of the keyring that is there.
      --run-command <run-command> ++ !:
      *
      """),
    CommandGrammar(
      "backup",
      "Write the vault and its history into one sealed file, and verify it.",
      """
      <file> =file: The file, where an older backup is replaced
      --keep <number>: In a folder: how many backups of this vault to keep there.
      *
      """),
    CommandGrammar(
      "merge",
      "Merge another file of this vault, such as a file syncer's conflict copy.",
      """
      <file> =file: The other vault file, or a backup.
      --base <file> =file: A common ancestor of both, such as an older backup: tells what one \
      side removed.
      --dry-run -n: Say what would change, and change nothing.
      --resolve <name> =live: Settle a conflict: the item's current value stays.
      --take: With --resolve: the other value becomes current.
      --into <file> =file: Merge FILE into this file, not into the vault: for git's merge driver.
      *
      """),
    CommandGrammar(
      "sync",
      "Keep the vault the same on several machines, through a store that learns nothing.",
      """
      -h --help: Show help information.
      """),
    CommandGrammar(
      "sync init",
      "Begin: from now on, the vault goes to the store.",
      """
      <store> =directory: A folder that exists
      --label <name>: What this machine is called
      --in-work-tree: Use a folder that is in a work tree of git.
      --store-password <source>: The store's password: env:NAME, file:PATH, fd:N, stdin or \
      cmd:COMMAND.
      *
      """),
    CommandGrammar(
      "sync invite",
      "Let another machine in: makes a code for it.",
      """
      --role <role>: reader, writer, admin or owner
      --for <time>: For how long: 15m, 1h, 7d.
      --uses <number>: How many machines may join by it.
      *
      """),
    CommandGrammar(
      "sync join",
      "Join the machines of a store, by an invitation or a recovery code.",
      """
      <store> =directory: A folder that exists
      --label <name>: What this machine is called
      --in-work-tree: Use a folder that is in a work tree of git.
      --store-password <source>: The store's password: env:NAME, file:PATH, fd:N, stdin or \
      cmd:COMMAND.
      --stdin: Read the code from stdin.
      --merge: Give the others what this vault has, without a question.
      --subscription <source>: Follow a feed by a subscription, whose code is there: file:PATH, \
      env:NAME, fd:N, cmd:COMMAND, prompt, - for stdin.
      *
      """),
    CommandGrammar(
      "sync now",
      "Bring changes to the store, and take those of others.",
      """
      --unattended: Ask nobody
      --discard-local: On a machine that only reads: undo what was changed here.
      *
      """),
    CommandGrammar(
      "sync auto",
      "Bring each change to the store by itself: on or off.",
      """
      <state> =on,off: on or off.
      *
      """),
    CommandGrammar(
      "sync status",
      "Show how the vault stands to the store, without asking it.",
      """
      *
      """),
    CommandGrammar(
      "sync devices",
      "List the machines, and the subscriptions.",
      """
      *
      """),
    CommandGrammar(
      "sync remove",
      "Remove a machine: it reads nothing that is written from now on.",
      """
      <device>: Its name, or the beginning of its id.
      --since <time>: Also revert what it changed since this time ago, or this date.
      --copies: Also remove all machines that go on from copies of its home.
      --dry-run -n: With --since, only show what would be reverted.
      --yes -y: With --since, do not ask.
      *
      """),
    CommandGrammar(
      "sync role",
      "Give a machine another role.",
      """
      <device>: The machine's name, or the beginning of its id.
      <role> =owner,admin,writer,reader: owner, admin, writer or reader.
      *
      """),
    CommandGrammar(
      "sync admit",
      "Let a machine in whose invitation had ended before an admin's machine saw it.",
      """
      <device>: Its name, or the beginning of its id.
      *
      """),
    CommandGrammar(
      "sync subscription",
      "Let many read without being machines of the space: by the code of a group.",
      """
      -h --help: Show help information.
      """),
    CommandGrammar(
      "sync subscription create",
      "Make a subscription, and write its code once.",
      """
      <name>: What the group is called: letters, digits, dots, hyphens, underscores.
      --for <time>: For how long
      --out -o <file> =file: Write the code to a file that only you can read
      *
      """),
    CommandGrammar(
      "sync subscription list",
      "List the subscriptions, those that were removed at the end.",
      """
      *
      """),
    CommandGrammar(
      "sync subscription remove",
      "End a subscription: who has its code reads nothing that is written from now on.",
      """
      <name>: Its name, or the beginning of its id.
      *
      """),
    CommandGrammar(
      "sync mirror",
      "Publish the space in a folder, for those who read it by a subscription.",
      """
      <folder> =directory: The folder.
      --every <time>: How often you do that: a feed three times as old is told where it is read. \
      5s to 7d.
      --watch: Do it again and again, until it is ended.
      *
      """),
    CommandGrammar(
      "sync rotate",
      "Seal what is written from now on with a new key.",
      """
      *
      """),
    CommandGrammar(
      "sync move",
      "Follow the store, which lies in another place now.",
      """
      <store> =directory: A folder
      --in-work-tree: Use a folder that is in a work tree of git.
      --store-password <source>: The store's password: env:NAME, file:PATH, fd:N, stdin or \
      cmd:COMMAND.
      *
      """),
    CommandGrammar(
      "sync resolve",
      "Settle what two machines changed without knowing of each other, for all machines.",
      """
      <name> =live: The item.
      --take <machine>: The machine whose change is taken.
      *
      """),
    CommandGrammar(
      "sync add",
      "Keep a preference domain, or an application's rows, the same on the machines, too.",
      """
      <domain> =live: The domain, as 'defaults' names it
      <store> =live: Behind 'data': an application, or APPLICATION/STORE.
      *
      """),
    CommandGrammar(
      "sync drop",
      "Leave a preference domain, or an application's rows, out: all of it stays as it is.",
      """
      <domain> =live: The domain, as 'defaults' names it
      <store> =live: Behind 'data': an application, or APPLICATION/STORE.
      *
      """),
    CommandGrammar(
      "sync schema",
      "Print what an administrator runs in a database for spaces.",
      """
      <server> =postgresql: postgresql.
      *
      """),
    CommandGrammar(
      "sync watch",
      "Keep the vault and its store together until it is ended.",
      """
      --metrics <path> =file: Write numbers for Prometheus to a file after each run: for the \
      collector of text files.
      --metrics-socket <path> =file: Tell these numbers over HTTP on a Unix socket.
      *
      """),
    CommandGrammar(
      "sync log",
      "Show which machine changed which item, and when.",
      """
      --no-pager: Show a long log at once, not a page at a time.
      *
      """),
    CommandGrammar(
      "sync leave",
      "Stop: the vault stays as it is, and goes to no store.",
      """
      --force: Leave also as the only owner: nobody can invite or remove machines any more.
      *
      """),
    CommandGrammar(
      "settings",
      "Show or change the settings of this vault.",
      """
      <name> =session,clipboard,log: What to set.
      <value>: A time, 0, or default
      *
      """),
    CommandGrammar(
      "log",
      "Show who used which secret, when and how.",
      """
      <name> =live: The item, also a removed one or by an earlier name
      --since <time>: Only since this time ago, or this date.
      --by <program>: Only by this program, or one that it started: its name or its path.
      --no-pager: Show a long log at once, not a page at a time.
      *
      """),
    CommandGrammar(
      "upgrade",
      "Say how this command was installed, and what to type for another version.",
      """
      --check <file> =file +: Say which version this file needs
      *
      """),
    CommandGrammar(
      "defaults",
      "Keep preferences, in the grammar of macOS's defaults.",
      """
      <words> =live ++: A line as above.
      -h --help: Show help information.
      """),
    CommandGrammar(
      "data",
      "Inspect the stores of applications.",
      """
      -h --help: Show help information.
      """),
    CommandGrammar(
      "data stores",
      "List the stores of all applications.",
      """
      *
      """),
    CommandGrammar(
      "data schema",
      "Show the entities and properties of a store.",
      """
      <store> =live: The store.
      <entity> =live: Only this entity.
      *
      """),
    CommandGrammar(
      "data fetch",
      "Print the rows of an entity.",
      """
      <store> =live: The store.
      <entity> =live: The entity.
      --where <condition>: Only rows for which this is true.
      --sort <key> =live +: Order by this property
      --limit <number>: At most this many.
      --csv: As CSV, with a line of names first (RFC 4180).
      *
      """),
    CommandGrammar(
      "data count",
      "Count the rows of an entity.",
      """
      <store> =live: The store.
      <entity> =live: The entity.
      --where <condition>: Only rows for which this is true.
      *
      """),
    CommandGrammar(
      "data export",
      "Write all rows, or an entity's, as one JSON document.",
      """
      <store> =live: The store.
      --entity <name> =live +: Only this entity
      --out <file> =file: Write to this file instead of stdout, all or nothing.
      *
      """),
    CommandGrammar(
      "data check",
      "Verify a store: pages, indexes, keys, large files, metadata.",
      """
      <store> =live: The store.
      *
      """),
    CommandGrammar(
      "data backup",
      "Copy a store while its application runs, as it is at one moment.",
      """
      <store> =live: The store.
      <file> =file: Where to
      *
      """),
    CommandGrammar(
      "data history",
      "Show who changed which rows when, in a store that keeps a history.",
      """
      <store> =live: The store.
      --after <number>: Only later transactions than this one.
      --author <name>: Only this author's.
      --entity <name> =live: Only changes of this entity.
      --limit <number>: At most so many transactions, the last ones.
      *
      """),
    CommandGrammar(
      "data vacuum",
      "Give the space of deleted rows back to the file system.",
      """
      <store> =live: The store.
      *
      """),
    CommandGrammar(
      "data migrate",
      "Show what a newer version of its application would do to a store.",
      """
      <store> =live: The store.
      --to <store> =live: A store that the newer version made.
      --dry-run -n: Change nothing
      *
      """),
    CommandGrammar(
      "data import",
      "Make a store of one that SwiftData or Core Data wrote on a Mac.",
      """
      <file> =file: The store from the Mac.
      --application <id>: The id of the application that will own the store.
      --name <name>: The name of its configuration, if it has one.
      --out <file> =file: Make this file, not the one where the application looks for its store.
      --dry-run -n: Write nothing
      *
      """),
    CommandGrammar(
      "data conflicts",
      "Show what lost where two machines changed one thing of an application.",
      """
      <store> =live: An application, or APPLICATION/STORE.
      *
      """),
    CommandGrammar(
      "data restore",
      "Take a value that lost",
      """
      <store> =live: An application, or APPLICATION/STORE.
      <number>: The number, as 'data conflicts' shows it.
      *
      """),
    CommandGrammar(
      "connect",
      "Have another program get its credentials from the vault.",
      """
      <program> =git,docker,podman,aws,pip,ssh,kubectl,git-sign,keyring,session,sync,browser,\
      netrc,npmrc,pypirc,cargo,gh,pgpass: git, docker, podman, aws, pip, ssh, kubectl, git-sign, \
      keyring, session, sync or browser
      <part>: The profile for aws, 'default' if omitted
      --dry-run -n: Only show what would be written.
      --home <home> =directory: Where vaults are kept, instead of VAULT_HOME and the XDG \
      directories.
      --vault <name> =live: Use the vault of this name.
      --json: Print JSON
      --quiet -q: Show only errors and warnings, no notes or progress.
      --color <when> =auto,always,never: Color: auto, always or never.
      --passphrase <source>: The passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.
      --key-file <path> =file: The key file
      --trust-key-file: Use a key file that others may read, as on a stick with FAT, from now on.
      --keyring-timeout <time>: How long the keyring may take, such as 5s.
      --accept-rollback: Accept a vault file that is older than one seen before, or a fork of it.
      --no-session: Neither use nor start a session.
      --no-keyring: Leave the desktop keyring alone: it neither opens the vault nor gets copies.
      --require-encrypted-session: Refuse a keyring that offers no encrypted connection.
      --move: Move what the program keeps in plain text into the vault first
      -h --help: Show help information.
      """),
    CommandGrammar(
      "disconnect",
      "Undo what 'connect' wrote, and nothing else.",
      """
      <program> =git,docker,podman,aws,pip,ssh,kubectl,git-sign,keyring,session,sync,browser,\
      netrc,npmrc,pypirc,cargo,gh,pgpass: git, docker, podman, aws, pip, ssh, kubectl, git-sign, \
      keyring, session, sync or browser
      <part>: The profile for aws, 'default' if omitted
      --dry-run -n: Only show what would be written.
      --home <home> =directory: Where vaults are kept, instead of VAULT_HOME and the XDG \
      directories.
      --vault <name> =live: Use the vault of this name.
      --json: Print JSON
      --quiet -q: Show only errors and warnings, no notes or progress.
      --color <when> =auto,always,never: Color: auto, always or never.
      --passphrase <source>: The passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.
      --key-file <path> =file: The key file
      --trust-key-file: Use a key file that others may read, as on a stick with FAT, from now on.
      --keyring-timeout <time>: How long the keyring may take, such as 5s.
      --accept-rollback: Accept a vault file that is older than one seen before, or a fork of it.
      --no-session: Neither use nor start a session.
      --no-keyring: Leave the desktop keyring alone: it neither opens the vault nor gets copies.
      --require-encrypted-session: Refuse a keyring that offers no encrypted connection.
      --keep: Leave what was moved in the vault: nothing is in plain text again.
      -h --help: Show help information.
      """),
    CommandGrammar(
      "credential",
      "Answer other programs: a credential helper for git, docker, aws and others.",
      """
      <protocol> =git,docker,aws,askpass,keyring,kubectl: The program's protocol.
      <action> =live ++: The words of the program.
      *
      """),
    CommandGrammar(
      "import",
      "Import the secrets of another program.",
      """
      <format> =pass,gopass,1password,bitwarden,keepassxc,lastpass,dashlane,protonpass,1pux,apple,\
      chrome,firefox,csv,keeper,roboform,enpass,aegis,2fas,andotp,otpauth,dotenv,json,aws,\
      git-credentials,docker,podman,netrc,npmrc,pypirc,cargo,gh,pgpass,kube,home: pass, gopass, \
      1password, bitwarden, keepassxc, lastpass, dashlane, protonpass, 1pux, apple, chrome, \
      firefox, csv, keeper, roboform, enpass, aegis, 2fas, andotp, otpauth, dotenv, json, aws, \
      git-credentials, docker, podman, netrc, npmrc, pypirc, cargo, gh, pgpass, kube, home.
      <path> =file: The file, or the folder of pass and gopass, which are found by themselves
      --dry-run -n: Only show what would be done.
      --replace: Give existing items with other secrets a new version.
      --prefix <text>: A prefix for all names, such as old/.
      --only <patterns>: Only names that match one of these shell patterns, in any case.
      --references <path> =file: Write the .env file with references in place of its secrets
      --yes -y: With --references: store every variable, and replace the file, without asking. \
      With home: move everything.
      --columns <list>: The columns of a csv: name, folder, secret, user, url, otp, notes, tags, \
      another field, or '-'
      --no-headings: The first row of a csv is an item, too.
      --kdbx-key-file <path> =file: The key file of a KeePassXC database.
      --kdbx-no-password: The KeePassXC database has no password: its key file alone opens it.
      *
      """),
    CommandGrammar(
      "export",
      "Write secrets in a format that other programs read",
      """
      <format> =json,dotenv,pass,keepassxc,bitwarden,docker,kubectl,systemd,shell,node,compose: \
      json, dotenv, pass, keepassxc (XML), bitwarden (JSON)
      <glob> =live: Only the items of a folder, app/, or a shell pattern.
      --format <format> =json,dotenv,pass,keepassxc,bitwarden,docker,kubectl,systemd,shell,node,\
      compose: The format, as the first word names it.
      --prefix-names: In files of variables, name a folder's variables by whole names.
      --out -o <path> =file: The file, which only you can read, '-' for stdout
      --yes -y: Write secrets in plain text without asking.
      *
      """),
    CommandGrammar(
      "completions",
      "Print the completion script of a shell.",
      """
      <shell> =bash,zsh,fish: bash, zsh or fish.
      --command <name>: The name that the command is installed under.
      -h --help: Show help information.
      """),
  ]
}
