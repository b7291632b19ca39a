function __vault_should_offer_completions_for_flags_or_options -a expected_commands
    set -l non_repeating_flags_or_options $argv[2..]
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __vault_parse_tokens
    test "$commands" = "$expected_commands"; and return $non_repeating_flags_or_options_absent
end

function __vault_should_offer_completions_for_positional -a expected_commands positional_index_comparison expected_positional_index
    set -l non_repeating_flags_or_options
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __vault_parse_tokens
    test "$commands" = "$expected_commands" -a \( "$positional_index" "$positional_index_comparison" "$expected_positional_index" \)
end

function __vault_parse_tokens -S
    set -l unparsed_tokens (__vault_tokens -pc)
    switch $unparsed_tokens[1]
    case 'vault'
        __vault_parse_subcommand 0 'version' 'h/help'
        switch $unparsed_tokens[1]
        case 'set'
            __vault_parse_subcommand -r 2 'stdin' 'file=' 'exact' 'field=' 'tag=+' 'note=' 'expires=' 'attribute=+' 'kind=' 'home=' 'vault=' 'json' 'passphrase=' 'key-file=' 'keyring-timeout=' 'accept-rollback' 'no-session' 'version' 'h/help'
        case 'get'
            __vault_parse_subcommand 1 'field=' 'version=' 'o/out=' 'home=' 'vault=' 'json' 'passphrase=' 'key-file=' 'keyring-timeout=' 'accept-rollback' 'no-session' 'version' 'h/help'
        case 'list'
            __vault_parse_subcommand 1 'l/long' 'tree' 'tag=' 'expired' 'expiring=' 'trash' 'home=' 'vault=' 'json' 'passphrase=' 'key-file=' 'keyring-timeout=' 'accept-rollback' 'no-session' 'version' 'h/help'
        case 'show'
            __vault_parse_subcommand 1 'home=' 'vault=' 'json' 'passphrase=' 'key-file=' 'keyring-timeout=' 'accept-rollback' 'no-session' 'version' 'h/help'
        case 'remove'
            __vault_parse_subcommand -r 1 'purge' 'home=' 'vault=' 'json' 'passphrase=' 'key-file=' 'keyring-timeout=' 'accept-rollback' 'no-session' 'version' 'h/help'
        case 'rename'
            __vault_parse_subcommand 2 'home=' 'vault=' 'json' 'passphrase=' 'key-file=' 'keyring-timeout=' 'accept-rollback' 'no-session' 'version' 'h/help'
        case 'copy'
            __vault_parse_subcommand 2 'home=' 'vault=' 'json' 'passphrase=' 'key-file=' 'keyring-timeout=' 'accept-rollback' 'no-session' 'version' 'h/help'
        case 'history'
            __vault_parse_subcommand 1 'home=' 'vault=' 'json' 'passphrase=' 'key-file=' 'keyring-timeout=' 'accept-rollback' 'no-session' 'version' 'h/help'
        case 'restore'
            __vault_parse_subcommand 1 'version=' 'home=' 'vault=' 'json' 'passphrase=' 'key-file=' 'keyring-timeout=' 'accept-rollback' 'no-session' 'version' 'h/help'
        case 'run'
            __vault_parse_subcommand -r 1 'env=+' 'home=' 'vault=' 'json' 'passphrase=' 'key-file=' 'keyring-timeout=' 'accept-rollback' 'no-session' 'version' 'h/help'
        case 'read'
            __vault_parse_subcommand 1 'home=' 'vault=' 'json' 'passphrase=' 'key-file=' 'keyring-timeout=' 'accept-rollback' 'no-session' 'version' 'h/help'
        case 'init'
            __vault_parse_subcommand 0 'from=' 'label=' 'recovery' 'no-recovery' 'allow-weak' 'home=' 'vault=' 'json' 'passphrase=' 'key-file=' 'keyring-timeout=' 'accept-rollback' 'no-session' 'version' 'h/help'
        case 'unlock'
            __vault_parse_subcommand 0 'for=' 'recovery' 'home=' 'vault=' 'json' 'passphrase=' 'key-file=' 'keyring-timeout=' 'accept-rollback' 'no-session' 'version' 'h/help'
        case 'lock'
            __vault_parse_subcommand 0 'home=' 'vault=' 'json' 'passphrase=' 'key-file=' 'keyring-timeout=' 'accept-rollback' 'no-session' 'version' 'h/help'
        case 'status'
            __vault_parse_subcommand 0 'home=' 'vault=' 'json' 'passphrase=' 'key-file=' 'keyring-timeout=' 'accept-rollback' 'no-session' 'version' 'h/help'
        case 'check'
            __vault_parse_subcommand 1 'home=' 'vault=' 'json' 'passphrase=' 'key-file=' 'keyring-timeout=' 'accept-rollback' 'no-session' 'version' 'h/help'
        case 'key'
            __vault_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'list'
                __vault_parse_subcommand 0 'home=' 'vault=' 'json' 'passphrase=' 'key-file=' 'keyring-timeout=' 'accept-rollback' 'no-session' 'version' 'h/help'
            case 'add'
                __vault_parse_subcommand 0 'new-passphrase=' 'new-key-file=' 'keyring' 'recovery' 'label=' 'allow-weak' 'home=' 'vault=' 'json' 'passphrase=' 'key-file=' 'keyring-timeout=' 'accept-rollback' 'no-session' 'version' 'h/help'
            case 'remove'
                __vault_parse_subcommand 1 'home=' 'vault=' 'json' 'passphrase=' 'key-file=' 'keyring-timeout=' 'accept-rollback' 'no-session' 'version' 'h/help'
            case 'change-passphrase'
                __vault_parse_subcommand 1 'new-passphrase=' 'allow-weak' 'home=' 'vault=' 'json' 'passphrase=' 'key-file=' 'keyring-timeout=' 'accept-rollback' 'no-session' 'version' 'h/help'
            case 'rotate'
                __vault_parse_subcommand 0 'new-passphrase=' 'new-key-file=' 'keyring' 'recovery' 'label=' 'allow-weak' 'home=' 'vault=' 'json' 'passphrase=' 'key-file=' 'keyring-timeout=' 'accept-rollback' 'no-session' 'version' 'h/help'
            case 'upgrade'
                __vault_parse_subcommand 0 'home=' 'vault=' 'json' 'passphrase=' 'key-file=' 'keyring-timeout=' 'accept-rollback' 'no-session' 'version' 'h/help'
            end
        case 'backup'
            __vault_parse_subcommand 1 'home=' 'vault=' 'json' 'passphrase=' 'key-file=' 'keyring-timeout=' 'accept-rollback' 'no-session' 'version' 'h/help'
        case 'defaults'
            __vault_parse_subcommand -r 1 'version' 'h/help'
        case 'completions'
            __vault_parse_subcommand 1 'version' 'h/help'
        case 'help'
            __vault_parse_subcommand -r 1 'version'
        end
    end
