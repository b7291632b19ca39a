#!/bin/bash
# Runs the line that Documentation/helpers.md has for a program:  clients.sh PROGRAM
#
# In a folder of its own, with `vault` in PATH and VAULT_KEY_FILE set. Prints what the program made
# of the secret; status 3 if the program is not installed. The secret has everything that a line
# could get wrong, but for its end.
set -eu
secret='p w"$x`é\n'
vault -q init --key-file "$VAULT_KEY_FILE" --no-recovery
for item in restic borg rclone ansible gpg api mail svn ftp key-id key; do
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
rclone)
  # A configuration that is sealed as rclone's config/crypt.go seals it.
  cat >seal.py <<'P'
import base64, ctypes, hashlib, os, sys
sodium = ctypes.CDLL("libsodium.so.23")
text, nonce = b"[right]\ntype = local\n", os.urandom(24)
key = hashlib.sha256(b"[" + sys.stdin.buffer.read() + b"][rclone-config]").digest()
sealed = ctypes.create_string_buffer(len(text) + 16)
sodium.crypto_secretbox_easy(sealed, text, ctypes.c_ulonglong(len(text)), nonce, key)
print("RCLONE_ENCRYPT_V0:\n" + base64.b64encode(nonce + sealed.raw).decode())
P
  printf %s "$secret" | python3 seal.py >rclone.conf
  export RCLONE_CONFIG=$PWD/rclone.conf
  [ "$(rclone --password-command "vault get rclone" listremotes)" = right: ] && echo right
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
direnv)
  mkdir project
  echo 'export API="$(vault get api)"' >project/.envrc
  direnv allow project
  expect "$(direnv exec project printenv API 2>/dev/null)"
  ;;
neomutt)
  echo 'set imap_pass="`vault get mail`"' >muttrc
  # It shows the value with a backslash before each quote and backslash.
  shown=$(neomutt -n -F muttrc -Q imap_pass | sed 's/^set imap_pass = "\(.*\)"$/\1/; s/\\\(.\)/\1/g')
  expect "$shown"
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
mbsync)
  cat >server.py <<'P'
import re, socket
s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1], flush=True)
c, _ = s.accept(); f = c.makefile("rwb")
def say(t): f.write(t + b"\r\n"); f.flush()
def words(line):
    found = []
    while True:
        line = line.rstrip(b"\r\n")
        tail = re.search(rb"\{(\d+)(\+?)\}$", line)
        for quoted, plain in re.findall(rb'"((?:[^"\\]|\\.)*)"|([^ ]+)', line[:tail.start()] if tail else line):
            found.append(re.sub(rb"\\(.)", rb"\1", quoted) if quoted else plain)
        if not tail: return found
        if not tail[2]: say(b"+ go on")
        found.append(f.read(int(tail[1])))
        line = f.readline()
say(b"* OK [CAPABILITY IMAP4rev1] test")
for line in f:
    w = words(line)
    if w[1].upper() == b"LOGIN":
        open("password", "wb").write(w[3]); say(w[0] + b" NO enough"); break
    if w[1].upper() == b"CAPABILITY": say(b"* CAPABILITY IMAP4rev1")
    say(w[0] + b" OK done")
P
  coproc server { exec python3 server.py; }
  read -r port <&"${server[0]}"
  mkdir mail
  printf 'IMAPAccount a\nHost 127.0.0.1\nPort %s\nUser me\nSSLType None\nAuthMechs LOGIN\n' "$port" >mbsyncrc
  echo 'PassCmd "vault get mail"' >>mbsyncrc
  printf '\nIMAPStore far\nAccount a\n\nMaildirStore near\nInbox %s\nPath %s/\n\n' "$PWD/mail" "$PWD/mail" >>mbsyncrc
  printf 'Channel c\nFar :far:\nNear :near:\n' >>mbsyncrc
  # The server refuses, once it has the password.
  mbsync -c mbsyncrc c >/dev/null 2>&1 || true
  expect "$(cat password)"
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
wget)
  cat >server.py <<'P'
import base64, http.server
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        given = self.headers.get("Authorization")
        self.send_response(200 if given else 401)
        if not given: self.send_header("WWW-Authenticate", 'Basic realm="x"')
        body = base64.b64decode(given.split()[1]).split(b":", 1)[1] if given else b""
        self.send_header("Content-Length", str(len(body))); self.end_headers(); self.wfile.write(body)
    def log_message(self, *a): pass
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H); s.daemon_threads = True
print(s.server_port, flush=True); s.serve_forever()
P
  coproc server { exec python3 server.py; }
  trap 'kill -KILL "$server_PID"' EXIT
  read -r port <&"${server[0]}"
  ln -s "$(command -v vault)" vault-askpass
  PATH=$PWD:$PATH
  # It names the host without its port.
  printf 'protocol=http\nhost=127.0.0.1\nusername=me\npassword=%s\n' "$secret" | vault credential git store
  expect "$(wget --use-askpass=vault-askpass -q -O- "http://127.0.0.1:$port/")"
  ;;
svn)
  command -v svnserve >/dev/null || exit 3
  svnadmin create r
  printf '[general]\nanon-access = none\npassword-db = passwd\n' >r/conf/svnserve.conf
  printf '[users]\nme = %s\n' "$secret" >r/conf/passwd
  # svnserve does not say which port it got: it serves a connection that this one takes.
  cat >server.py <<'P'
import socket, subprocess
s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1], flush=True)
c, _ = s.accept(); subprocess.run(["svnserve", "-i", "-r", "r"], stdin=c, stdout=c)
P
  coproc server { exec python3 server.py; }
  read -r port <&"${server[0]}"
  vault get svn | svn --non-interactive --username me --password-from-stdin \
    --no-auth-cache info --show-item revision "svn://127.0.0.1:$port" | sed 's/^0$/right/'
  ;;
lftp)
  cat >server.py <<'P'
import socket
s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1], flush=True)
c, _ = s.accept(); f = c.makefile("rwb")
def say(t): f.write(t + b"\r\n"); f.flush()
say(b"220 test")
for line in f:
    w = line.rstrip(b"\r\n").split(b" ", 1)
    if w[0] == b"USER": say(b"331 and")
    elif w[0] == b"PASS": open("password", "wb").write(w[1]); say(b"530 enough"); break
    else: say(b"502 no")
P
  coproc server { exec python3 server.py; }
  read -r port <&"${server[0]}"
  # The server refuses, once it has the password.
  vault run --env LFTP_PASSWORD=ftp -- lftp --env-password -u me \
    -p "$port" -e 'set net:max-retries 1; ls; quit' 127.0.0.1 >/dev/null 2>&1 || true
  expect "$(cat password)"
  ;;
s3cmd)
  shown=$(vault run --env AWS_ACCESS_KEY_ID=key-id --env AWS_SECRET_ACCESS_KEY=key -- s3cmd --dump-config)
  expect "$(sed -n 's/^secret_key = //p' <<<"$shown")"
  ;;
*) echo "no line for $1" && exit 2 ;;
esac
