extension Habit {
  /// Words of shells, of git, docker, kubectl and other tools, and their names; in alphabetical order.
  static let wordsOfTools = """
    -? => help
    -V => --version
    -help => help
    -version => --version
    .env: {} import dotenv .env --references .env.vault; into a process: {} run FOLDER/ -- COMMAND
    /? => help
    /h => help
    /help => help
    ? => help
    annotate: {} set NAME --note TEXT; words to find it by: {} set NAME --tag TAG
    api-resources: the verbs: {} help all
    aws: let aws ask the vault: {} connect aws PROFILE
    bin: what lies in the trash: {} list --trash; from there: {} restore NAME
    bisect: an earlier version: {} history NAME, then: {} get NAME@3
    blame: {} history NAME; who used it: {} log NAME
    branch: to try something: {} copy NAME NEWNAME; a vault of its own: {} --vault NAME init
    build: secrets into a file: {} inject --in FILE; for docker: {} export docker FOLDER/
    cargo: {} run --env CARGO_REGISTRY_TOKEN=ITEM -- cargo publish; what it keeps in plain text: {} connect cargo --move
    cat => get
    cd: a folder is a part of the name: {} list work/
    checkout: an earlier version: {} history NAME, then: {} get NAME@3, or: {} restore NAME --revision 3
    cherry-pick: an earlier version: {} restore NAME --revision 3
    chmod: what a machine of a team may do: {} sync role MACHINE ROLE
    chpasswd: an item's: {} set NAME; the vault's own: {} key change-passphrase
    clone: on a further machine: {} sync join STORE, with an invitation of: {} sync invite
    cls: the screen is the shell's: clear; to forget the key: {} lock
    commit: every change is stored and versioned at once: {} history NAME; take the last one back: {} undo
    compose: {} run FOLDER/ -- docker compose up
    config => settings || all of them: {} settings; change one: {} settings session 30m
    cp => copy
    cron: {} run NAME -- COMMAND, with VAULT_KEY_FILE in the crontab: Documentation/guides/cron.md
    curl: {} inject --in curl.tpl | curl --config -; what .netrc keeps in plain text: {} connect curl --move
    daemon: nothing runs in the background: {} get NAME; a session for a day's work: {} unlock --for 8h
    del => remove
    diff: versions of an item: {} history NAME; secrets that are weak or used twice: {} audit
    dir => list
    docker: let docker ask the vault: {} connect docker; as variables: {} run NAME -- docker compose up
    docker-credential: {} connect docker; by itself: {} credential docker get
    drain: nothing keeps running; a machine leaves a team by: {} sync remove MACHINE
    echo: {} get NAME
    env => run
    env-file: into a process: {} run --env-file FILE -- COMMAND; into the vault: {} import dotenv FILE
    eval: into a process: {} run FOLDER/ -- COMMAND
    exec => run
    exit: nothing keeps running; to forget the key: {} lock
    explain: {} help VERB; everything about an item: {} show NAME
    file: a file is an item: {} set NAME --file PATH, {} get NAME --out PATH
    find => list || {} list WORD; by attributes: {} list {attributes}
    fsck => check
    fzf: pick from a list: {} get; from a menu of the desktop: {} menu
    gc: nothing needs it; one for ever: {} remove NAME --purge
    gh: {} run --env GH_TOKEN=ITEM -- gh; what it keeps in plain text: {} connect gh --move
    git: let git ask the vault: {} connect git; to other machines, as pass git push: {} sync now
    git-credential: {} connect git; by itself: {} credential git get
    go: the address of an item: {} get NAME --field url; who has an address: {} list example.com
    gpg: it needs no GPG; a key is stored with: {} set NAME --file PATH
    grep: names are found by: {} list WORD, users, addresses, tags and notes, too; secrets are not searched
    head: {} get NAME
    helper: let git, docker and others ask the vault: {} connect PROGRAM
    id => status
    images: what the vault holds: {} list; let docker ask it: {} connect docker
    info: an item's details: {} show NAME; the vault's state: {} status
    inspect => show || everything but the secret: {} show NAME
    keygen: a key of ssh: {} ssh keygen NAME; a password: {} generate
    kubeconfig: kubectl takes a token from a program, by exec in its users: {} get NAME
    kubectl: secrets for a cluster: {} export kubectl FOLDER/; as variables: {} run FOLDER/ -- kubectl
    l => list
    la => list
    less => get
    ll => list --long
    ln: a second name is a copy: {} copy NAME NEWNAME
    load: into a process: {} run FOLDER/ -- COMMAND; a file of variables: {} run --env-file FILE -- COMMAND, {} import dotenv FILE
    locate => list || {} list WORD
    ls => list || {} list WORD
    make: a vault: {} init; an item: {} set NAME
    man: the manual page: man {}; here: {} help VERB
    mkdir: a folder comes with its first item: {} set work/github
    more => get
    move => rename
    mv => rename
    mysql: {} inject a file of options, and give it by --defaults-file; the line: {} connect mysql
    network: on several machines: {} sync status
    npm: {} run --env NPM_TOKEN=ITEM -- npm publish; what it keeps in plain text: {} connect npm --move
    passwd => key change-passphrase
    paste: from the clipboard: wl-paste | {} set NAME --stdin, or xclip -o -selection clipboard | {} set NAME --stdin
    path: where the vault's file lies: {} list --vaults
    pbcopy: {} get NAME --copy
    peek => get
    pip: let pip ask the vault: {} connect pip
    plistbuddy: property lists in files: Documentation/preferences.md; a preference: {} defaults read DOMAIN KEY
    plutil: property lists in files: Documentation/preferences.md; a preference: {} defaults read DOMAIN KEY
    port-forward: secrets for a cluster: {} export kubectl FOLDER/; as variables: {} run FOLDER/ -- kubectl
    print => get
    printenv: into a process: {} run NAME -- printenv; a secret: {} get NAME
    prune: to the trash: {} remove NAME; for ever: {} remove NAME --purge
    ps: nothing keeps running; what the keyring holds: {} keyring status
    psql: {} run --env PGPASSWORD=ITEM -- psql; what .pgpass keeps in plain text: {} connect psql --move
    pull: from the store: {} sync now; on a further machine: {} sync join STORE
    push: to other machines: {} sync now; an encrypted copy: {} backup FILE
    pwd: where the vault's file lies: {} list --vaults
    quit: nothing keeps running; to forget the key: {} lock
    rand: {} generate 16
    rebase: the versions of an item: {} history NAME; what two machines changed: {} list --conflicts
    redo: a second one does it again: {} undo; an older version: {} history NAME
    reflog: {} history NAME; who used it: {} log
    remote: where the vault goes: {} sync status; to a store: {} sync init STORE; to another one: {} sync move STORE
    restart: nothing keeps running, every command reads the file; to forget the key: {} lock
    revert: take the last change back: {} undo; an earlier version: {} restore NAME --revision 3
    rm => remove
    rmdir => remove
    rmi: to the trash: {} remove NAME; back: {} undo
    rollback: take the last change back: {} undo; an earlier version: {} restore NAME --revision 3
    rollout: {} sync now; the history of an item: {} history NAME
    scale: secrets for a cluster: {} export kubectl FOLDER/; as variables: {} run FOLDER/ -- kubectl
    shell: a shell with secrets: {} run FOLDER/ -- bash
    shred: to the trash: {} remove NAME; for ever: {} remove NAME --purge
    source: into a process: {} run FOLDER/ -- COMMAND; a file of variables: {} run --env-file FILE -- COMMAND, {} import dotenv FILE
    ssh-add: a key into the vault: {} ssh import NAME FILE; a passphrase for ssh-add: {} help credential
    ssh-add-key: a key into the vault: {} ssh import NAME FILE
    ssh-copy-id: the public key: {} ssh public NAME
    ssh-keygen: {} ssh keygen NAME
    start: nothing is to be started; a session for a day's work: {} unlock --for 8h
    stash: every version is kept: {} history NAME, {} restore NAME --revision 3
    stop: nothing keeps running; to forget the key: {} lock
    sudo: a password of sudo's is the item sudo/USER: {} set sudo/USER; the line: {} connect sudo
    sum: the fingerprint of a secret: {} show NAME
    switch: {} --vault NAME list; for a shell: export VAULT_NAME=NAME; all of them: {} list --vaults
    tag: add a tag to an item: {} set NAME --tag TAG; find it: {} list --tag TAG
    tail: the newest uses: {} log --since 1h; an item: {} get NAME
    terraform: {} run --env TF_VAR_NAME=ITEM -- terraform apply
    test: whether all is in order: {} check; what is weak or old: {} audit
    top: nothing keeps running; what the keyring holds: {} keyring status
    touch: {} set NAME; a new one for an item: {} set NAME --generate
    tree: {} list --tree
    truncate: to the trash: {} remove NAME; for ever: {} remove NAME --purge
    twine: {} run --env TWINE_PASSWORD=ITEM -- twine upload dist/*; what .pypirc keeps in plain text: {} connect twine --move
    type => get
    unset: to the trash: {} remove NAME; a field: {} remove NAME --field user
    vim => edit
    volume: where the vaults lie: {} list --vaults
    watch: programs see new values when they ask; who used which secret: {} log
    whereis: find it: {} list WORD; the vault's file: {} list --vaults
    which: find it: {} list WORD; the vault's file: {} list --vaults
    who: who used which secret: {} log; who belongs to a team: {} sync devices
    whoami => status || {} status
    wipe: to the trash: {} remove NAME; for ever: {} remove NAME --purge
    xclip: {} get NAME --copy
    """
}
