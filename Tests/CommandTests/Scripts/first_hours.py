"""first_hours.py PERSON VAULT TOOLS: the first hour of a person who reads nothing but what the terminal shows.

PERSON is desktop, server, job, team, comer, author or mac; TOOLS is the folder of the README's programs. Each line is
typed in tmux. A line that fails must show a hint with the line to type instead; `follow` types that one, as a person
would who knows nothing else.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../scripts"))
from terminal_session import ANSWERS, Terminal

VAULT, TOOLS = sys.argv[2:4]
FOLDER = tempfile.mkdtemp(prefix="vault-first-hour.")
ENDS = re.compile(r"^\[(\d+)\]$")
machines = []


class Person:
    """A home, a shell, and what was shown last; with a keyring, a session of a desktop around the shell."""

    def __init__(self, name, has_keyring=False, **more):
        self.home = os.path.join(FOLDER, name)
        for folder in ("bin", "run"):
            os.makedirs(os.path.join(self.home, folder), mode=0o700)
        os.symlink(VAULT, os.path.join(self.home, "bin/vault"))
        settings = {"HOME": self.home, "PATH": f"{self.home}/bin:/usr/bin:/bin", "PS1": "$ ", "TERM": "tmux-256color",
                    "XDG_RUNTIME_DIR": f"{self.home}/run", "LC_ALL": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1",
                    "DBUS_SESSION_BUS_ADDRESS": "disabled:", "EDITOR": "true", **more}
        if has_keyring:
            del settings["DBUS_SESSION_BUS_ADDRESS"]
        words = [f"{variable}={value}" for variable, value in settings.items()]
        # The bus has its own words for the terminal, at any moment.
        quiet = "exec dbus-run-session -- sh -c 'exec sh 2>/dev/tty' 2>/dev/null"
        shell = ["sh", "-c", quiet] if has_keyring else ["sh"]
        self.terminal = Terminal(
            ["sh", "-c", f"cd {self.home}; exec \"$@\"", "sh", "env", "-i", *words, *shell], columns=160)
        self.shown, self.status = "", 0
        machines.append(self)

    def file(self, name, text, mode=0o600):
        path = os.path.join(self.home, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)

    def types(self, line, *words, fails=False, answers=()):
        """Types a line; what is shown must have the words, and a failure a way on."""
        self.terminal.wait(lambda lines: lines and lines[-1] == "$", "the shell's prompt")
        start = len(self.terminal.lines("-J"))
        self.terminal.line(f'{line}; echo "[$?]"', [*answers, *ANSWERS])
        lines = self.terminal.lines("-J")[start:-1]
        self.status = int(next(ENDS.match(line)[1] for line in reversed(lines) if ENDS.match(line)))
        self.shown = "\n".join(line for line in lines if not ENDS.match(line))
        assert (self.status != 0) == fails, f"{line}: {self.status}\n{self.shown}"
        for word in words:
            assert word in self.shown, f"{line}: no '{word}' in\n{self.shown}"
        if fails:
            assert "hint:" in self.shown, f"{line}: a dead end\n{self.shown}"
            assert "see: vault help" not in self.shown and "vault help all" not in self.shown, self.shown
        return self

    def follow(self, *words, having="vault", fails=False, answers=(), **instead):
        """Types the line that was shown: the first that begins with `having`, up to what ends it."""
        # What was wrapped is one line again.
        text = re.sub(r"\n *(?!vault: |\$ )", " ", self.shown)
        start = text.index("hint:") if "hint:" in text and having == "vault" else 0
        found = re.findall(r"(?<![\w/.-])(" + re.escape(having) + r"(?: [^;'`\n]*)?)", text[start:])
        assert found, f"nothing to type in\n{self.shown}"
        line = re.sub(r",? (?:or|and|then|to|if|it|for|with what) .*$|[,.:]? *$", "", found[0])
        for word, value in instead.items():
            line = line.replace(word, value)
        return self.types(line, *words, fails=fails, answers=answers)


def desktop():
    has_keyring = all(shutil.which(program) for program in ("gnome-keyring-daemon", "dbus-run-session"))
    me = Person("me", has_keyring)
    me.file(".env", "STRIPE_KEY=sk_made_up\nDATABASE_URL=postgres://u:p@h/d\nPORT=3000\n")
    me.file(".npmrc", "//registry.npmjs.org/:_authToken=npm_made_up\n")
    me.types("vault", "vault set")
    me.types("vault get api-token", fails=True)
    if has_keyring:
        me.types("printf test >password; gnome-keyring-daemon --foreground --unlock --components=secrets "
                 "<password >/dev/null 2>&1 & echo $! >run/keyring")
        me.types("vault set api-token", "unlocked by the desktop keyring", "vault key add --recovery")
        me.types("vault key add --recovery", "unlocks the vault from now on")
        me.types("vault lock")
    else:
        me.types("vault set api-token", "stored")
    me.types("vault get api-token", "s3cr3t")
    me.types("vault get api-tokn", "did you mean: api-token", fails=True)
    me.types("vault set TOKEN=abc", fails=True)
    me.types("vault import dotenv .env --prefix app/", "in plain text").follow(
        "references", having="vault import dotenv", answers=[(r"\[.*\] ?$", "y")])
    assert "made_up" not in open(f"{me.home}/.env").read()
    me.types("vault run app/ env", fails=True).follow("STRIPE_KEY=")
    me.types("vault get app/STRIPE_KEY -o json", fails=True)
    assert not os.path.exists(f"{me.home}/json")
    me.types("vault import home --dry-run", "npm", "hint:").follow(
        "a second look finds none", having="vault import home", answers=[(r"\[Y/n\] ?$", "y")])
    assert ".env" not in me.shown, me.shown
    me.types("vault run npm/registry.npmjs.org -- sh -c 'echo $NPM_TOKEN'", "npm_made_up")
    me.types("vault disconnect npm --dry-run", "would be in plain text again")
    me.types("vault undo", "vault disconnect npm", fails=True)
    me.types("vault export json; true", "nothing was written", answers=[(r"\[y/N\] ?$", "n")])
    me.types("vault status")
    me.types("vault lock", "locked")


def server():
    me = Person("me")
    me.file("password", "made-up")
    me.types("vault set db/prod --stdin <password", fails=True, answers=[(r"\[[Yy]/[Nn]\] ?$", "n")])
    me.types("setsid -w vault set db/prod --stdin <password", "vault init", fails=True)
    me.types("vault init --key-file ~/vault.key --no-recovery", "created")
    me.types("export VAULT_KEY_FILE=~/vault.key")
    me.types("vault set db/prod --stdin <password", "stored")
    me.types("env -i HOME=$HOME PATH=$PATH VAULT_KEY_FILE=$HOME/vault.key sh -c 'vault -q --no-session get db/prod'",
             "made-up")
    me.types("env -i PATH=$PATH vault get db/prod", fails=True)
    me.types("vault run db/prod -- sh -c 'echo ${#DB_PROD} $PROD'", "7")
    me.types("vault run db/prod printenv", fails=True).follow()
    me.types("vault get db/prd", "did you mean: db/prod", fails=True)
    me.types("vault check")
    me.types("vault backup backups/ --keep 3", "verified")
    me.types("vault key add", "added")
    me.types("vault key add --recovery >code", "")
    assert re.match(r"[0-9A-Z]{6}-", open(f"{me.home}/code").read())
    me.types("vault status --json", '"items"')
    me.types("vault connect sync --key-file ~/vault.key --dry-run; true")


def job():
    me = Person("me", CI="true")
    me.file("passphrase", "river stone lamp autumn seven\n")
    me.file("deploy.sh", "#!/bin/sh\necho key ${#DEPLOY_KEY} ${VAULT_PASSPHRASE-unset}\n", 0o755)
    job = "setsid -w sh -c '{}' </dev/null"
    me.types(job.format("vault get deploy-key"), fails=True)
    me.types(job.format("vault --home ci init"), fails=True)
    me.types(job.format("vault --home ci init --passphrase file:passphrase --no-recovery"), "created")
    me.types(job.format("echo dk | vault --home ci --passphrase file:passphrase set deploy-key --stdin"), "stored")
    me.types("chmod 644 ci/secrets.vault")
    me.types(job.format("vault --home ci --passphrase file:passphrase get deploy-key"), "chmod", fails=True)
    me.follow(having="chmod")
    me.types("export VAULT_PASSPHRASE='river stone lamp autumn seven'")
    me.types(job.format("vault --home ci --no-session run deploy-key ./deploy.sh"), fails=True)
    me.types(job.format("vault --home ci --no-session run deploy-key -- ./deploy.sh"), "key 2 unset")
    me.types("export VAULT_PASSPHRASE=wrong")
    me.types(job.format("vault --home ci --no-session run deploy-key -- ./deploy.sh"), fails=True)
    me.types(job.format("vault --home ci --no-session get deploy-key --json; true"), '"code": "wrong-key"')


def team():
    ann, bob = Person("ann"), Person("bob")
    store = f"{FOLDER}/store"
    ann.types("vault set private/pin", "stored")
    bob.types("vault set bank/pin", "stored")
    ann.types("vault --vault deploy set db/prod", "stored")
    ann.types(f"vault --vault deploy sync init {store}", "vault --vault deploy sync invite").follow(
        "on the other machine", having="vault --vault deploy sync invite")
    code = re.search(r"\b[0-9A-Z]{6}(-[0-9A-Z]{6})+\b", ann.shown)[0]
    line = re.search(r"vault --vault deploy sync join STORE", ann.shown)[0].replace("STORE", store)
    bob.types(line, "db/prod", answers=[(r"^Invitation:$", code)])
    bob.types("vault --vault deploy get db/prod", "s3cr3t")
    ann.types("vault --vault deploy sync now")
    bob.types("vault --vault deploy undo; true")
    bob.types("vault --vault deploy sync now")
    ann.types("vault --vault deploy sync now")
    ann.types("vault --vault deploy get db/prod", "s3cr3t")
    ann.types("vault --vault deploy get bank/pin", fails=True)
    ann.types("vault --vault deploy sync devices")
    # A third one only reads: what it changes stays there, and when it goes, the team sees what to change.
    cy = Person("cy")
    ann.types("vault --vault deploy sync invite --role reader", "as reader")
    code = re.search(r"\b[0-9A-Z]{6}(-[0-9A-Z]{6})+\b", ann.shown)[0]
    cy.types(f"{line} --label cy", "joined as cy", answers=[(r"^Invitation:$", code)])
    cy.types("vault --vault deploy get db/prod", "s3cr3t")
    cy.types("vault --vault deploy set db/other", "stays here").follow(
        "synchronized", having="vault --vault deploy sync now --discard-local")
    ann.types("vault --vault deploy sync now")
    ann.types("vault --vault deploy sync remove cy", "cy").follow(
        "prod", having="vault --vault deploy list --exposed-to")
    cy.types("vault --vault deploy sync now", "removed", fails=True)
    ann.types("vault --vault deploy sync log", "removed")
    # The other one is an owner, too: it may leave, and is told who can let it in again.
    ann.types("vault --vault deploy sync leave", "invite it again")


def comer():
    me = Person("me")
    me.file("bitwarden.csv", "folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,"
            "login_totp\nwork,,login,github,,,0,https://github.com,ann,made-up,\n")
    me.types("vault init", "created")
    me.types("vault insert mail/work", "stored")
    me.types("vault import bitwarden bitwarden.csv", "")
    me.types("vault ls")
    me.types("vault find github", "github")
    me.types("vault work/github", fails=True).follow("made-up")
    me.types("vault show -c work/github; true")
    me.types("vault generate work/x 24", fails=True)
    me.types("vault kv get secret/app", "HashiCorp", fails=True)
    me.types("vault item get github; true", "vault")
    me.types("vault push; true", "sync")
    me.types("vault import nothing-known x", fails=True)


def author():
    me = Person("me")
    me.types(f"{TOOLS}/Credentials", "no token", "VAULT_KEY_FILE", "32 random bytes")
    me.types("head -c 32 /dev/urandom >tool.key; chmod 644 tool.key; export VAULT_KEY_FILE=~/tool.key")
    me.types(f"{TOOLS}/Credentials", "no token", "chmod 600")
    me.types("chmod 600 tool.key")
    me.types(f"{TOOLS}/Credentials", "<redacted>", "work/registry")
    me.types("vault list", "api-token")
    me.types("vault get api-token", "s3cr3t")
    me.types(f"{TOOLS}/Preferences", "dark")
    me.types("vault defaults domains", "com.example.tool")
    me.types("vault defaults read com.example.tool", "dark")
    me.types("vault defaults write com.example.tool theme light")
    me.types("vault defaults history com.example.tool", "light")
    me.types(f"{TOOLS}/AppData", "Rome")
    me.types("vault data list", fails=True).follow("AppData", having="vault data stores")
    me.types("vault data fetch AppData", fails=True)
    me.types("vault data fetch AppData Tripp", fails=True)
    me.types("vault data fetch AppData Trip", "Rome")


def mac():
    me = Person("me")
    me.types("vault init", "created")
    me.types("vault add-generic-password -s api -a me -w abc", fails=True)
    me.types("vault set api --attribute service=api --attribute account=me", "stored")
    me.types("vault find-generic-password -s api -a me -w", fails=True).follow("s3cr3t")
    me.types("vault dump-keychain", fails=True)
    me.types("vault defaults write com.example.tool theme -string dark")
    me.types("vault defaults read com.example.tool theme", "dark")
    me.types("vault defaults read com.example.tool nothing; true", "does not exist")
    me.types("ln -s $(command -v vault) bin/defaults")
    me.types("defaults read com.example.tool", "theme = dark")
    me.types("defaults delete com.example.tool theme")


try:
    {"desktop": desktop, "server": server, "job": job, "team": team, "comer": comer, "author": author,
     "mac": mac}[sys.argv[1]]()
    print("no dead end")
except AssertionError as error:
    raise SystemExit(str(error))
finally:
    for machine in machines:
        subprocess.run([VAULT, "lock", "-q"], env={"HOME": machine.home, "PATH": "/usr/bin:/bin"}, check=False,
                       capture_output=True)
        try:
            with open(f"{machine.home}/run/keyring", encoding="utf-8") as file:
                os.kill(int(file.read()), signal.SIGTERM)
        except OSError:
            pass
        machine.terminal.close()
    shutil.rmtree(FOLDER, ignore_errors=True)
