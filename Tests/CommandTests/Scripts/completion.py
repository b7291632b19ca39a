"""Presses TAB in a real shell: completion.py bash|bash-alone|zsh|fish VAULT HOME COMPLETIONS

bash-alone is bash without bash-completion.
"""
import os
import re
import subprocess
import sys

import pexpect

name, vault, home, completions = sys.argv[1:5]
folder = os.path.join(home, "bin")
os.makedirs(folder)
os.symlink(vault, os.path.join(folder, "vault"))
environment = {
    "HOME": home, "PATH": f"{folder}:/usr/local/bin:/usr/bin:/bin", "TERM": "dumb",
    "LC_ALL": "C.UTF-8",
}
key = os.path.join(home, "key")


def plain(*words, **options):
    done = subprocess.run(
        [vault, *words], env=environment, capture_output=True, check=False, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


# Paths to complete: the shells start where they are.
paths = os.path.join(home, "paths")
os.makedirs(os.path.join(paths, "reports"))
for file in [
        "ledger.key", "two words.txt", "at:noon.log", "a b:c.txt", "k=v.txt", "David's a.txt",
        "David's b.txt"]:
    with open(os.path.join(paths, file), "wb"):
        pass
os.chdir(paths)


def shell():
    if name.startswith("bash"):
        child = pexpect.spawn(
            "bash", ["--norc", "--noprofile", "-i"], env=environment, encoding="utf-8", timeout=300,
            dimensions=(40, 200))
        child.sendline("PS1='ready''> '; bind 'set enable-bracketed-paste off'")
        child.expect("ready> ")
        if name == "bash":
            child.sendline("source /usr/share/bash-completion/bash_completion")
            child.expect("ready> ")
            child.sendline("declare -F _command_offset")
            child.expect("\r\n_command_offset\r\n")
            child.expect("ready> ")
        child.sendline(f"source {completions}/vault.bash")
        child.expect("ready> ")
    elif name == "zsh":
        child = pexpect.spawn(
            "zsh", ["-f", "-i"], env=environment, encoding="utf-8", timeout=300,
            dimensions=(40, 200))
        child.sendline(
            f"PROMPT='ready''> '; unsetopt zle_bracketed_paste; fpath=({completions} $fpath); "
            "autoload -U compinit; compinit -D -u; zstyle ':completion:*' menu no; echo loaded")
        child.expect("loaded\r\n")
        child.expect("ready> ")
    else:
        child = pexpect.spawn(
            "fish", ["--no-config", "-i"], env=environment, encoding="utf-8", timeout=300,
            dimensions=(40, 200))
    return child


def completed(line, expected, whole=None):
    """Types a line and TAB, runs it with 'echo' in place of vault, and compares."""
    if name == "fish":
        # fish answers by itself what TAB would offer.
        script = f"source {completions}/vault.fish; complete --do-complete {quoted(line)}"
        done = subprocess.run(
            ["fish", "--no-config", "-c", script], env=environment, capture_output=True,
            text=True, check=False)
        offered = [row.split("\t")[0] for row in done.stdout.splitlines()]
        assert expected in offered, (line, offered, done.stderr)
        return
    child.send("\x01\x0b" + line + "\t")
    child.send("\x01echo got: \r")
    child.expect("\r\ngot: ([^\r]*)\r\n")
    got = child.match.group(1).strip()
    child.expect("ready> ")
    want = whole or " ".join(re.split(r"(?<!\\) ", line)[:-1] + [expected])
    if name == "zsh":
        # zsh takes away the slash that it put behind a folder.
        want = want.removesuffix("/")
    assert got == want, (line, got, want)


def quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def offers_nothing(line):
    if name == "fish":
        script = f"source {completions}/vault.fish; complete --do-complete {quoted(line)}"
        done = subprocess.run(
            ["fish", "--no-config", "-c", script], env=environment, capture_output=True,
            text=True, check=False)
        assert "api-token" not in done.stdout and "work" not in done.stdout, done.stdout
        assert done.stderr == "", done.stderr
        return
    completed(line, line.split()[-1])


plain("init", "--key-file", key)
# On a machine at work all of this takes longer than a session.
plain("unlock", "--key-file", key, "--for", "8h")
for item in ["api-token", "work/github"]:
    plain("set", item, "--stdin", input=b"s3cr3t")
plain("set", "work/github", "--stdin", "--tag", "forge", input=b"2")
plain("set", "work/github", "--field", "login", "--stdin", input=b"david")
for item in ["my $(touch ran) item", "it's; touch ran", "a!b`touch ran`", "me@example.org"]:
    plain("set", item, "--stdin", input=b"x")
plain("set", "gone", "--stdin", input=b"x")
plain("remove", "gone")
plain("key", "add", "--new-key-file", f"{key}2", "--label", "laptop")
plain("defaults", "write", "com.example.tool", "theme", "dark")
child = None if name == "fish" else shell()
completed("vault hist", "history")
completed("vault key change", "change-passphrase")
completed("vault list --tre", "--tree")
completed("vault get api", "api-token")
completed("vault show work/", "work/github")
completed("vault run api", "api-token")
# By a part of the name, where none begins with the word.
completed("vault get github", "work/github")
completed("vault get GitH", "work/github")
completed("vault get ithub", "work/github")
completed("vault run --env X=github", "X=work/github")
completed("vault set item --kind interne", "internet-password")
completed("vault defaults read-t", "read-type")
completed("vault defaults read com.ex", "com.example.tool")
completed("vault defaults read com.example.tool th", "theme")
completed("vault defaults write com.example.tool theme -str", "-string")
completed("vault defaults read --eff", "--effective")
# What a schema says of a key: its values, and the word for its type.
schemas = os.path.join(home, ".local/share/vault/schemas")
os.makedirs(schemas)
with open(os.path.join(schemas, "org.desk.toml"), "w", encoding="utf-8") as file:
    file.write(
        '[keys.theme]\ntype = "string"\nvalues = ["bright and warm", "dark"]\n[keys.wraps]\ntype = "boolean"\n'
        '[keys.columns]\ntype = "integer"\nvalues = [80, 100]\n')
plain("defaults", "write", "org.desk", "wraps", "-bool", "true")
completed("vault defaults write org.desk the", "theme")
completed("vault defaults write org.desk theme da", "dark")
completed("vault defaults write org.desk theme -string da", "dark")
completed("vault defaults write org.desk theme bri", "bright and warm")
completed("vault defaults write org.desk wraps -", "-bool")
completed("vault defaults write org.desk wraps -bool fa", "false")
completed("vault defaults write org.desk columns -int 8", "80")
completed("vault defaults write com.example.tool theme -bool t", "true")
completed("vault defaults export --format js", "json")
completed("vault get work/github --field log", "login")
completed("vault list --tag for", "forge")
completed("vault list wor", "work/github")
completed("vault restore go", "gone")
completed("vault key remove lap", "laptop")
completed("vault run --file wor", "work/github")
completed("vault credential dock", "docker")
completed("vault credential git cap", "capability")
completed("vault connect aw", "aws")
completed("vault import keepa", "keepassxc")
completed("vault export dot", "dotenv")
completed("vault list --color alw", "always")
completed("vault list --color=alw", "--color=always")
completed("vault list --qui", "--quiet")
completed("vault settings ses", "session")
completed("vault keyring pub", "publish")
completed("vault data exp", "export")
# A path, also one that is given with '=' behind the option's name.
completed("vault get --key-file led", "ledger.key")
completed("vault get --key-file=led", "--key-file=ledger.key")
completed("vault get --home rep", "reports/")
completed("vault get --home=rep", "--home=reports/")
completed("vault set x --file=./led", "--file=./ledger.key")
completed("vault set x --file two", "two words.txt")
completed("vault set x --file=two", "--file=two words.txt")
completed("vault set x --file=two\\ w", "--file=two words.txt")
completed("vault set x --file at", "at:noon.log")
completed("vault set x --file at:n", "at:noon.log")
completed("vault set x --file=at:n", "--file=at:noon.log")
completed("vault set x --file=k=v", "--file=k=v.txt")
if name != "fish":
    completed("vault set x --file a\\ b:c", "a b:c.txt")
    completed("vault set x --file=a\\ b:c", "--file=a b:c.txt")
# Behind an open quote the same as without one; zsh and fish close it, too.
if not name.startswith("bash"):
    for quote in ["'", '"']:
        completed(f"vault get {quote}api", "api-token")
        completed(f"vault show {quote}work/", "work/github")
        completed(f"vault get {quote}github", "work/github")
        completed(f"vault {quote}hist", "history")
        completed(f"vault list {quote}--tre", "--tree")
        completed(f"vault get work/github --field {quote}log", "login")
        completed(f"vault set item --kind {quote}interne", "internet-password")
        completed(f"vault defaults read {quote}com.ex", "com.example.tool")
        completed(f"vault list {quote}--color=alw", "--color=always")
        completed(f"vault get {quote}me@ex", "me@example.org")
        completed(f"vault get --key-file {quote}led", "ledger.key")
        completed(f"vault set x --file {quote}two w", "two words.txt", "vault set x --file two words.txt")
        completed(f"vault get {quote}my $(to" if quote == "'" else 'vault get "my \\$(to',
                  "my $(touch ran) item", "vault get my $(touch ran) item")
    completed("vault get \"it's", "it's; touch ran")
    completed("vault get it\\'s", "it's; touch ran")
    completed("vault get my\\ ", "my $(touch ran) item", "vault get my $(touch ran) item")
    completed("vault get api-'tok", "api-token", "vault get api-token")
    assert not os.path.exists("ran")
if name.startswith("bash"):
    # bash closes the quote, too.
    completed("vault set x --file='at:n", "--file=at:noon.log")
    completed("vault set item --kind='interne", "--kind=internet-password")
    completed('vault get "my', "my $(touch ran) item")
    completed("vault get 'my", "my $(touch ran) item")
    completed("vault get 'my $(to'uch", "", "vault get my $(touch ran) item")
    completed("vault get my\\ ", "my $(touch ran) item")
    completed("vault get it\\'s", "it's; touch ran")
    completed("vault get \"it's", "it's; touch ran")
    completed("vault get 'it'\\''s", "it's; touch ran")
    completed('vault get "a!', "a!b`touch ran`")
    assert not os.path.exists("ran")
    completed("vault get me@ex", "me@example.org")
    completed("vault set x --file at\\:n", "at:noon.log")
    completed("vault set x --file=at\\:n", "--file=at:noon.log")
    completed("vault set x --file 'two w'or", "", "vault set x --file two words.txt")
    # With what is common first, then with a letter more.
    completed("vault set x --file Dav\ta", "David's a.txt")
    completed('vault set x --file "Dav\ta', "David's a.txt")
    completed("vault run --env A=api-token --home=/x -- compge", "compgen")
    completed("vault run api-token -- ls rep", "reports/")
    if name == "bash":
        completed("nohup vault get --key-file=led", "--key-file=ledger.key")
    completed("vault set $(echo a b) --file led", "", "vault set a b --file ledger.key")
    completed("vault get api-token <led", "", "vault get api-token")
    completed("vault get api-token 2>&1 < led", "", "vault get api-token")
    completed("vault 2>/dev/null get api", "", "vault get api-token")
    child.sendline("alias v=vault; complete -F _vault v")
    child.expect("ready> ")
    completed("v list --tre", "--tree")
    # The cursor in the middle: what is behind it stays.
    completed("vault get api other" + "\x02" * 6, "api-token", "vault get api-token other")
    completed("vault get x   y" + "\x02" * 3, "", "vault get x y")
    child.sendline("set -u")
    child.expect("ready> ")
    completed("vault list --tre", "--tree")
    child.sendline("set +u; COMP_WORDBREAKS=${COMP_WORDBREAKS//[=:]}")
    child.expect("ready> ")
    completed("vault get --home=rep", "--home=reports/")
    completed("vault set x --file at:n", "at:noon.log")
    child.sendline('COMP_WORDBREAKS="$COMP_WORDBREAKS/"')
    child.expect("ready> ")
    completed("vault get work/git", "work/github")
if name == "zsh":
    # Names have no descriptions: each is there once, and nothing stands between them.
    child.send("\x01\x0bvault get \t")
    child.expect("api-token")
    child.send("\x01\x0b\r")
    child.expect("ready> ")
    screen = child.before
    assert "--" not in screen, screen
for item in ["home/forgejo", "work/forgejo"]:
    plain("set", item, "--stdin", input=b"x")
# Of several nothing takes the word's place; zsh goes through them.
completed("vault get forgejo", "home/forgejo" if name in ["zsh", "fish"] else "forgejo")
plain("lock")
offers_nothing("vault get api")
# A key file opens the vault without a question.
environment["VAULT_KEY_FILE"] = key
if child:
    child.sendline(f"export VAULT_KEY_FILE={key}")
    child.expect("ready> ")
completed("vault get api", "api-token")
completed("vault get github", "work/github")
plain("lock")
if child:
    child.sendline("exit")
    child.expect(pexpect.EOF)