end

function __vault_tokens
    if test (string split -m 1 -f 1 -- . "$FISH_VERSION") -gt 3
        commandline --tokens-raw $argv
    else
        commandline -o $argv
    end
end

function __vault_parse_subcommand -S -a positional_count
    argparse -s r -- $argv
    set -l option_specs $argv[2..]
    set -l is_repeating_positional $_flag_r
    set -el _flag_r
    set -a commands $unparsed_tokens[1]
    set positional_index 0
    while true
        set -e unparsed_tokens[1]
        argparse -sn "$commands" $option_specs -- $unparsed_tokens 2> /dev/null
        set unparsed_tokens $argv
        set positional_index (math $positional_index + 1)
        for non_repeating_flag_or_option in $non_repeating_flags_or_options
            if set -ql "_flag_$(string replace -a - _ -- $non_repeating_flag_or_option)"
                set non_repeating_flags_or_options_absent 1
                break
            end
        end
        test (count $unparsed_tokens) -eq 0 -o \( -z "$is_repeating_positional" -a "$positional_index" -gt "$positional_count" \) && break
    end
end

function __vault_complete_directories
    set -l token (commandline -t)
    string match -- '*/' $token
    set -l subdirs $token*/
    printf %s\n $subdirs
end

function __vault_custom_completion
    set -x SAP_SHELL fish
    set -x SAP_SHELL_VERSION $FISH_VERSION
    set -l tokens (__vault_tokens -p)
    if test -z "$(__vault_tokens -t)"
        set -l index (count (__vault_tokens -pc))
        set tokens $tokens[..$index] \'\' $tokens[(math $index + 1)..]
    end
    command $tokens[1] $argv $tokens
end

