extension Habit {
  /// Words of other programs that keep secrets, and of their files and devices: pass and gopass, `op`,
  /// `bw`, `security`, `secret-tool`, sops, HashiCorp's vault; in alphabetical order.
  static let wordsOfManagers = """
    2fa: {} otp NAME; the seed is stored by: {} set NAME --otp
    account: an account is an item: {} list, {} get NAME
    accounts => list || one pattern at a time: {} list 'work/*'
    activity: who used which secret: {} log
    add-generic-password: {} set {item} {attributes}; it asks for the secret
    add-internet-password: {} set {item} {attributes}; it asks for the secret
    addcert: {} set NAME --file PATH
    age: one secret: age --decrypt FILE | {} set NAME --stdin; files of variables: {} help import
    age-keygen: a key of age is an item: age-keygen | {} set age --stdin; to sops: {} run --env SOPS_AGE_KEY=age -- sops
    agent: no agent is needed, a session keeps the vault open: {} unlock --for 8h
    approle! a machine without a person opens it by a key file: {} key add --new-key-file PATH
    attach: a file is an item: {} set NAME --file PATH
    attachment: a file is an item: {} set NAME --file PATH, {} get NAME --out PATH
    auth! the passphrase opens it: {} unlock; who opens it: {} key list
    authenticator: a one-time code: {} otp NAME; the seed is stored by: {} set NAME --otp
    autofill: it fills no forms; to the clipboard: {} get NAME --copy; from a menu: {} menu
    autotype: it types into no other window; to the clipboard: {} get NAME --copy; from a menu: {} menu
    breach: whether a secret is known to be leaked: {} audit --breaches online
    bw: without that word: {} list, {} get NAME; all of it: {} import bitwarden FILE
    chamber: into a process: {} run FOLDER/ -- COMMAND
    change-passphrase => key change-passphrase
    check-leaks: whether a secret is known to be leaked: {} audit --breaches online
    clip => get --copy || {} get NAME --copy --clear-after 10s
    configs: a folder for each: {} list --tree; a vault for each: {} list --vaults
    create-keychain: a vault of its own: {} --vault NAME init
    create-vault: {} --vault NAME init; all of them: {} list --vaults
    db-create: create a vault: {} init; another one: {} --vault NAME init
    db-edit: {} settings; who opens it: {} key list
    db-info => status
    default-keychain: the vault of a line: {} --vault NAME list; of a shell: export VAULT_NAME=NAME
    delete-certificate: {} list {attributes}, then: {} remove NAME
    delete-generic-password: find it: {} list {attributes}; then: {} remove NAME
    delete-internet-password: find it: {} list {attributes}; then: {} remove NAME
    delete-keychain: a vault is its file; see where it lies: {} list --vaults
    details => show
    diceware => generate --words 6
    document: a file is an item: {} set NAME --file PATH, {} get NAME --out PATH
    doppler: into a process: {} run FOLDER/ -- COMMAND
    dotenv: {} import dotenv .env --references .env.vault; back: {} export dotenv FOLDER/
    dump-keychain: the items without their secrets: {} list --long; all of it in plain text: {} export json
    dump-trust-settings: a certificate is an item: {} list --long, {} get NAME --out PATH
    envchain: into a process: {} run FOLDER/ -- COMMAND
    environments: a folder for each: {} run FOLDER/ -- COMMAND; a vault for each: {} list --vaults
    estimate: of all that is stored: {} audit; a strong one: {} generate
    exec-env: into a process, from a file of references: {} run --env-file FILE -- COMMAND
    exec-file: an item as a file: {} run --as-file NAME -- COMMAND
    favorite: mark it by a tag: {} set NAME --tag favorite; find it: {} list --tag favorite
    fields => show
    filestatus: whether all is in order: {} check; what opens the vault: {} status
    fill: it fills no forms; to the clipboard: {} get NAME --copy; from a menu: {} menu
    find-certificate: {} list {attributes} --long; as a file: {} get NAME --out PATH
    find-generic-password: {} get {attributes}; without the secret: {} list {attributes}
    find-identity: {} list --long
    find-internet-password: {} get {attributes}; without the secret: {} list {attributes}
    folder: a folder is a part of the name: {} set work/github; all of one: {} list work/
    fs: a file is an item: {} set NAME --file PATH
    fscopy: a file is an item: {} set NAME --file PATH, {} get NAME --out PATH
    fsmove: a file is an item: {} set NAME --file PATH, {} get NAME --out PATH
    gen => generate
    gen-pass => generate
    generate-root! a lost passphrase: {} unlock --recovery
    genotp => otp
    get-all: into a process: {} run FOLDER/ -- COMMAND; as a file: {} export json
    get-generic-password: {} get {attributes}; without the secret: {} list {attributes}
    get-identity: {} list --long
    get-secret-value => get
    gopass: without that word: {} list, {} get NAME; all of it: {} import gopass FOLDER
    group: a group is a folder in the name: {} set work/github; all of one: {} list work/
    groups: a group is a folder in the name: {} list
    hcp! the vault is a file of yours; on several machines: {} sync init STORE
    hibp: whether a secret is known to be leaked: {} audit --breaches online
    insert => set
    item: without that word: {} list, {} get NAME, {} set NAME, {} remove NAME
    items => list
    keepassxc-cli: without that word: {} list, {} get NAME; all of it: {} import kdbx FILE
    keychain-access: it has no window; pick from a menu of the desktop: {} menu
    keychain: the desktop keyring: {} keyring status; its items: {} keyring list
    keyservice: who opens the vault: {} key list; the machines of a space: {} sync devices
    kv! {} get NAME, {} set NAME, {} list, {} remove NAME
    lease! a secret expires when you say: {} set NAME --expires 30d
    list-backends: which keyring answers: {} keyring status; the vaults: {} list --vaults
    list-collections: {} list --vaults
    list-keychains: {} list --vaults
    list-services: {} list --long
    lock-keychain: {} lock
    login-keychain: {} unlock
    logins => list || one pattern at a time: {} list 'work/*'
    lookup => get || by attributes: {} get {attributes}
    lpass: without that word: {} list, {} get NAME; all of it: {} import lastpass FILE
    me => status
    mfa: {} otp NAME; the seed is stored by: {} set NAME --otp
    monitor! who used which secret: {} log
    mounts: the vaults: {} list --vaults; another one: {} --vault NAME init
    namespace! a vault of its own: {} --vault NAME init; a folder: {} list work/
    new-vault: {} --vault NAME init
    op: without that word: {} read secret://work/github#user, {} list, {} get NAME
    operator! {} init, {} unlock, {} status, {} key rotate
    pass: without that word: {} list, {} get NAME; all of it: {} import pass FOLDER
    patch! more of an item: {} set NAME --field user=bob
    path-help! {} help VERB, {} help all
    pki! a certificate is stored: {} set NAME --file PATH
    plugin: let git, docker, aws and others ask the vault: {} connect PROGRAM
    policy! the vault is a file of yours; who opens it: {} key list; of a team: {} sync devices
    post: {} set NAME
    projects: a folder for each: {} list --tree; a vault for each: {} list --vaults
    proxy! programs ask the vault directly: {} connect PROGRAM
    pw: read one: {} get NAME; make one: {} generate; the vault's own: {} key change-passphrase
    pwgen => generate
    pwned: whether a secret is known to be leaked: {} audit --breaches online
    rbw: without that word: {} list, {} get NAME
    recipients: who opens the vault: {} key list; the machines of a space: {} sync devices
    recovery-code: a new one: {} key add --recovery; to open the vault by it: {} unlock --recovery
    recycle: what lies in the trash: {} list --trash; from there: {} restore NAME
    rekey! another passphrase: {} key change-passphrase; another vault key: {} key rotate
    reorg: {} rename NAME NEWNAME; a folder: {} rename old/ new/
    reveal => get
    seal => lock
    secret: without that word: {} list, {} get NAME, {} set NAME, {} remove NAME
    secret-get: {} get NAME
    secret-tool: {} get {attributes}, {} list {attributes}
    secrets => list || without that word: {} list, {} get NAME, {} set NAME
    secretsmanager: without that word: {} get NAME, {} list; let aws ask the vault: {} connect aws PROFILE
    security: find-generic-password -s api: {} get --attribute service=api; the others: Documentation/guides/coming-from.md, {} list
    server! no server is needed, every command opens the vault file: {} init, {} set NAME
    service-account: a machine without a person opens it by a key file: {} key add --new-key-file PATH
    set-default: for a shell: export VAULT_NAME=NAME; all of them: {} list --vaults
    set-generic-password: {} set {item} {attributes}; it asks for the secret
    set-key-partition-list: no item has a list of programs; what opens the vault: {} key list
    set-keychain-password: {} key change-passphrase
    set-keychain-settings: how long a session lasts: {} settings session 30m
    show-keychain-info: {} status
    star: mark it by a tag: {} set NAME --tag favorite; find it: {} list --tag favorite
    stop-agent => lock
    store => set || {} set {item} {attributes}; it asks for the secret
    sts: let aws ask the vault: {} connect aws PROFILE; which vault this is: {} status
    template: {} inject --in FILE --out FILE
    templates: a template is filled by: {} inject --in FILE
    tessen: from a menu of the desktop: {} menu
    token! no token is needed: {} unlock; a token of yours is an item: {} get api-token
    totp => otp
    transform! {} set NAME, {} get NAME
    transit! files are stored: {} set NAME --file PATH, {} get NAME --out PATH
    unlock-keychain: {} unlock
    unseal => unlock
    unwrap! {} get NAME
    updatekeys: a new key for the vault: {} key rotate; who opens it: {} key list
    uuid: a random secret: {} generate 32; stored: {} set NAME --generate
    vault: your vaults: {} list --vaults; another one: {} --vault NAME list
    vaults => list --vaults
    version-history! {} history NAME
    vi => edit
    write! a secret: {} set NAME; a preference: {} defaults write DOMAIN KEY VALUE
    """
}
