extension Habit {
  /// Words and options behind a verb, and options behind any verb, `*`; in alphabetical order each.
  static let wordsBehindVerbs = """
    audit disable! who used which secret is recorded anyway: {} log
    audit enable! who used which secret is recorded anyway: {} log
    audit list! who used which secret: {} log
    backup --out: {} backup FILE
    backup --to: {} backup FILE, or into a folder: {} backup FOLDER/ --keep 7
    backup -o: {} backup FILE
    backup <>: an encrypted copy: {} backup FILE
    change passphrase: the vault's own: {} key change-passphrase
    connect <>: {} connect git, {} connect docker, {} connect aws PROFILE; all: {} help connect
    copy <>: {} copy NAME NEWNAME; to the clipboard: {} get NAME --copy
    credential approve: git does that by itself: {} connect git; by hand: {} credential git store
    credential fill: git does that by itself: {} connect git; by hand: {} credential git get
    credential reject: git does that by itself: {} connect git; by hand: {} credential git erase
    data browse: {} data stores; then: {} data fetch STORE ENTITY
    data get: {} data fetch STORE ENTITY
    data list: {} data stores
    data ls: {} data stores
    data query: {} data fetch STORE ENTITY
    data show: {} data schema STORE; what is in it: {} data fetch STORE ENTITY
    data sql: {} data fetch STORE ENTITY
    data tables: {} data schema STORE
    disconnect <>: {} disconnect git; what can be connected: {} help connect
    docker login: let docker ask the vault: {} connect docker
    edit --user: {} edit NAME --field user
    edit item: without that word: {} edit NAME
    exec -it: {} run NAME -- COMMAND
    export --output: {} export json --out FILE
    export -f: {} export json; the formats: {} help export
    export <>: {} export json; the formats: {} help export
    export bash: into a process: {} run FOLDER/ -- COMMAND; as lines of a shell: {} export shell FOLDER/
    export env: into a process: {} run FOLDER/ -- COMMAND; as a file: {} export dotenv FOLDER/
    export fish: into a process: {} run FOLDER/ -- COMMAND; as a file: {} export dotenv FOLDER/
    export zsh: into a process: {} run FOLDER/ -- COMMAND; as lines of a shell: {} export shell FOLDER/
    generate --copy: stored, and on the clipboard: {} set NAME --generate --copy
    generate -l: {} generate 20; stored: {} set NAME --generate --length 20
    generate -n: without symbols: {} generate 20 --no-symbols; stored: {} set NAME --generate --no-symbols
    generate -u: letters, digits and symbols are all there: {} generate 20; without some: {} generate --no-symbols
    generate -ulns: letters, digits and symbols are all there: {} generate 20; without some: {} generate --no-symbols
    generate <value>: {} generate 32; stored: {} set NAME --generate --length 32
    get --all: into a process: {} run FOLDER/ -- COMMAND; as a file: {} export json
    get --fields: one field: {} get NAME --field user
    get --format: {} get NAME --json
    get --full: everything but the secret: {} show NAME; with it: {} show NAME --reveal
    get --label: {} get NAME --field user; the fields of an item: {} show NAME
    get --name: without that option: {} get NAME
    get --password: the secret is the answer: {} get NAME
    get --plain: the secret is the answer: {} get NAME
    get --show: the secret is the answer: {} get NAME
    get --url: {} get NAME --field url; who has an address: {} list example.com
    get --user: {} get NAME --field user; whose items: {} list bob
    get --username: {} get NAME --field user; whose items: {} list bob
    get --value: the secret is the answer: {} get NAME
    get item: without that word: {} get NAME
    get login: without that word: {} get NAME; the user: {} get NAME --field user
    get note: without that word: {} get NAME; the note: {} show NAME
    get otp: {} otp NAME
    get password: without that word: {} get NAME
    get secret: without that word: {} get NAME
    get secrets: without that word: {} get NAME
    get template: a template is filled by: {} inject --in FILE
    get totp: {} otp NAME
    get uri: {} get NAME --field url; who has an address: {} list example.com
    get url: {} get NAME --field url; who has an address: {} list example.com
    get user: {} get NAME --field user; whose items: {} list bob
    get username: {} get NAME --field user; whose items: {} list bob
    help all-commands => help all
    help commands => help all
    help me => help
    help please => help
    history <>: {} history NAME; all that was used: {} log
    import <>: {} import pass; the formats: {} help import
    import age: age --decrypt FILE | {} import dotenv -; one secret: age --decrypt FILE | {} set NAME --stdin
    import chamber: chamber export --format dotenv SERVICE | {} import dotenv - --prefix app/
    import doppler: doppler secrets download --no-file --format env | {} import dotenv - --prefix app/
    import gnome-keyring: what other programs stored there: {} keyring list; one of them: {} keyring adopt NUMBER --as NAME
    import hashicorp: one secret, from its kv get -field=…: … | {} set NAME --stdin; more: Documentation/guides/coming-from.md
    import keychain: on the Mac: security export, or: {} help import; what other programs stored here: {} keyring list
    import keyring: what other programs stored there: {} keyring list; one of them: {} keyring adopt NUMBER --as NAME
    import rbw: bw export --format json --output FILE, then: {} import bitwarden FILE
    import secret-tool: what other programs stored there: {} keyring list; one of them: {} keyring adopt NUMBER --as NAME
    import sops: sops --decrypt --output-type dotenv FILE | {} import dotenv - --prefix app/
    import ssh: {} ssh import NAME FILE
    import terraform: a variable of its own: {} set NAME, then: {} run --env TF_VAR_NAME=ITEM -- terraform
    init --bare: a store for several machines: git init --bare FOLDER, then: {} sync init FOLDER
    init .: a vault in a folder: {} --home FOLDER init
    insert --echo: {} set NAME asks for it, and shows dots
    insert --multiline: {} set NAME takes several lines that are pasted; a file: {} set NAME --file PATH
    insert -e: {} set NAME asks for it, and shows dots
    insert -f: {} set NAME; an item that is there gets a new version
    insert -m: {} set NAME takes several lines that are pasted; a file: {} set NAME --file PATH
    key <>: {} key list
    key add --keyfile: a new one: {} key add --new-key-file PATH
    key add --new-keyfile: {} key add --new-key-file PATH
    key delete: {} key remove ID; which there are: {} key list
    key export: a key file is a copy of itself; a code on paper: {} key add --recovery
    key generate: {} key add --new-key-file PATH; with a passphrase: {} key add
    key new: {} key add
    key show: {} key list
    list --all: everything is listed; a part of it: {} list work/; the trash: {} list --trash
    list --count: {} list | wc -l
    list --filter: {} list WORD, {} list --tag TAG
    list --flat: {} list --no-tree
    list --folder: {} list work/
    list --folderid: {} list work/
    list --long-format: {} list --long
    list --name: {} list WORD
    list --pattern: {} list WORD
    list --recursive: everything is listed; a part of it: {} list work/
    list --search: {} list WORD
    list --tags: {} list --tag TAG
    list -1: a name on each line: {} list --no-tree
    list -R: everything is listed; a part of it: {} list work/
    list -a: everything is listed; a part of it: {} list work/; the trash: {} list --trash
    list -la: {} list --long
    list -lh: {} list --long
    list -o: {} list --long, {} list --json
    list -s: {} list WORD
    list -t: newest first: {} list --sort modified
    list all: everything: {} list
    list bin: what lies in the trash: {} list --trash
    list deleted: what lies in the trash: {} list --trash
    list everything: everything: {} list
    list expired: expired items: {} list --expired
    list fields: the fields of an item: {} show NAME
    list folders: {} list --tree
    list item: without that word: {} list
    list items: everything: {} list
    list keys: the key slots: {} key list
    list names: everything: {} list
    list passwords: everything: {} list
    list removed: what lies in the trash: {} list --trash
    list secrets: everything: {} list
    list slots: the key slots: {} key list
    list trash: what lies in the trash: {} list --trash
    list vaults: your vaults: {} list --vaults
    list versions: the versions of an item: {} history NAME
    lock --all: {} lock
    log --follow: the newest: {} log --since 1h
    log --oneline: it is a line for each use already: {} log
    log --tail: the newest: {} log --since 1h
    log -f: what was used so far: {} log
    log -n: the newest: {} log --since 1h
    login --method! {} unlock
    login -method! {} unlock
    otp <>: {} otp NAME; the seed is stored by: {} set NAME --otp
    otp append: a seed is stored by: {} set NAME --otp
    otp code: without that word: {} otp NAME
    otp insert: a seed is stored by: {} set NAME --otp
    otp uri: the seed itself: {} get NAME --field otp; its code: {} otp NAME
    otp validate: the code of now: {} otp NAME
    read <>: {} read secret://work/github#user
    remove <>: {} remove NAME; the names: {} list
    rename <>: {} rename NAME NEWNAME; the names: {} list
    restore <>: from the trash: {} restore NAME; what lies there: {} list --trash
    run --all: a folder: {} run FOLDER/ -- COMMAND; everything: {} run '**' -- COMMAND
    run -e: {} run --env NAME=ITEM -- COMMAND
    run -it: {} run NAME -- COMMAND
    secrets disable! {} list, {} get NAME, {} set NAME
    secrets enable! {} list, {} get NAME, {} set NAME
    secrets list! {} list
    secrets tune! {} list, {} get NAME, {} set NAME
    set --account: {} set NAME --attribute service=api --attribute account=me
    set --email: as a field: {} set NAME --field email=…
    set --from-file: {} set NAME --file PATH
    set --from-literal: {} set NAME asks for the secret; from a pipe: {} set NAME --stdin
    set --generate: {} set NAME --generate --length 20
    set --login: as a field: {} set NAME --field login=…
    set --name: without that option: {} set NAME
    set --notes: {} set NAME --note TEXT
    set --password: {} set NAME asks for the secret; more of it: --field user=bob --field url=…
    set --service: {} set NAME --attribute service=api --attribute account=me
    set --title: {} set NAME asks for the secret; more of it: --field user=bob --field url=…
    set --url: as a field: {} set NAME --field url=…
    set --user: as a field: {} set NAME --field user=…
    set --username: as a field: {} set NAME --field username=…
    set --value: {} set NAME asks for the secret; from a pipe: {} set NAME --stdin
    set -g: {} set NAME --generate
    set -p: {} set NAME asks for the secret; from a pipe: {} set NAME --stdin
    set -u: as a field: {} set NAME --field user=…
    set <>: {} set NAME; it asks for the secret
    settings <value>: all of them: {} settings; change one: {} settings session 30m
    show --fields: {} show NAME; one of them: {} get NAME --field user
    show --password: with the secret: {} show NAME --reveal
    show -a: {} get NAME --field user; all of them: {} show NAME
    show <>: {} show NAME; the names: {} list
    show item: without that word: {} show NAME
    ssh add: a key into the vault: {} ssh import NAME FILE; for ssh: {} connect ssh
    ssh generate: {} ssh keygen NAME
    ssh list: {} ssh public
    ssh new: {} ssh keygen NAME
    status --raw: for programs: {} status --json
    status -s: {} status; for programs: {} status --json
    sync activate: {} sync auto on; to a store: {} sync init STORE
    sync begin: {} sync init STORE
    sync check: {} sync status
    sync clone: on a further machine: {} sync join STORE, with an invitation of: {} sync invite
    sync commit: every change is stored at once; to the store: {} sync now
    sync config: {} sync status; to another store: {} sync move STORE
    sync configure: {} sync init STORE; on a further machine: {} sync join STORE
    sync conflicts: {} list --conflicts
    sync connect: {} sync init STORE; on a further machine: {} sync join STORE
    sync create: {} sync init STORE
    sync daemon: {} sync auto on
    sync deactivate: {} sync auto off; for good: {} sync leave
    sync delete: a machine leaves by: {} sync remove MACHINE; this one: {} sync leave; which there are: {} sync devices
    sync destroy: this machine leaves by: {} sync leave; which there are: {} sync devices
    sync diff: what two machines changed: {} list --conflicts; what a machine did: {} sync log
    sync disable: {} sync auto off; for good: {} sync leave
    sync disconnect: {} sync auto off; for good: {} sync leave
    sync down: {} sync now
    sync download: {} sync now
    sync enable: {} sync auto on; to a store: {} sync init STORE
    sync export: {} sync now
    sync fetch: {} sync now
    sync force: {} sync now
    sync get: {} sync now
    sync git: {} sync init HOST:PATH; what can be a store: {} help sync init
    sync history: {} sync log
    sync import: {} sync now; from another program: {} import FORMAT FILE
    sync info: {} sync status
    sync install: {} sync auto on
    sync key: the space has a key of its own: {} sync rotate; who has it: {} sync devices
    sync kick: {} sync remove MACHINE; which there are: {} sync devices
    sync link: {} sync init STORE; on a further machine: {} sync join STORE
    sync list: {} sync devices
    sync login: {} sync join STORE, with an invitation of: {} sync invite; or begin: {} sync init STORE
    sync logout: {} sync auto off; for good: {} sync leave
    sync ls: {} sync devices
    sync machines: {} sync devices
    sync me: {} sync now
    sync members: {} sync devices
    sync merge: {} sync now; what two machines changed: {} list --conflicts
    sync new: {} sync init STORE; for a further machine: {} sync invite
    sync off: {} sync auto off; for good: {} sync leave
    sync on: {} sync auto on; to a store: {} sync init STORE
    sync once: {} sync now
    sync open: {} sync status
    sync origin: {} sync status; to another store: {} sync move STORE
    sync pair: for a further machine: {} sync invite; there: {} sync join STORE
    sync pause: {} sync auto off
    sync peers: {} sync devices
    sync people: {} sync devices
    sync publish: {} sync now
    sync pull: {} sync now
    sync push: {} sync now
    sync put: {} sync now
    sync rebase: {} sync now; what two machines changed: {} list --conflicts
    sync refresh: {} sync now
    sync register: {} sync join STORE, with an invitation of: {} sync invite
    sync remote: {} sync status; to another store: {} sync move STORE
    sync reset: of one item: {} history NAME; to begin anew: {} sync leave, then: {} sync init STORE
    sync restart: {} sync now
    sync restore: {} sync now; one item: {} restore NAME --revision 3
    sync resume: {} sync auto on
    sync rm: a machine leaves by: {} sync remove MACHINE; this one: {} sync leave; which there are: {} sync devices
    sync run: {} sync now
    sync save: {} sync now
    sync send: {} sync now
    sync server: where the vault goes: {} sync status; a store of its own: {} sync init STORE
    sync set: {} sync init STORE; to another store: {} sync move STORE
    sync setup: {} sync init STORE; on a further machine: {} sync join STORE
    sync share: with a machine or a person: {} sync invite
    sync show: {} sync status
    sync start: {} sync init STORE
    sync stop: {} sync auto off; for good: {} sync leave
    sync sync: {} sync now
    sync team: {} sync devices; somebody more: {} sync invite
    sync test: {} sync status
    sync undo: {} undo
    sync unlink: {} sync auto off; for good: {} sync leave
    sync up: {} sync now
    sync update: {} sync now
    sync upload: {} sync now
    sync url: {} sync status; to another store: {} sync move STORE
    sync users: {} sync devices
    sync verify: {} sync status
    sync with: {} sync init STORE; on a further machine: {} sync join STORE
    trash clean: one for ever: {} remove NAME --purge; what lies there: {} list --trash
    trash clear: one for ever: {} remove NAME --purge; what lies there: {} list --trash
    trash delete: one for ever: {} remove NAME --purge; what lies there: {} list --trash
    trash empty: one for ever: {} remove NAME --purge; what lies there: {} list --trash
    trash list: what lies there: {} list --trash
    trash ls: what lies there: {} list --trash
    trash purge: one for ever: {} remove NAME --purge; what lies there: {} list --trash
    trash restore: from the trash: {} restore NAME
    trash show: what lies there: {} list --trash
    trash undo: the last removal: {} undo
    undo --all: the last change: {} undo; several: {} undo --steps 3
    undo 1: the last change: {} undo; an older version: {} history NAME
    undo 2: several steps back: {} undo --steps 2; an older version: {} history NAME
    undo last: {} undo
    unlock --duration: {} unlock --for 8h
    unlock --minutes: {} unlock --for 30m
    unlock --raw: no key is printed, a session keeps it: {} unlock --for 8h
    unlock --timeout: {} unlock --for 30m
    unlock -p: {} unlock asks for the passphrase; from a file: {} unlock --passphrase file:PATH
    unlock -t: {} unlock --for 30m
    unlock -u: the vault is on this machine, without a user or a server: {} unlock
    * --address! the vault is a file of yours: {} --home FOLDER list
    * --ca-cert! the vault is a file of yours: {} list
    * --ca-path! the vault is a file of yours: {} list
    * --debug: what was tried to open the vault: VAULT_LOG=debug {} status
    * --format: for programs: {} list --json, {} get NAME --json
    * --namespace! another vault: {} --vault NAME list
    * --no-color: {} list --color never, or the variable NO_COLOR
    * --output: for programs: --json; into a file: {} get NAME --out FILE
    * --password: never on the line; what opens the vault: {} unlock --passphrase file:PATH
    * --pretty: for programs: --json
    * --silent: {} status --quiet
    * --text: for programs: --json
    * --verbose: what was tried to open the vault: VAULT_LOG=debug {} status
    * --yaml: for programs: --json
    * -address! the vault is a file of yours: {} --home FOLDER list
    * -ca-cert! the vault is a file of yours: {} list
    * -ca-path! the vault is a file of yours: {} list
    * -client-cert! the vault is a file of yours: {} list
    * -dev! there is no server: {} init
    * -field! {} get NAME --field user
    * -force! {} remove NAME --yes
    * -format! {} list --json, {} get NAME --json
    * -method! {} unlock
    * -mount! a folder is a part of the name: {} list work/
    * -namespace! another vault: {} --vault NAME list
    * -o: for programs: --json; into a file: {} get NAME --out FILE
    * -ojson: for programs: --json; into a file: {} get NAME --out FILE
    * -output-curl-string! {} list
    * -owide: more of each item: {} list --long
    * -oyaml: for programs: --json; into a file: {} get NAME --out FILE
    * -path! a folder is a part of the name: {} list work/
    * -tls-skip-verify! the vault is a file of yours: {} list
    * -ttl! a secret expires when you say: {} set NAME --expires 30d
    * -v: what was tried to open the vault: VAULT_LOG=debug {} status
    * -vv: what was tried to open the vault: VAULT_LOG=debug {} status
    * -vvv: what was tried to open the vault: VAULT_LOG=debug {} status
    """
}