complete -c 'vault' -f
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault" version' -l 'version' -d 'Show the version.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault" -eq 1' -fa 'set' -d 'Keep a secret; asks for it twice.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault" -eq 1' -fa 'get' -d 'Write a secret to stdout.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault" -eq 1' -fa 'list' -d 'List the names of items.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault" -eq 1' -fa 'show' -d 'Show what is known of an item, but for its secret.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault" -eq 1' -fa 'remove' -d 'Remove items: to the trash, or for good.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault" -eq 1' -fa 'rename' -d 'Give an item another name.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault" -eq 1' -fa 'copy' -d 'Make a second item with the same secret.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault" -eq 1' -fa 'history' -d 'List the versions of an item that are kept.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault" -eq 1' -fa 'restore' -d 'Take an item out of the trash, or bring an earlier version back.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault" -eq 1' -fa 'run' -d 'Run a command with secrets in its environment.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault" -eq 1' -fa 'read' -d 'Write what a reference points to.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault" -eq 1' -fa 'init' -d 'Make a vault.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault" -eq 1' -fa 'unlock' -d 'Open the vault for a while.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault" -eq 1' -fa 'lock' -d 'End the session, in every terminal at once.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault" -eq 1' -fa 'status' -d 'Say what there is, what opens it, and for how long it is open.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault" -eq 1' -fa 'check' -d 'Verify every seal, and say what to mend; or verify a backup.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault" -eq 1' -fa 'key' -d 'Manage what opens the vault.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault" -eq 1' -fa 'backup' -d 'Write the vault and its history into one sealed file, and verify it.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault" -eq 1' -fa 'defaults' -d 'Keep preferences, in the grammar of macOS\'s defaults.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault" -eq 1' -fa 'completions' -d 'Print the completion script of a shell.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault" -eq 1' -fa 'help' -d 'Show subcommand help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault set" -eq 1' -fka '(__vault_custom_completion ---completion set -- positional@0 (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault set" stdin' -l 'stdin' -d 'Read it from stdin; the final newline of a single line is dropped.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault set" file' -l 'file' -d 'Read it from a file, exactly.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault set" exact' -l 'exact' -d 'With --stdin: keep a final newline.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault set" field' -l 'field' -d 'Set one of its further fields.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault set"' -l 'tag' -d 'A word to find it by; repeatable.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault set" note' -l 'note' -d 'Free text about it.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault set" expires' -l 'expires' -d 'When it stops being valid: a date, a time such as 30d, or never.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault set"' -l 'attribute' -d 'What other programs look it up by, such as server=example.com; repeatable.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault set" kind' -l 'kind' -d 'What it is: secret, generic-password, internet-password, login, token, certificate, note, otp.' -rfka 'secret generic-password internet-password login token certificate note otp'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault set" home' -l 'home' -d 'Where vaults lie, in place of VAULT_HOME and the XDG directories.' -rfa '(__vault_complete_directories)'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault set" vault' -l 'vault' -d 'Another vault, by its name.' -rfka '(__vault_custom_completion ---completion set -- --vault (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault set" json' -l 'json' -d 'Print JSON; an error is an object on stderr.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault set" passphrase' -l 'passphrase' -d 'The passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault set" key-file' -l 'key-file' -d 'The key-file.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault set" keyring-timeout' -l 'keyring-timeout' -d 'How long the keyring may take, such as 5s.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault set" accept-rollback' -l 'accept-rollback' -d 'Go on with a vault file that is older than one seen before, or a fork of it.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault set" no-session' -l 'no-session' -d 'Neither use nor begin a session.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault set" version' -l 'version' -d 'Show the version.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault set" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault get" -eq 1' -fka '(__vault_custom_completion ---completion get -- positional@0 (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault get" field' -l 'field' -d 'One of its further fields.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault get" version' -l 'version' -d 'An earlier version.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault get" o out' -l 'out' -s 'o' -d 'Write it to a file that only you can read.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault get" home' -l 'home' -d 'Where vaults lie, in place of VAULT_HOME and the XDG directories.' -rfa '(__vault_complete_directories)'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault get" vault' -l 'vault' -d 'Another vault, by its name.' -rfka '(__vault_custom_completion ---completion get -- --vault (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault get" json' -l 'json' -d 'Print JSON; an error is an object on stderr.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault get" passphrase' -l 'passphrase' -d 'The passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault get" key-file' -l 'key-file' -d 'The key-file.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault get" keyring-timeout' -l 'keyring-timeout' -d 'How long the keyring may take, such as 5s.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault get" accept-rollback' -l 'accept-rollback' -d 'Go on with a vault file that is older than one seen before, or a fork of it.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault get" no-session' -l 'no-session' -d 'Neither use nor begin a session.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault get" version' -l 'version' -d 'Show the version.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault get" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault list" l long' -l 'long' -s 'l' -d 'Kind, version, times and tags, too.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault list" tree' -l 'tree' -d 'As a tree, by slashes.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault list" tag' -l 'tag' -d 'Only items with this tag.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault list" expired' -l 'expired' -d 'Only items that are not valid any more.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault list" expiring' -l 'expiring' -d 'Only items that end within this time.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault list" trash' -l 'trash' -d 'Removed items instead.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault list" home' -l 'home' -d 'Where vaults lie, in place of VAULT_HOME and the XDG directories.' -rfa '(__vault_complete_directories)'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault list" vault' -l 'vault' -d 'Another vault, by its name.' -rfka '(__vault_custom_completion ---completion list -- --vault (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault list" json' -l 'json' -d 'Print JSON; an error is an object on stderr.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault list" passphrase' -l 'passphrase' -d 'The passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault list" key-file' -l 'key-file' -d 'The key-file.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault list" keyring-timeout' -l 'keyring-timeout' -d 'How long the keyring may take, such as 5s.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault list" accept-rollback' -l 'accept-rollback' -d 'Go on with a vault file that is older than one seen before, or a fork of it.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault list" no-session' -l 'no-session' -d 'Neither use nor begin a session.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault list" version' -l 'version' -d 'Show the version.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault show" -eq 1' -fka '(__vault_custom_completion ---completion show -- positional@0 (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault show" home' -l 'home' -d 'Where vaults lie, in place of VAULT_HOME and the XDG directories.' -rfa '(__vault_complete_directories)'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault show" vault' -l 'vault' -d 'Another vault, by its name.' -rfka '(__vault_custom_completion ---completion show -- --vault (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault show" json' -l 'json' -d 'Print JSON; an error is an object on stderr.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault show" passphrase' -l 'passphrase' -d 'The passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault show" key-file' -l 'key-file' -d 'The key-file.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault show" keyring-timeout' -l 'keyring-timeout' -d 'How long the keyring may take, such as 5s.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault show" accept-rollback' -l 'accept-rollback' -d 'Go on with a vault file that is older than one seen before, or a fork of it.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault show" no-session' -l 'no-session' -d 'Neither use nor begin a session.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault show" version' -l 'version' -d 'Show the version.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault show" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault remove" -ge 1' -fka '(__vault_custom_completion ---completion remove -- positional@0 (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault remove" purge' -l 'purge' -d 'Keep nothing of them, nor of removed items of the same name.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault remove" home' -l 'home' -d 'Where vaults lie, in place of VAULT_HOME and the XDG directories.' -rfa '(__vault_complete_directories)'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault remove" vault' -l 'vault' -d 'Another vault, by its name.' -rfka '(__vault_custom_completion ---completion remove -- --vault (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault remove" json' -l 'json' -d 'Print JSON; an error is an object on stderr.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault remove" passphrase' -l 'passphrase' -d 'The passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault remove" key-file' -l 'key-file' -d 'The key-file.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault remove" keyring-timeout' -l 'keyring-timeout' -d 'How long the keyring may take, such as 5s.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault remove" accept-rollback' -l 'accept-rollback' -d 'Go on with a vault file that is older than one seen before, or a fork of it.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault remove" no-session' -l 'no-session' -d 'Neither use nor begin a session.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault remove" version' -l 'version' -d 'Show the version.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault remove" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault rename" -eq 1' -fka '(__vault_custom_completion ---completion rename -- positional@0 (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault rename" -eq 2' -fka '(__vault_custom_completion ---completion rename -- positional@1 (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault rename" home' -l 'home' -d 'Where vaults lie, in place of VAULT_HOME and the XDG directories.' -rfa '(__vault_complete_directories)'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault rename" vault' -l 'vault' -d 'Another vault, by its name.' -rfka '(__vault_custom_completion ---completion rename -- --vault (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault rename" json' -l 'json' -d 'Print JSON; an error is an object on stderr.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault rename" passphrase' -l 'passphrase' -d 'The passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault rename" key-file' -l 'key-file' -d 'The key-file.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault rename" keyring-timeout' -l 'keyring-timeout' -d 'How long the keyring may take, such as 5s.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault rename" accept-rollback' -l 'accept-rollback' -d 'Go on with a vault file that is older than one seen before, or a fork of it.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault rename" no-session' -l 'no-session' -d 'Neither use nor begin a session.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault rename" version' -l 'version' -d 'Show the version.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault rename" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault copy" -eq 1' -fka '(__vault_custom_completion ---completion copy -- positional@0 (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault copy" -eq 2' -fka '(__vault_custom_completion ---completion copy -- positional@1 (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault copy" home' -l 'home' -d 'Where vaults lie, in place of VAULT_HOME and the XDG directories.' -rfa '(__vault_complete_directories)'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault copy" vault' -l 'vault' -d 'Another vault, by its name.' -rfka '(__vault_custom_completion ---completion copy -- --vault (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault copy" json' -l 'json' -d 'Print JSON; an error is an object on stderr.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault copy" passphrase' -l 'passphrase' -d 'The passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault copy" key-file' -l 'key-file' -d 'The key-file.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault copy" keyring-timeout' -l 'keyring-timeout' -d 'How long the keyring may take, such as 5s.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault copy" accept-rollback' -l 'accept-rollback' -d 'Go on with a vault file that is older than one seen before, or a fork of it.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault copy" no-session' -l 'no-session' -d 'Neither use nor begin a session.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault copy" version' -l 'version' -d 'Show the version.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault copy" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault history" -eq 1' -fka '(__vault_custom_completion ---completion history -- positional@0 (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault history" home' -l 'home' -d 'Where vaults lie, in place of VAULT_HOME and the XDG directories.' -rfa '(__vault_complete_directories)'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault history" vault' -l 'vault' -d 'Another vault, by its name.' -rfka '(__vault_custom_completion ---completion history -- --vault (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault history" json' -l 'json' -d 'Print JSON; an error is an object on stderr.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault history" passphrase' -l 'passphrase' -d 'The passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault history" key-file' -l 'key-file' -d 'The key-file.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault history" keyring-timeout' -l 'keyring-timeout' -d 'How long the keyring may take, such as 5s.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault history" accept-rollback' -l 'accept-rollback' -d 'Go on with a vault file that is older than one seen before, or a fork of it.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault history" no-session' -l 'no-session' -d 'Neither use nor begin a session.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault history" version' -l 'version' -d 'Show the version.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault history" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault restore" -eq 1' -fka '(__vault_custom_completion ---completion restore -- positional@0 (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault restore" version' -l 'version' -d 'Which version.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault restore" home' -l 'home' -d 'Where vaults lie, in place of VAULT_HOME and the XDG directories.' -rfa '(__vault_complete_directories)'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault restore" vault' -l 'vault' -d 'Another vault, by its name.' -rfka '(__vault_custom_completion ---completion restore -- --vault (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault restore" json' -l 'json' -d 'Print JSON; an error is an object on stderr.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault restore" passphrase' -l 'passphrase' -d 'The passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault restore" key-file' -l 'key-file' -d 'The key-file.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault restore" keyring-timeout' -l 'keyring-timeout' -d 'How long the keyring may take, such as 5s.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault restore" accept-rollback' -l 'accept-rollback' -d 'Go on with a vault file that is older than one seen before, or a fork of it.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault restore" no-session' -l 'no-session' -d 'Neither use nor begin a session.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault restore" version' -l 'version' -d 'Show the version.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault restore" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault run" -ge 1' -fka '(__vault_custom_completion ---completion run -- positional@0 (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault run"' -l 'env' -d 'A variable and what it holds: an item, a reference, or text with references; repeatable.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault run" home' -l 'home' -d 'Where vaults lie, in place of VAULT_HOME and the XDG directories.' -rfa '(__vault_complete_directories)'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault run" vault' -l 'vault' -d 'Another vault, by its name.' -rfka '(__vault_custom_completion ---completion run -- --vault (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault run" json' -l 'json' -d 'Print JSON; an error is an object on stderr.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault run" passphrase' -l 'passphrase' -d 'The passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault run" key-file' -l 'key-file' -d 'The key-file.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault run" keyring-timeout' -l 'keyring-timeout' -d 'How long the keyring may take, such as 5s.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault run" accept-rollback' -l 'accept-rollback' -d 'Go on with a vault file that is older than one seen before, or a fork of it.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault run" no-session' -l 'no-session' -d 'Neither use nor begin a session.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault run" version' -l 'version' -d 'Show the version.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault run" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault read" home' -l 'home' -d 'Where vaults lie, in place of VAULT_HOME and the XDG directories.' -rfa '(__vault_complete_directories)'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault read" vault' -l 'vault' -d 'Another vault, by its name.' -rfka '(__vault_custom_completion ---completion read -- --vault (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault read" json' -l 'json' -d 'Print JSON; an error is an object on stderr.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault read" passphrase' -l 'passphrase' -d 'The passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault read" key-file' -l 'key-file' -d 'The key-file.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault read" keyring-timeout' -l 'keyring-timeout' -d 'How long the keyring may take, such as 5s.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault read" accept-rollback' -l 'accept-rollback' -d 'Go on with a vault file that is older than one seen before, or a fork of it.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault read" no-session' -l 'no-session' -d 'Neither use nor begin a session.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault read" version' -l 'version' -d 'Show the version.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault read" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault init" from' -l 'from' -d 'Put a backup in place instead.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault init" label' -l 'label' -d 'What to call the first key slot.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault init" recovery' -l 'recovery' -d 'Make a recovery code; without a terminal it goes to stdout.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault init" no-recovery' -l 'no-recovery' -d 'Make a recovery code; without a terminal it goes to stdout.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault init" allow-weak' -l 'allow-weak' -d 'Accept a passphrase that is too short.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault init" home' -l 'home' -d 'Where vaults lie, in place of VAULT_HOME and the XDG directories.' -rfa '(__vault_complete_directories)'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault init" vault' -l 'vault' -d 'Another vault, by its name.' -rfka '(__vault_custom_completion ---completion init -- --vault (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault init" json' -l 'json' -d 'Print JSON; an error is an object on stderr.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault init" passphrase' -l 'passphrase' -d 'The passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault init" key-file' -l 'key-file' -d 'The key-file.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault init" keyring-timeout' -l 'keyring-timeout' -d 'How long the keyring may take, such as 5s.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault init" accept-rollback' -l 'accept-rollback' -d 'Go on with a vault file that is older than one seen before, or a fork of it.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault init" no-session' -l 'no-session' -d 'Neither use nor begin a session.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault init" version' -l 'version' -d 'Show the version.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault init" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault unlock" for' -l 'for' -d 'How long, such as 8h.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault unlock" recovery' -l 'recovery' -d 'Open it with the recovery code; asks for it.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault unlock" home' -l 'home' -d 'Where vaults lie, in place of VAULT_HOME and the XDG directories.' -rfa '(__vault_complete_directories)'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault unlock" vault' -l 'vault' -d 'Another vault, by its name.' -rfka '(__vault_custom_completion ---completion unlock -- --vault (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault unlock" json' -l 'json' -d 'Print JSON; an error is an object on stderr.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault unlock" passphrase' -l 'passphrase' -d 'The passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault unlock" key-file' -l 'key-file' -d 'The key-file.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault unlock" keyring-timeout' -l 'keyring-timeout' -d 'How long the keyring may take, such as 5s.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault unlock" accept-rollback' -l 'accept-rollback' -d 'Go on with a vault file that is older than one seen before, or a fork of it.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault unlock" no-session' -l 'no-session' -d 'Neither use nor begin a session.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault unlock" version' -l 'version' -d 'Show the version.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault unlock" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault lock" home' -l 'home' -d 'Where vaults lie, in place of VAULT_HOME and the XDG directories.' -rfa '(__vault_complete_directories)'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault lock" vault' -l 'vault' -d 'Another vault, by its name.' -rfka '(__vault_custom_completion ---completion lock -- --vault (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault lock" json' -l 'json' -d 'Print JSON; an error is an object on stderr.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault lock" passphrase' -l 'passphrase' -d 'The passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault lock" key-file' -l 'key-file' -d 'The key-file.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault lock" keyring-timeout' -l 'keyring-timeout' -d 'How long the keyring may take, such as 5s.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault lock" accept-rollback' -l 'accept-rollback' -d 'Go on with a vault file that is older than one seen before, or a fork of it.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault lock" no-session' -l 'no-session' -d 'Neither use nor begin a session.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault lock" version' -l 'version' -d 'Show the version.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault lock" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault status" home' -l 'home' -d 'Where vaults lie, in place of VAULT_HOME and the XDG directories.' -rfa '(__vault_complete_directories)'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault status" vault' -l 'vault' -d 'Another vault, by its name.' -rfka '(__vault_custom_completion ---completion status -- --vault (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault status" json' -l 'json' -d 'Print JSON; an error is an object on stderr.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault status" passphrase' -l 'passphrase' -d 'The passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault status" key-file' -l 'key-file' -d 'The key-file.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault status" keyring-timeout' -l 'keyring-timeout' -d 'How long the keyring may take, such as 5s.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault status" accept-rollback' -l 'accept-rollback' -d 'Go on with a vault file that is older than one seen before, or a fork of it.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault status" no-session' -l 'no-session' -d 'Neither use nor begin a session.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault status" version' -l 'version' -d 'Show the version.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault status" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault check" -eq 1' -F
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault check" home' -l 'home' -d 'Where vaults lie, in place of VAULT_HOME and the XDG directories.' -rfa '(__vault_complete_directories)'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault check" vault' -l 'vault' -d 'Another vault, by its name.' -rfka '(__vault_custom_completion ---completion check -- --vault (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault check" json' -l 'json' -d 'Print JSON; an error is an object on stderr.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault check" passphrase' -l 'passphrase' -d 'The passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault check" key-file' -l 'key-file' -d 'The key-file.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault check" keyring-timeout' -l 'keyring-timeout' -d 'How long the keyring may take, such as 5s.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault check" accept-rollback' -l 'accept-rollback' -d 'Go on with a vault file that is older than one seen before, or a fork of it.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault check" no-session' -l 'no-session' -d 'Neither use nor begin a session.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault check" version' -l 'version' -d 'Show the version.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault check" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key" version' -l 'version' -d 'Show the version.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault key" -eq 1' -fa 'list' -d 'List the key slots: any one of them opens the vault.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault key" -eq 1' -fa 'add' -d 'Add something that opens the vault.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault key" -eq 1' -fa 'remove' -d 'Remove a key slot; the last one stays.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault key" -eq 1' -fa 'change-passphrase' -d 'Replace a passphrase; no item is sealed again.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault key" -eq 1' -fa 'rotate' -d 'Make a new vault key and seal everything anew; all old keys go.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault key" -eq 1' -fa 'upgrade' -d 'Give a passphrase of old, cheap parameters new ones.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key list" home' -l 'home' -d 'Where vaults lie, in place of VAULT_HOME and the XDG directories.' -rfa '(__vault_complete_directories)'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key list" vault' -l 'vault' -d 'Another vault, by its name.' -rfka '(__vault_custom_completion ---completion key list -- --vault (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key list" json' -l 'json' -d 'Print JSON; an error is an object on stderr.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key list" passphrase' -l 'passphrase' -d 'The passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key list" key-file' -l 'key-file' -d 'The key-file.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key list" keyring-timeout' -l 'keyring-timeout' -d 'How long the keyring may take, such as 5s.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key list" accept-rollback' -l 'accept-rollback' -d 'Go on with a vault file that is older than one seen before, or a fork of it.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key list" no-session' -l 'no-session' -d 'Neither use nor begin a session.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key list" version' -l 'version' -d 'Show the version.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key add" new-passphrase' -l 'new-passphrase' -d 'A new passphrase, as --passphrase takes it.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key add" new-key-file' -l 'new-key-file' -d 'A key-file, made if it is missing.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key add" keyring' -l 'keyring' -d 'The desktop keyring.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key add" recovery' -l 'recovery' -d 'A recovery code.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key add" label' -l 'label' -d 'What to call the key slot.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key add" allow-weak' -l 'allow-weak' -d 'Accept a passphrase that is too short.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key add" home' -l 'home' -d 'Where vaults lie, in place of VAULT_HOME and the XDG directories.' -rfa '(__vault_complete_directories)'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key add" vault' -l 'vault' -d 'Another vault, by its name.' -rfka '(__vault_custom_completion ---completion key add -- --vault (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key add" json' -l 'json' -d 'Print JSON; an error is an object on stderr.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key add" passphrase' -l 'passphrase' -d 'The passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key add" key-file' -l 'key-file' -d 'The key-file.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key add" keyring-timeout' -l 'keyring-timeout' -d 'How long the keyring may take, such as 5s.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key add" accept-rollback' -l 'accept-rollback' -d 'Go on with a vault file that is older than one seen before, or a fork of it.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key add" no-session' -l 'no-session' -d 'Neither use nor begin a session.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key add" version' -l 'version' -d 'Show the version.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key add" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault key remove" -eq 1' -fka '(__vault_custom_completion ---completion key remove -- positional@0 (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key remove" home' -l 'home' -d 'Where vaults lie, in place of VAULT_HOME and the XDG directories.' -rfa '(__vault_complete_directories)'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key remove" vault' -l 'vault' -d 'Another vault, by its name.' -rfka '(__vault_custom_completion ---completion key remove -- --vault (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key remove" json' -l 'json' -d 'Print JSON; an error is an object on stderr.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key remove" passphrase' -l 'passphrase' -d 'The passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key remove" key-file' -l 'key-file' -d 'The key-file.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key remove" keyring-timeout' -l 'keyring-timeout' -d 'How long the keyring may take, such as 5s.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key remove" accept-rollback' -l 'accept-rollback' -d 'Go on with a vault file that is older than one seen before, or a fork of it.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key remove" no-session' -l 'no-session' -d 'Neither use nor begin a session.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key remove" version' -l 'version' -d 'Show the version.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key remove" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault key change-passphrase" -eq 1' -fka '(__vault_custom_completion ---completion key change-passphrase -- positional@0 (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key change-passphrase" new-passphrase' -l 'new-passphrase' -d 'The new passphrase, as --passphrase takes it.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key change-passphrase" allow-weak' -l 'allow-weak' -d 'Accept a passphrase that is too short.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key change-passphrase" home' -l 'home' -d 'Where vaults lie, in place of VAULT_HOME and the XDG directories.' -rfa '(__vault_complete_directories)'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key change-passphrase" vault' -l 'vault' -d 'Another vault, by its name.' -rfka '(__vault_custom_completion ---completion key change-passphrase -- --vault (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key change-passphrase" json' -l 'json' -d 'Print JSON; an error is an object on stderr.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key change-passphrase" passphrase' -l 'passphrase' -d 'The passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key change-passphrase" key-file' -l 'key-file' -d 'The key-file.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key change-passphrase" keyring-timeout' -l 'keyring-timeout' -d 'How long the keyring may take, such as 5s.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key change-passphrase" accept-rollback' -l 'accept-rollback' -d 'Go on with a vault file that is older than one seen before, or a fork of it.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key change-passphrase" no-session' -l 'no-session' -d 'Neither use nor begin a session.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key change-passphrase" version' -l 'version' -d 'Show the version.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key change-passphrase" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key rotate" new-passphrase' -l 'new-passphrase' -d 'A new passphrase, as --passphrase takes it.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key rotate" new-key-file' -l 'new-key-file' -d 'A key-file, made if it is missing.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key rotate" keyring' -l 'keyring' -d 'The desktop keyring.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key rotate" recovery' -l 'recovery' -d 'A recovery code.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key rotate" label' -l 'label' -d 'What to call the key slot.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key rotate" allow-weak' -l 'allow-weak' -d 'Accept a passphrase that is too short.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key rotate" home' -l 'home' -d 'Where vaults lie, in place of VAULT_HOME and the XDG directories.' -rfa '(__vault_complete_directories)'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key rotate" vault' -l 'vault' -d 'Another vault, by its name.' -rfka '(__vault_custom_completion ---completion key rotate -- --vault (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key rotate" json' -l 'json' -d 'Print JSON; an error is an object on stderr.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key rotate" passphrase' -l 'passphrase' -d 'The passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key rotate" key-file' -l 'key-file' -d 'The key-file.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key rotate" keyring-timeout' -l 'keyring-timeout' -d 'How long the keyring may take, such as 5s.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key rotate" accept-rollback' -l 'accept-rollback' -d 'Go on with a vault file that is older than one seen before, or a fork of it.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key rotate" no-session' -l 'no-session' -d 'Neither use nor begin a session.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key rotate" version' -l 'version' -d 'Show the version.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key rotate" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key upgrade" home' -l 'home' -d 'Where vaults lie, in place of VAULT_HOME and the XDG directories.' -rfa '(__vault_complete_directories)'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key upgrade" vault' -l 'vault' -d 'Another vault, by its name.' -rfka '(__vault_custom_completion ---completion key upgrade -- --vault (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key upgrade" json' -l 'json' -d 'Print JSON; an error is an object on stderr.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key upgrade" passphrase' -l 'passphrase' -d 'The passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key upgrade" key-file' -l 'key-file' -d 'The key-file.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key upgrade" keyring-timeout' -l 'keyring-timeout' -d 'How long the keyring may take, such as 5s.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key upgrade" accept-rollback' -l 'accept-rollback' -d 'Go on with a vault file that is older than one seen before, or a fork of it.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key upgrade" no-session' -l 'no-session' -d 'Neither use nor begin a session.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key upgrade" version' -l 'version' -d 'Show the version.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault key upgrade" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault backup" -eq 1' -F
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault backup" home' -l 'home' -d 'Where vaults lie, in place of VAULT_HOME and the XDG directories.' -rfa '(__vault_complete_directories)'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault backup" vault' -l 'vault' -d 'Another vault, by its name.' -rfka '(__vault_custom_completion ---completion backup -- --vault (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault backup" json' -l 'json' -d 'Print JSON; an error is an object on stderr.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault backup" passphrase' -l 'passphrase' -d 'The passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault backup" key-file' -l 'key-file' -d 'The key-file.' -rF
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault backup" keyring-timeout' -l 'keyring-timeout' -d 'How long the keyring may take, such as 5s.' -rfka ''
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault backup" accept-rollback' -l 'accept-rollback' -d 'Go on with a vault file that is older than one seen before, or a fork of it.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault backup" no-session' -l 'no-session' -d 'Neither use nor begin a session.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault backup" version' -l 'version' -d 'Show the version.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault backup" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault defaults" -ge 1' -fka '(__vault_custom_completion ---completion defaults -- positional@0 (count (__vault_tokens -pc)) (__vault_tokens -tC))'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault defaults" version' -l 'version' -d 'Show the version.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault defaults" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_positional "vault completions" -eq 1' -fka 'bash zsh fish'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault completions" version' -l 'version' -d 'Show the version.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault completions" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'vault' -n '__vault_should_offer_completions_for_flags_or_options "vault help" version' -l 'version' -d 'Show the version.'
