#!/bin/sh
# openssh_regress.sh SOURCES SCRIPT: one test of OpenSSH's `regress` with `vault ssh-agent` in the
# place of ssh-agent. The sources are built: `make && make regress-binaries`.
set -eu
sources=$(cd "$1" && pwd) script=$2
agent=$(cd "$(dirname "$0")" && pwd)/openssh_agent.sh
objects=$HOME/regress
mkdir -p "$objects" "$HOME/agents"
cp "$sources"/regress/mkdtemp "$sources"/regress/timestamp "$sources"/regress/netcat \
  "$sources"/regress/setuid-allowed "$objects"
cd "$objects"
# Kinds of keys that the vault does not have: of tokens, whose libraries it loads none of, and ML-DSA.
refused='-e ^sk- -e ^webauthn -e mldsa'
# It asks for signatures with SHA-1 of each RSA key, which are refused.
[ "$script" != hostkey-agent.sh ] || refused="$refused -e rsa"
cat >ssh <<END
#!/bin/sh
case " \$* " in
*' -Q key'*)
  "$sources/ssh" "\$@" | grep -v $refused
  exit
  ;;
esac
exec "$sources/ssh" "\$@"
END
chmod +x ssh
for name in sshd ssh-add ssh-keygen ssh-keyscan sftp scp; do
  variable=TEST_SSH_$(echo $name | tr -d - | tr a-z A-Z)
  export "$variable=$sources/$name"
done
# One of them calls `ssh` by its name.
status=0
env AGENT_FOLDER="$HOME/agents" PATH="$objects:$PATH" \
  TEST_SSH_SSHAGENT="$agent" TEST_SSH_SSHD_SESSION="$sources/sshd-session" \
  TEST_SSH_SSHD_AUTH="$sources/sshd-auth" TEST_SSH_SFTPSERVER="$sources/sftp-server" \
  TEST_SSH_SSH="$objects/ssh" TEST_SSH_UNSAFE_PERMISSIONS=1 \
  TEST_SHELL=/bin/sh BUILDDIR="$objects" OPENSSL_BIN=openssl EGREP='grep -E' \
  sh "$sources/regress/test-exec.sh" "$objects" "$sources/regress/$script" ||
  status=$?
# What it has left behind.
if [ -f "$HOME/agents/processes" ]; then
  while read -r agent; do kill "$agent" 2>/dev/null || true; done <"$HOME/agents/processes"
fi
exit $status
