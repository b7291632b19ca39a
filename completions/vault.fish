# fish completion for vault; written by: vault completions fish
function __vault
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    # As the command will get it, with an open quote closed behind it.
    set -l current "$typed"
    for quote in '' \' '"'
        if string unescape -- "$typed$quote" >/dev/null
            set current (string unescape -- "$typed$quote")
            break
        end
    end
    set -l lines ($words[1] __complete (count $words) $words "$current" 2>/dev/null)
    # Paths are completed behind the name of --option=VALUE, as fish does for any command.
    set -l option (string match -r -- '^--[^=]*=' "$current")
    set -l value (string replace -r -- '^--[^=]*=' '' "$current")
    set -l paths
    switch "$lines[1]"
        case files
            set paths (complete -C "'' $value")
        case directories
            set paths (__fish_complete_directories "$value" '')
        case 'command *'
            __fish_complete_subcommand --fcs-skip=(string replace 'command ' '' -- $lines[1])
    end
    for path in $paths
        printf '%s\n' "$option$path"
    end
    test (count $lines) -gt 1; and printf '%s\n' $lines[2..]
end
complete -c vault -f -a '(__vault)'
