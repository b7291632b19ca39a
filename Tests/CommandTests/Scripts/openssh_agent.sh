#!/bin/sh
# Stands for ssh-agent where a suite of others starts one: its options, and `vault ssh-agent` behind
# them. Keys of the vault are left out, since an agent of ssh begins without any.
#
# VAULT and VAULT_KEY_FILE say which vault; AGENT_FOLDER has the sockets, and the list `processes`.
set -eu
socket='' serves='' kill=''
while [ $# -gt 0 ]; do
  case $1 in
  -a) socket=$2; shift ;;
  -d | -D) serves=yes ;;
  -k) kill=yes ;;
  # Which libraries may be loaded, where the socket lies, and the form of the answer.
  -P* | -O* | -s | -T | -U | -u) ;;
  -E | -t) shift ;;
  --) shift; break ;;
  -*) exit 1 ;;
  *) break ;;
  esac
  shift
done
if [ -n "$kill" ]; then
  kill "$SSH_AGENT_PID"
  echo 'unset SSH_AUTH_SOCK; unset SSH_AGENT_PID;'
  exit
fi
: "${socket:=$(mktemp -d "$AGENT_FOLDER/XXXXXXXX")/agent}"
if [ $# -gt 0 ]; then
  exec "$VAULT" -q ssh-agent --no-session --only none -- "$@"
fi
if [ -n "$serves" ]; then
  exec "$VAULT" -q ssh-agent --no-session --only none --foreground --at "$socket"
fi
"$VAULT" -q ssh-agent --no-session --only none --foreground --at "$socket" >"$socket.said" \
  2>"$socket.errors" </dev/null &
agent=$!
# Some tests leave their agent behind: who runs them ends it.
echo $agent >>"$AGENT_FOLDER/processes"
n=0
until [ -s "$socket.said" ]; do
  kill -0 $agent || { cat "$socket.errors" >&2; exit 1; }
  n=$((n + 1))
  [ $n -lt 6000 ] || exit 1
  sleep 0.01
done
echo "SSH_AUTH_SOCK=$socket; export SSH_AUTH_SOCK; SSH_AGENT_PID=$agent; export SSH_AGENT_PID;"
