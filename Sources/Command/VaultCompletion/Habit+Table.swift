extension Habit {
  /// What people type by habit, a line each, in alphabetical order within its part.
  ///
  /// What stands first is a word in the verb's place, a word with the next one, or a verb with an
  /// option. `<>` is an argument that is missing, `<value>` one that has no such value, `*` any verb.
  ///
  /// - `WORD => LINE`: it stands for these words. `|| TEXT` is the hint where they are refused.
  /// - `WORD: TEXT`: the hint. `WORD! TEXT`: the same, of HashiCorp's program.
  ///
  /// In a hint `{}` is the program's name, `{attributes}` the options for the attributes that the line
  /// names in another program's way, `{item}` an item's name that is made of these.
  static let lines = """
    -? => help
    -V => --version
    -help => help
    -version => --version
    /? => help
    /h => help
    /help => help
    2fa: {} otp NAME; the seed is stored by: {} set NAME --otp
    ? => help
    about => --version
    account: an account is an item: {} list, {} get NAME
    accounts => list || one pattern at a time: {} list 'work/*'
    add => set
    add-generic-password: {} set {item} {attributes}; it asks for the secret
    add-internet-password: {} set {item} {attributes}; it asks for the secret
    addcert: {} set NAME --file PATH
    agent: no agent is needed, a session keeps the vault open: {} unlock --for 8h
    alias: a second name is a copy: {} copy NAME NEWNAME
    app: it has no window; pick from a menu of the desktop: {} menu
    apply: secrets of a file of variables: {} import dotenv FILE; into a template: {} inject --in FILE
    approle! a machine without a person opens it by a key file: {} key add --key-file PATH
    approve: a machine that waits to be let in: {} sync admit MACHINE
    archive: to the trash, and back: {} remove NAME, {} undo; an encrypted copy: {} backup FILE
    attach: a file is an item: {} set NAME --file PATH
    attachment: a file is an item: {} set NAME --file PATH, {} get NAME --out PATH
    auth! the passphrase opens it: {} unlock; who opens it: {} key list
    authenticate => unlock
    aws: let aws ask the vault: {} connect aws PROFILE
    bin: what lies in the trash: {} list --trash; from there: {} restore NAME
    blame: {} history NAME; who used it: {} log NAME
    branch: to try something: {} copy NAME NEWNAME; a vault of its own: {} --vault NAME init
    breach: whether a secret is known to be leaked: {} audit --breaches online
    build: secrets into a file: {} inject --in FILE; for docker: {} export docker FOLDER/
    bw: without that word: {} list, {} get NAME; all of it: {} import bitwarden FILE
    bye: nothing keeps running; to forget the key: {} lock
    cat => get
    cd: a folder is a part of the name: {} list work/
    chamber: into a process: {} run FOLDER/ -- COMMAND
    change-passphrase => key change-passphrase
    change-password: an item's: {} set NAME; the vault's own: {} key change-passphrase
    check-leaks: whether a secret is known to be leaked: {} audit --breaches online
    checkout: an earlier version: {} history NAME, then: {} get NAME@3, or: {} restore NAME --revision 3
    clean: secrets in plain text in the home: {} import home --dry-run; what is old or weak: {} audit
    cleanup: secrets in plain text in the home: {} import home --dry-run; what is old or weak: {} audit
    clear: a secret by its attributes: {} list {attributes}, then: {} remove NAME; the clipboard clears itself
    clip => get --copy || {} get NAME --copy --clear-after 10s
    clone: on a further machine: {} sync join STORE, with an invitation of: {} sync invite
    close => lock || {} lock
    cls: the screen is the shell's: clear; to forget the key: {} lock
    code => otp || a one-time code: {} otp NAME
    commit: every change is stored and versioned at once: {} history NAME; take the last one back: {} undo
    compare: versions of an item: {} history NAME; secrets that are used twice: {} audit
    completion => completions
    compose: {} run FOLDER/ -- docker compose up
    config => settings || all of them: {} settings; change one: {} settings session 30m
    configure: create a vault: {} init; its settings: {} settings
    confirm: a machine of a team: {} sync admit; who belongs to it: {} sync devices
    convert: from another program: {} import FORMAT FILE; for another program: {} export FORMAT
    copy-to-clipboard => get --copy
    count: {} list | wc -l
    cp => copy
    create: create a vault: {} init; store an item: {} set NAME
    create-keychain: a vault of its own: {} --vault NAME init
    create-vault: {} --vault NAME init; all of them: {} list --vaults
    cron: {} run NAME -- COMMAND, with VAULT_KEY_FILE in the crontab: Documentation/guides/cron.md
    daemon: nothing runs in the background: {} get NAME; a session for a day's work: {} unlock --for 8h
    data-fetch => data fetch
    db-create: create a vault: {} init; another one: {} --vault NAME init
    db-edit: {} settings; who opens it: {} key list
    db-info => status
    debug: what was tried to open the vault: VAULT_LOG=debug {} status
    decode: {} get NAME; a reference in another form: {} read 'secret://NAME?encoding=base64'
    decrypt: a file that was stored: {} get NAME --out PATH
    dedupe: secrets that are used twice: {} audit
    default => defaults
    default-keychain: the vault of a line: {} --vault NAME list; of a shell: export VAULT_NAME=NAME
    del => remove
    delete => remove
    delete-certificate: {} list {attributes}, then: {} remove NAME
    delete-generic-password: find it: {} list {attributes}; then: {} remove NAME
    delete-internet-password: find it: {} list {attributes}; then: {} remove NAME
    delete-keychain: a vault is its file; see where it lies: {} list --vaults
    describe => show || everything but the secret: {} show NAME
    destroy: to the trash: {} remove NAME, and back: {} undo; a vault of its own: {} list --vaults
    details => show
    devices: the machines of this vault: {} sync devices
    diceware => generate --words 6
    diff: versions of an item: {} history NAME; secrets that are weak or used twice: {} audit
    dir => list
    docker: let docker ask the vault: {} connect docker; as variables: {} run NAME -- docker compose up
    docker-credential: {} connect docker; by itself: {} credential docker get
    docs: {} help; the manual page: man vault
    doctor => check
    document: a file is an item: {} set NAME --file PATH, {} get NAME --out PATH
    doppler: into a process: {} run FOLDER/ -- COMMAND
    download: on a further machine: {} sync join STORE; a file that was stored: {} get NAME --out PATH
    drop: to the trash: {} remove NAME, and back: {} undo
    dump: all secrets in plain text: {} export json; encrypted: {} backup FILE
    dump-keychain: the items without their secrets: {} list --long; all of it in plain text: {} export json
    duplicate => copy
    duplicates: secrets that are used twice: {} audit
    empty-trash: one for ever: {} remove NAME --purge; what lies there: {} list --trash
    encode: {} read 'secret://NAME?encoding=base64'
    encrypt: store a file: {} set NAME --file PATH
    env => run
    envchain: into a process: {} run FOLDER/ -- COMMAND
    environment: into a process: {} run FOLDER/ -- COMMAND
    erase: to the trash: {} remove NAME; for ever: {} remove NAME --purge
    estimate: of all that is stored: {} audit; a strong one: {} generate
    eval: into a process: {} run FOLDER/ -- COMMAND
    events: who used which secret: {} log
    examples: {} help, {} help set; the manual page: man vault
    exec => run
    exec-env: into a process, from a file of references: {} run --env-file FILE -- COMMAND
    exec-file: an item as a file: {} run --as-file NAME -- COMMAND
    exit: nothing keeps running; to forget the key: {} lock
    expire: {} set NAME --expires 30d; what expires soon: {} list --expiring 30d
    expires: {} set NAME --expires 30d; what expires soon: {} list --expiring 30d
    expiry: {} set NAME --expires 30d; what expires soon: {} list --expiring 30d
    extract: one field: {} get NAME --field user; all in plain text: {} export json
    faq: {} help; the manual page: man vault
    feedback: where it came from: Documentation/faq.md; what to add to a report: {} --version, {} status
    fetch => get || from the store: {} sync now; a secret: {} get NAME
    field: {} get NAME --field user; the fields of an item: {} show NAME
    fields => show
    files: a file is an item: {} set NAME --file PATH
    find => list || {} list WORD; by attributes: {} list {attributes}
    find-certificate: {} list {attributes} --long; as a file: {} get NAME --out PATH
    find-generic-password: {} get {attributes}; without the secret: {} list {attributes}
    find-identity: {} list --long
    find-internet-password: {} get {attributes}; without the secret: {} list {attributes}
    folder: a folder is a part of the name: {} set work/github; all of one: {} list work/
    forgot: a lost passphrase: {} unlock --recovery; what opens the vault: {} key list
    fs: a file is an item: {} set NAME --file PATH
    fsck => check
    gc: nothing needs it; one for ever: {} remove NAME --purge
    gen => generate
    gen-pass => generate
    generate-root! a lost passphrase: {} unlock --recovery
    genotp => otp
    get-all: into a process: {} run FOLDER/ -- COMMAND; as a file: {} export json
    get-generic-password: {} get {attributes}; without the secret: {} list {attributes}
    get-identity: {} list --long
    get-secret-value => get
    git: let git ask the vault: {} connect git; to other machines, as pass git push: {} sync now
    git-credential: {} connect git; by itself: {} credential git get
    gopass: without that word: {} list, {} get NAME; all of it: {} import gopass FOLDER
    gpg: it needs no GPG; a key is stored with: {} set NAME --file PATH
    grep: names are found by: {} list WORD, users, addresses, tags and notes, too; secrets are not searched
    group: a group is a folder in the name: {} set work/github; all of one: {} list work/
    groups: a group is a folder in the name: {} list
    gui: it has no window; pick from a menu of the desktop: {} menu
    hash: whether a secret is known to be leaked: {} audit --breaches online; a new one: {} generate
    hcp! the vault is a file of yours; on several machines: {} sync init STORE
    health => audit
    helper: let git, docker and others ask the vault: {} connect PROGRAM
    hibp: whether a secret is known to be leaked: {} audit --breaches online
    id => status
    identity => status
    images: what the vault holds: {} list; let docker ask it: {} connect docker
    import-key: {} set NAME --file PATH
    info: an item's details: {} show NAME; the vault's state: {} status
    initialise => init
    initialize => init
    insert => set
    inspect => show || everything but the secret: {} show NAME
    install: let a program ask the vault: {} connect PROGRAM
    invite => sync invite
    item: without that word: {} list, {} get NAME, {} set NAME, {} remove NAME
    items => list
    join => sync join
    keepassxc-cli: without that word: {} list, {} get NAME; all of it: {} import kdbx FILE
    keychain: the desktop keyring: {} keyring status; its items: {} keyring list
    keygen: a key of ssh: {} ssh keygen NAME; a password: {} generate
    keys => key list
    kubeconfig: kubectl takes a token from a program, by exec in its users: {} get NAME
    kubectl: secrets for a cluster: {} export kubectl FOLDER/; as variables: {} run FOLDER/ -- kubectl
    kv! {} get NAME, {} set NAME, {} list, {} remove NAME
    l => list
    la => list
    label: words to find an item by: {} set NAME --tag TAG; find it: {} list --tag TAG
    lease! a secret expires when you say: {} set NAME --expires 30d
    leave: the space of several machines: {} sync leave
    less => get
    link: a second name is a copy: {} copy NAME NEWNAME
    list-collections: {} list --vaults
    list-keychains: {} list --vaults
    ll => list --long
    locate => list || {} list WORD
    lock-keychain: {} lock
    login => unlock || the vault is on this machine, without a user or a server: {} unlock; a user of an item: {} list bob
    login-keychain: {} unlock
    logout => lock
    lookup => get || by attributes: {} get {attributes}
    lpass: without that word: {} list, {} get NAME; all of it: {} import lastpass FILE
    ls => list || {} list WORD
    machines: the machines of this vault: {} sync devices
    man: the manual page: man {}; here: {} help VERB
    members: {} sync devices
    mfa: {} otp NAME; the seed is stored by: {} set NAME --otp
    migrate: nothing is to be migrated; from another program: {} import FORMAT FILE; an application's store: {} data migrate
    mkdir: a folder comes with its first item: {} set work/github
    monitor! who used which secret: {} log
    more => get
    mounts: the vaults: {} list --vaults; another one: {} --vault NAME init
    move => rename
    mv => rename
    namespace! a vault of its own: {} --vault NAME init; a folder: {} list work/
    network: on several machines: {} sync status
    new: create a vault: {} init; store an item: {} set NAME
    new-vault: {} --vault NAME init
    note: change an item's note: {} set NAME --note TEXT
    notes: change an item's note: {} set NAME --note TEXT; read it: {} show NAME
    npm: {} run --env NPM_TOKEN=ITEM -- npm publish; what it keeps in plain text: {} connect npm --move
    nuke: to the trash: {} remove NAME, and back: {} undo
    op: without that word: {} read secret://work/github#user, {} list, {} get NAME
    open => unlock || {} unlock; a database of KeePass: {} import kdbx FILE
    operator! {} init, {} unlock, {} status, {} key rotate
    org: a team shares a vault: {} sync invite
    pass: without that word: {} list, {} get NAME; all of it: {} import pass FOLDER
    passphrase: one for an item: {} generate --words 6; the vault's own: {} key change-passphrase
    passwd => key change-passphrase
    password: read one: {} get NAME; make one: {} generate; the vault's own: {} key change-passphrase
    passwords => list
    paste: from the clipboard: wl-paste | {} set NAME --stdin, or xclip -o -selection clipboard | {} set NAME --stdin
    patch! more of an item: {} set NAME --field user=bob
    path-help! {} help VERB, {} help all
    peek => get
    pick: pick from a list: {} get; from a menu of the desktop: {} menu
    pki! a certificate is stored: {} set NAME --file PATH
    plugin: let git, docker, aws and others ask the vault: {} connect PROGRAM
    policy! the vault is a file of yours; who opens it: {} key list; of a team: {} sync devices
    pp: everything but the secret: {} show NAME
    preferences => defaults
    prefs => defaults
    print => get
    process: a template is filled by: {} inject --in FILE
    proxy! programs ask the vault directly: {} connect PROGRAM
    prune: to the trash: {} remove NAME; for ever: {} remove NAME --purge
    ps: nothing keeps running; what the keyring holds: {} keyring status
    pull: from the store: {} sync now; on a further machine: {} sync join STORE
    purge: to the trash: {} remove NAME; for ever: {} remove NAME --purge
    push: to other machines: {} sync now; an encrypted copy: {} backup FILE
    put => set
    pw: read one: {} get NAME; make one: {} generate; the vault's own: {} key change-passphrase
    pwgen => generate
    pwned: whether a secret is known to be leaked: {} audit --breaches online
    qr: {} get NAME --qr
    qrcode: {} get NAME --qr
    query => list
    quit: nothing keeps running; to forget the key: {} lock
    random: a random secret: {} generate 32; stored: {} set NAME --generate
    rbw: without that word: {} list, {} get NAME
    recent => list --long --sort modified
    recipients: who opens the vault: {} key list; the machines of a space: {} sync devices
    recover: an item from the trash: {} restore NAME; a lost passphrase: {} unlock --recovery
    recovery: {} unlock --recovery; a new code: {} key add --recovery
    recycle: what lies in the trash: {} list --trash; from there: {} restore NAME
    redo: a second one does it again: {} undo; an older version: {} history NAME
    register: create a vault: {} init; a further machine: {} sync join STORE
    rekey! another passphrase: {} key change-passphrase; another vault key: {} key rotate
    reload: nothing keeps running, every command reads the file; from the store: {} sync now
    remote: where the vault goes: {} sync status; to a store: {} sync init STORE; to another one: {} sync move STORE
    remove-device: {} sync remove MACHINE
    render: {} inject --in FILE --out FILE
    repair: what is damaged: {} check; a new vault from what is whole: {} check --salvage
    report: of all secrets: {} audit; of the vault: {} status
    reset: take the last change back: {} undo; an earlier version: {} restore NAME --revision 3
    reveal => get
    revert: take the last change back: {} undo; an earlier version: {} restore NAME --revision 3
    revoke: another secret in its place: {} set NAME; what a machine could read: {} list --exposed-to MACHINE
    rm => remove
    rmdir => remove
    rmi: to the trash: {} remove NAME; back: {} undo
    rollback: take the last change back: {} undo; an earlier version: {} restore NAME --revision 3
    rollout: {} sync now; the history of an item: {} history NAME
    rotate: a secret: {} set NAME --generate; the vault's key: {} key rotate
    save => set
    scan => audit
    seal => lock
    search => list || {} list WORD; by attributes: {} list {attributes}
    secret: without that word: {} list, {} get NAME, {} set NAME, {} remove NAME
    secret-get: {} get NAME
    secret-tool: {} get {attributes}, {} list {attributes}
    secrets => list || without that word: {} list, {} get NAME, {} set NAME
    secretsmanager: without that word: {} get NAME, {} list; let aws ask the vault: {} connect aws PROFILE
    security: find-generic-password -s api: {} get --attribute service=api; the others: Documentation/guides/coming-from.md, {} list
    select: {} --vault NAME list; for a shell: export VAULT_NAME=NAME; all of them: {} list --vaults
    self-update: as it was installed, Documentation/guides/updating.md; which one this is: {} --version
    send: to another machine: {} sync now; to another person: {} sync invite
    serve: it needs no server: every command opens the vault file itself
    server! no server is needed, every command opens the vault file: {} init, {} set NAME
    service-account: a machine without a person opens it by a key file: {} key add --new-key-file PATH
    set-generic-password: {} set {item} {attributes}; it asks for the secret
    set-keychain-password: {} key change-passphrase
    set-keychain-settings: how long a session lasts: {} settings session 30m
    setup: create a vault: {} init
    share: with a machine or a person: {} sync invite; a vault for both: {} --vault team sync init STORE
    shell: a shell with secrets: {} run FOLDER/ -- bash
    show-keychain-info: {} status
    shred: to the trash: {} remove NAME; for ever: {} remove NAME --purge
    sign: a commit by a key of the vault: {} connect git-sign; who wrote a release: Documentation/guides/updating.md
    signin => unlock || the vault is on this machine, without a user or a server: {} unlock
    signout => lock
    slots => key list
    snapshot => backup
    ssh-add: a key into the vault: {} ssh import NAME FILE; a passphrase for ssh-add: {} help credential
    ssh-keygen: {} ssh keygen NAME
    start: nothing is to be started; a session for a day's work: {} unlock --for 8h
    stash: every version is kept: {} history NAME, {} restore NAME --revision 3
    stop: nothing keeps running; to forget the key: {} lock
    stop-agent => lock
    store => set || {} set {item} {attributes}; it asks for the secret
    sts: let aws ask the vault: {} connect aws PROFILE; which vault this is: {} status
    sum: the fingerprint of a secret: {} show NAME
    sweep: secrets in plain text in the home: {} import home --dry-run
    switch: {} --vault NAME list; for a shell: export VAULT_NAME=NAME; all of them: {} list --vaults
    tag: add a tag to an item: {} set NAME --tag TAG; find it: {} list --tag TAG
    tags: add a tag to an item: {} set NAME --tag TAG; find it: {} list --tag TAG
    team: with a machine or a person: {} sync invite; who belongs to it: {} sync devices
    template: {} inject --in FILE --out FILE
    terraform: {} run --env TF_VAR_NAME=ITEM -- terraform apply
    test: whether all is in order: {} check; what is weak or old: {} audit
    token! no token is needed: {} unlock; a token of yours is an item: {} get api-token
    top: nothing keeps running; what the keyring holds: {} keyring status
    totp => otp
    transform! {} set NAME, {} get NAME
    transit! files are stored: {} set NAME --file PATH, {} get NAME --out PATH
    trash => list --trash
    tree: {} list --tree
    tui: pick from a list: {} get; from a menu of the desktop: {} menu
    tutorial: the first line: {} set api-token; more: {} help
    type => get
    ui: pick from a list: {} get; from a menu of the desktop: {} menu
    undelete => restore
    uninstall: as it was installed: apt remove vault-swift, make uninstall, or Documentation/faq.md; the vault stays: {} list --vaults
    unlock-keychain: {} unlock
    unseal => unlock
    unset: to the trash: {} remove NAME; a field: {} remove NAME --field user
    unwrap! {} get NAME
    update: a new version of a secret: {} set NAME; of the program: as it was installed, Documentation/faq.md
    updatekeys: a new key for the vault: {} key rotate; who opens it: {} key list
    upgrade: the program, as it was installed: Documentation/faq.md; which one this is: {} --version
    upload: to other machines: {} sync now; an encrypted copy: {} backup FILE
    usage: who used which secret: {} log; {} help
    use: {} --vault NAME list; for a shell: export VAULT_NAME=NAME; all of them: {} list --vaults
    user: {} get NAME --field user; whose items: {} list bob
    username: {} get NAME --field user; whose items: {} list bob
    uuid: a random secret: {} generate 32; stored: {} set NAME --generate
    validate => check
    vault: your vaults: {} list --vaults; another one: {} --vault NAME list
    vaults => list --vaults
    verify => check
    version => --version
    version-history! {} history NAME
    versions => history
    vi => edit
    view: the secret: {} get NAME; everything else: {} show NAME
    vim => edit
    volume: where the vaults lie: {} list --vaults
    watch: programs see new values when they ask; who used which secret: {} log
    weak: secrets that are weak or used twice: {} audit
    web: it has no web page; pick from a menu of the desktop: {} menu
    who: who used which secret: {} log; who belongs to a team: {} sync devices
    whoami => status || {} status
    wipe: to the trash: {} remove NAME; for ever: {} remove NAME --purge
    with: {} run NAME -- COMMAND
    write! a secret: {} set NAME; a preference: {} defaults write DOMAIN KEY VALUE

    audit disable! who used which secret is recorded anyway: {} log
    audit enable! who used which secret is recorded anyway: {} log
    audit list! who used which secret: {} log
    backup --out: {} backup FILE
    backup --to: {} backup FILE, or into a folder: {} backup FOLDER/ --keep 7
    backup -o: {} backup FILE
    backup <>: an encrypted copy: {} backup FILE
    connect <>: {} connect git, {} connect docker, {} connect aws PROFILE; all: {} help connect
    copy <>: {} copy NAME NEWNAME; to the clipboard: {} get NAME --copy
    data browse: {} data stores; then: {} data fetch STORE ENTITY
    data get: {} data fetch STORE ENTITY
    data list: {} data stores
    data ls: {} data stores
    data query: {} data fetch STORE ENTITY
    data show: {} data schema STORE; what is in it: {} data fetch STORE ENTITY
    data sql: {} data fetch STORE ENTITY
    data tables: {} data schema STORE
    disconnect <>: {} disconnect git; what is connected: {} help connect
    docker login: let docker ask the vault: {} connect docker
    edit --user: {} edit NAME --field user
    edit item: without that word: {} edit NAME
    exec -it: {} run NAME -- COMMAND
    export --output: {} export json --out FILE
    export -f: {} export json; the formats: {} help export
    export <>: {} export json; the formats: {} help export
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
    init --bare: a store for several machines: git init --bare FOLDER, then: {} sync init FOLDER
    init .: a vault in a folder: {} --home FOLDER init
    insert --echo: {} set NAME asks for it, and shows dots
    insert --multiline: {} set NAME takes several lines that are pasted; a file: {} set NAME --file PATH
    insert -e: {} set NAME asks for it, and shows dots
    insert -f: {} set NAME; an item that is there gets a new version
    insert -m: {} set NAME takes several lines that are pasted; a file: {} set NAME --file PATH
    key <>: {} key list
    list --all: everything is listed; a part of it: {} list work/; the trash: {} list --trash
    list --count: {} list | wc -l
    list --filter: {} list WORD, {} list --tag TAG
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
    list item: without that word: {} list
    lock --all: {} lock
    log --follow: the newest: {} log --since 1h
    log --oneline: it is a line for each use already: {} log
    log --tail: the newest: {} log --since 1h
    log -f: what was used so far: {} log
    log -n: the newest: {} log --since 1h
    login --method! {} unlock
    login -method! {} unlock
    otp <>: {} otp NAME; the seed is stored by: {} set NAME --otp
    otp insert: a seed is stored by: {} set NAME --otp
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
    status --raw: for programs: {} status --json
    status -s: {} status; for programs: {} status --json
    sync conflicts: {} list --conflicts
    sync list: {} sync devices
    sync members: {} sync devices
    sync pull: {} sync now
    sync push: {} sync now
    sync start: {} sync init STORE
    undo --all: the last change: {} undo; several: {} undo --steps 3
    undo 1: the last change: {} undo; an older version: {} history NAME
    undo 2: several steps back: {} undo --steps 2; an older version: {} history NAME
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
