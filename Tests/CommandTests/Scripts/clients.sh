#!/bin/bash
# Runs the line that Documentation/helpers.md has for a program:  clients.sh PROGRAM
#
# In a folder of its own, with `vault` in PATH and VAULT_KEY_FILE set. Prints what the program made
# of the secret; status 3 if the program is not installed. The secret has everything that a line
# could get wrong, but for its end.
set -eu
secret='p w"$x`é\n'
vault -q init --key-file "$VAULT_KEY_FILE" --no-recovery
for item in restic borg ansible gpg api mail; do
  printf %s "$secret" | vault -q set $item --stdin --exact --no-session
done
command -v "$1" >/dev/null || exit 3
expect() { [ "$1" = "$secret" ] && echo right || printf 'wrong: %s\n' "$1"; }

case $1 in
restic)
  export RESTIC_REPOSITORY=$PWD/r
  RESTIC_PASSWORD=$secret restic -q init
  restic --password-command "vault get restic" cat config >/dev/null && echo right
  ;;
borg)
  export BORG_BASE_DIR=$PWD/borg BORG_REPO=$PWD/b
  BORG_PASSPHRASE=$secret borg init -e repokey 2>/dev/null
  export BORG_PASSCOMMAND="vault get borg"
  borg list && echo right
  ;;
ansible-vault)
  # A file that is a program is run for the password: ansible-vault(1).
  printf '#!/bin/sh\nexec vault get ansible\n' >ask && chmod 700 ask
  printf %s "$secret" >password
  echo right >text
  ansible-vault encrypt --vault-password-file password text >/dev/null 2>&1
  ansible-vault view --vault-password-file ./ask text
  ;;
ssh-add)
  ssh-keygen -q -t ed25519 -N '' -C right -f id
  vault -q set ssh-key --stdin --exact --no-session <id
  eval "$(ssh-agent)" >/dev/null
  # A test's children inherit a mask in which SIGTERM is blocked.
  trap 'kill -KILL "$SSH_AGENT_PID"' EXIT
  vault get ssh-key | ssh-add -q -
  ssh-add -L | cut -d' ' -f3
  ;;
gpg)
  export GNUPGHOME=$PWD/gnupg
  mkdir -m 700 "$GNUPGHOME"
  trap 'gpgconf --kill all' EXIT
  echo right | gpg --batch --quiet --pinentry-mode loopback --passphrase "$secret" -c -o file.gpg
  gpgconf --kill gpg-agent
  vault get gpg | gpg --batch --quiet --pinentry-mode loopback --passphrase-fd 0 -d file.gpg
  ;;
make)
  printf 'all:\n\t@printenv API\n' >Makefile
  expect "$(vault run --env API=api -- make)"
  ;;
envsubst)
  echo '${API}' >template
  expect "$(vault run --env API=api -- envsubst <template)"
  ;;
terraform)
  printf 'variable "token" { type = string }\n' >main.tf
  # Its own form of the text: JSON's, without its escapes of < > &.
  echo 'nonsensitive(sensitive(var.token))' >question
  answer=$(vault run --env TF_VAR_token=api -- terraform console <question 2>/dev/null | tail -1)
  expect "$(printf %s "$answer" | python3 -c 'import json,sys; print(json.load(sys.stdin), end="")')"
  ;;
curl)
  cat >server.py <<'P'
import http.server
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers()
        self.wfile.write(self.headers["Authorization"].removeprefix("Bearer ").encode("latin-1"))
    def log_message(self, *a): pass
s = http.server.HTTPServer(("127.0.0.1", 0), H)
print(s.server_port, flush=True); s.handle_request()
P
  coproc server { exec python3 server.py; }
  read -r port <&"${server[0]}"
  echo 'oauth2-bearer = {{ secret://api?encoding=json }}' >curl.tpl
  expect "$(vault inject --in curl.tpl | curl -s --config - "http://127.0.0.1:$port/")"
  ;;
msmtp)
  cat >server.py <<'P'
import base64, socket
s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1], flush=True)
c, _ = s.accept(); f = c.makefile("rwb")
def say(t): f.write(t + b"\r\n"); f.flush()
say(b"220 test")
for line in f:
    w = line.strip().split(b" ")
    if w[0] == b"EHLO": say(b"250-test\r\n250 AUTH PLAIN")
    elif w[0] == b"AUTH":
        word = w[2] if len(w) > 2 else (say(b"334 ") or f.readline().strip())
        open("password", "wb").write(base64.b64decode(word).split(b"\0")[2]); say(b"235 ok")
    elif w[0] == b"DATA":
        say(b"354 go")
        while f.readline().strip() != b".": pass
        say(b"250 ok")
    elif w[0] == b"QUIT": say(b"221 bye"); break
    else: say(b"250 ok")
P
  coproc server { exec python3 server.py; }
  read -r port <&"${server[0]}"
  printf 'account default\nhost 127.0.0.1\nport %s\nauth plain\ntls off\nuser me\nfrom me@x\npasswordeval "vault get mail"\n' "$port" >msmtprc
  chmod 600 msmtprc
  echo text | msmtp -C msmtprc you@x
  expect "$(cat password)"
  ;;
*) echo "no line for $1" && exit 2 ;;
esac
