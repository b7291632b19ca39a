extension Habit {
  /// Words for an aim that people have in any program of the kind, in alphabetical order.
  static let words = """
    about => --version
    acl: what a machine of a team may do: {} sync role MACHINE ROLE; who belongs to it: {} sync devices
    add => set
    admit: a machine that waits to be let in: {} sync admit MACHINE
    alias: a second name is a copy: {} copy NAME NEWNAME
    alter: a new version of a secret: {} set NAME; all of an item: {} edit NAME
    app: it has no window; pick from a menu of the desktop: {} menu
    append: in an editor: {} edit NAME; a further field: {} set NAME --field user=bob
    apply: secrets of a file of variables: {} import dotenv FILE; into a template: {} inject --in FILE
    approve: a machine that waits to be let in: {} sync admit MACHINE
    archive: to the trash, and back: {} remove NAME, {} undo; an encrypted copy: {} backup FILE
    authenticate => unlock
    autolock: how long a session lasts: {} settings session 30m; with the screen and at logout: {} connect session
    browse: pick from a list: {} get; from a menu of the desktop: {} menu
    bug: what to add to a report: {} --version, {} status; where it came from: Documentation/faq.md
    bye: nothing keeps running; to forget the key: {} lock
    change: a new version of a secret: {} set NAME; all of an item: {} edit NAME; the vault's passphrase: {} key change-passphrase
    change-master-password: {} key change-passphrase
    change-password: an item's: {} set NAME; the vault's own: {} key change-passphrase
    changelog: which one this is: {} --version; another one: {} upgrade
    chrome: its passwords come in by: {} import chrome FILE
    clean: secrets in plain text in the home: {} import home --dry-run; what is old or weak: {} audit
    cleanup: secrets in plain text in the home: {} import home --dry-run; what is old or weak: {} audit
    clear: a secret by its attributes: {} list {attributes}, then: {} remove NAME; the clipboard clears itself
    close => lock || {} lock
    code => otp || a one-time code: {} otp NAME
    compact: nothing needs it; one for ever: {} remove NAME --purge
    compare: versions of an item: {} history NAME; secrets that are used twice: {} audit
    completion => completions
    configure: create a vault: {} init; its settings: {} settings
    confirm: a machine of a team: {} sync admit; who belongs to it: {} sync devices
    convert: from another program: {} import FORMAT FILE; for another program: {} export FORMAT
    copy-to-clipboard => get --copy
    count: {} list | wc -l
    create: create a vault: {} init; store an item: {} set NAME
    credential-cache: let git ask the vault: {} connect git; end the session: {} lock
    credits: what it is linked with: {} check; its license: Documentation/faq.md
    data-fetch => data fetch
    debug: what was tried to open the vault: VAULT_LOG=debug {} status
    decode: {} get NAME; a reference in another form: {} read 'secret://NAME?encoding=base64'
    decrypt: a file that was stored: {} get NAME --out PATH
    dedupe: secrets that are used twice: {} audit
    default => defaults
    delete => remove
    describe => show || everything but the secret: {} show NAME
    destroy: to the trash: {} remove NAME, and back: {} undo; a vault of its own: {} list --vaults
    devices: the machines of this vault: {} sync devices
    diagnose: what is wrong here: {} check; what opens the vault: {} status
    disable: what can be switched: {} settings; another program: {} disconnect PROGRAM
    display: the secret: {} get NAME; everything else: {} show NAME
    do: {} run NAME -- COMMAND
    docs: {} help; the manual page: man vault
    doctor => check
    download: on a further machine: {} sync join STORE; a file that was stored: {} get NAME --out PATH
    drop: to the trash: {} remove NAME, and back: {} undo
    dump: all secrets in plain text: {} export json; encrypted: {} backup FILE
    duplicate => copy
    duplicates: secrets that are used twice: {} audit
    empty: one for ever: {} remove NAME --purge; what lies in the trash: {} list --trash
    empty-trash: one for ever: {} remove NAME --purge; what lies there: {} list --trash
    enable: what can be switched: {} settings; another program: {} connect PROGRAM
    encode: {} read 'secret://NAME?encoding=base64'
    encrypt: store a file: {} set NAME --file PATH
    environment: into a process: {} run FOLDER/ -- COMMAND
    erase: to the trash: {} remove NAME; for ever: {} remove NAME --purge
    events: who used which secret: {} log
    examples: {} help, {} help set; the manual page: man vault
    expire: {} set NAME --expires 30d; what expires soon: {} list --expiring 30d
    expires: {} set NAME --expires 30d; what expires soon: {} list --expiring 30d
    expiring => list --expiring 30d
    expiry: {} set NAME --expires 30d; what expires soon: {} list --expiring 30d
    export-env: {} export shell FOLDER/; better into a process: {} run FOLDER/ -- COMMAND
    extract: one field: {} get NAME --field user; all in plain text: {} export json
    factory-reset: a vault is its file; see where it lies: {} list --vaults; another one: {} --vault NAME init
    faq: {} help; the manual page: man vault
    feedback: where it came from: Documentation/faq.md; what to add to a report: {} --version, {} status
    fetch => get || from the store: {} sync now; a secret: {} get NAME
    fido2: what opens the vault: {} key list; a program that asks the device: {} unlock --passphrase cmd:COMMAND
    field: {} get NAME --field user; the fields of an item: {} show NAME
    files: a file is an item: {} set NAME --file PATH
    firefox: its passwords come in by: {} import firefox FILE
    forget: to the trash: {} remove NAME; the key of the session: {} lock
    forgot: a lost passphrase: {} unlock --recovery; what opens the vault: {} key list
    get-started: the first line: {} set api-token; more: {} help
    grant: with a machine or a person: {} sync invite; what it may do: {} sync role MACHINE ROLE
    gui: it has no window; pick from a menu of the desktop: {} menu
    hash: whether a secret is known to be leaked: {} audit --breaches online; a new one: {} generate
    health => audit
    hello: the first line: {} set api-token; more: {} help
    identity => status
    import-key: {} set NAME --file PATH
    initialise => init
    initialize => init
    install: let a program ask the vault: {} connect PROGRAM
    invite => sync invite
    join => sync join
    keys => key list
    label: words to find an item by: {} set NAME --tag TAG; find it: {} list --tag TAG
    leaks: whether a secret is known to be leaked: {} audit --breaches online
    leave: the space of several machines: {} sync leave
    license: what it is linked with: {} check; its license: Documentation/faq.md
    link: a second name is a copy: {} copy NAME NEWNAME
    login => unlock || the vault is on this machine, without a user or a server: {} unlock; a user of an item: {} list bob
    logout => lock
    machines: the machines of this vault: {} sync devices
    master: the vault's own passphrase: {} key change-passphrase; what opens the vault: {} key list
    members: {} sync devices
    migrate: nothing is to be migrated; from another program: {} import FORMAT FILE; an application's store: {} data migrate
    modify: a new version of a secret: {} set NAME; all of an item: {} edit NAME
    new: create a vault: {} init; store an item: {} set NAME
    note: change an item's note: {} set NAME --note TEXT
    notes: change an item's note: {} set NAME --note TEXT; read it: {} show NAME
    nuke: to the trash: {} remove NAME, and back: {} undo
    old: secrets that were not changed for long: {} audit --only old
    open => unlock || an item: {} get NAME; another vault: {} --vault NAME unlock; a database of KeePass: {} import kdbx FILE
    options: those of every verb: {} help options; of one verb: {} help VERB
    org: a team shares a vault: {} sync invite
    passphrase: one for an item: {} generate --words 6; the vault's own: {} key change-passphrase
    password: read one: {} get NAME; make one: {} generate; the vault's own: {} key change-passphrase
    passwords => list
    permissions: what a machine of a team may do: {} sync role MACHINE ROLE; who belongs to it: {} sync devices
    pick: pick from a list: {} get; from a menu of the desktop: {} menu
    pp: everything but the secret: {} show NAME
    preferences => defaults
    prefs => defaults
    process: a template is filled by: {} inject --in FILE
    publish: copies for other programs of the desktop: {} keyring publish on
    purge: to the trash: {} remove NAME; for ever: {} remove NAME --purge
    put => set
    qr: {} get NAME --qr
    qrcode: {} get NAME --qr
    query => list
    quickstart: the first line: {} set api-token; more: {} help
    random: a random secret: {} generate 32; stored: {} set NAME --generate
    readme: {} help; the manual page: man vault
    receive: from a person or a machine that has it: {} sync join STORE, with an invitation of: {} sync invite
    recent => list --long --sort modified
    recover: an item from the trash: {} restore NAME; a lost passphrase: {} unlock --recovery
    recovery: {} unlock --recovery; a new code: {} key add --recovery
    register: create a vault: {} init; a further machine: {} sync join STORE
    reload: nothing keeps running, every command reads the file; from the store: {} sync now
    remove-device: {} sync remove MACHINE
    render: {} inject --in FILE --out FILE
    repair: what is damaged: {} check; a new vault from what is whole: {} check --salvage
    report: of all secrets: {} audit; of the vault: {} status
    reset: take the last change back: {} undo; an earlier version: {} restore NAME --revision 3
    reset-password: an item's: {} set NAME; the vault's own: {} key change-passphrase
    revoke: another secret in its place: {} set NAME; what a machine could read: {} list --exposed-to MACHINE
    rotate: a secret: {} set NAME --generate; the vault's key: {} key rotate
    save => set
    scan => audit
    search => list || {} list WORD; by attributes: {} list {attributes}
    select: {} --vault NAME list; for a shell: export VAULT_NAME=NAME; all of them: {} list --vaults
    self-update: as it was installed, Documentation/guides/updating.md; which one this is: {} --version
    send: to another machine: {} sync now; to another person: {} sync invite
    serve: it needs no server: every command opens the vault file itself
    setup: create a vault: {} init
    share: with a machine or a person: {} sync invite; a vault for both: {} --vault team sync init STORE
    sign: a commit by a key of the vault: {} connect git-sign; who wrote a release: Documentation/guides/updating.md
    signin => unlock || the vault is on this machine, without a user or a server: {} unlock
    signout => lock
    size: {} list | wc -l; whether all is in order: {} check
    slots => key list
    snapshot => backup
    support: Documentation/faq.md; what is wrong here: {} check
    sweep: secrets in plain text in the home: {} import home --dry-run
    tags: add a tag to an item: {} set NAME --tag TAG; find it: {} list --tag TAG
    team: with a machine or a person: {} sync invite; who belongs to it: {} sync devices
    theme: a preference: {} defaults write DOMAIN KEY VALUE
    timeout: how long a session lasts: {} settings session 30m, {} unlock --for 8h
    tpm: what opens the vault: {} key list; a credential of systemd: Documentation/servers.md, {} key add --new-key-file PATH
    trash => list --trash
    tui: pick from a list: {} get; from a menu of the desktop: {} menu
    tutorial: the first line: {} set api-token; more: {} help
    u2f: what opens the vault: {} key list; a program that asks the device: {} unlock --passphrase cmd:COMMAND
    ui: pick from a list: {} get; from a menu of the desktop: {} menu
    undelete => restore
    uninstall: as it was installed: apt remove vault-swift, make uninstall, or Documentation/faq.md; the vault stays: {} list --vaults
    unpublish: no copies for other programs of the desktop: {} keyring publish off
    unshare: a machine leaves by: {} sync remove MACHINE; what it could read: {} list --exposed-to MACHINE
    update: a new version of a secret: {} set NAME; of the program: as it was installed, Documentation/faq.md
    upgrade: the program, as it was installed: Documentation/faq.md; which one this is: {} --version
    upload: to other machines: {} sync now; an encrypted copy: {} backup FILE
    url: {} get NAME --field url; who has an address: {} list example.com
    usage: who used which secret: {} log; {} help
    use: {} --vault NAME list; for a shell: export VAULT_NAME=NAME; all of them: {} list --vaults
    user: {} get NAME --field user; whose items: {} list bob
    username: {} get NAME --field user; whose items: {} list bob
    users: who belongs to a team: {} sync devices; whose items: {} list bob
    validate => check
    value: {} get NAME; a preference: {} defaults read DOMAIN KEY
    verify => check
    version => --version
    versions => history
    view: the secret: {} get NAME; everything else: {} show NAME
    weak: secrets that are weak or used twice: {} audit
    web: it has no web page; pick from a menu of the desktop: {} menu
    why: {} help; the questions of others: Documentation/faq.md
    with: {} run NAME -- COMMAND
    yubikey: what opens the vault: {} key list; a program that asks the device: {} unlock --passphrase cmd:COMMAND
    """
}
