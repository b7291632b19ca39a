#!/bin/bash
# stick.sh VAULT MODULES: what servers.md says of a key file on a stick, on a file system of the kernel's own: vfat.
#
# It is the first process of a Linux that runs as a program (linux.uml), whose only disk, /dev/ubda, is the stick, and whose root
# is that of the machine outside; it writes below /mnt, which is memory of its own. VAULT is the command, MODULES the folder of
# the kernel's file systems. Prints a line that begins with FAIL for each thing that is not as it should be, and `played` at the end.
# With `halt` in the place of VAULT it only ends.
vault=$1 modules=$2
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/mnt/home XDG_RUNTIME_DIR=/mnt/run NO_COLOR=1
trap 'exec python3 -c "import ctypes; ctypes.CDLL(None).reboot(0x4321fedc)"' EXIT
[ "$vault" != halt ] || exit
mount -t proc proc /proc && mount -t sysfs sys /sys && mount -t tmpfs memory /mnt || exit
mkdir -m 700 "$HOME" "$XDG_RUNTIME_DIR" /mnt/stick && cd "$HOME" || exit
python3 - "$modules" <<'P' || exit
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
for name in "nls/nls_cp437", "nls/nls_iso8859-1", "fat/fat", "fat/vfat":
    file = os.open(f"{sys.argv[1]}/{name}.ko", os.O_RDONLY)
    if libc.syscall(313, file, b"", 0):  # finit_module(2)
        sys.exit(f"{name}: {os.strerror(ctypes.get_errno())}")
P
stick=/mnt/stick key=/mnt/stick/vault.key
# As udisks mounts it, or with the masks that follow.
mounted() { mount -t vfat -o "${1:-fmask=0022,dmask=0022}" /dev/ubda $stick; }
mounted || exit
[ "$(stat -f -c %T $stick)" = msdos ] && echo "mounted"
printf one >one && printf two >two
failures=0
fail() { echo "FAIL $*"; failures=$((failures + 1)); }
# wants STATUS WORDS-OF-THE-ANSWER ARGUMENTS…: an empty text means that nothing is said.
wants() {
  local status=$1 text=$2 said done
  shift 2
  said=$("$vault" "$@" 2>&1) && done=0 || done=$?
  [ $done = "$status" ] || fail "status $done, not $status: vault $*: $said"
  case $said in *"$text"*) ;; *) fail "no '$text': vault $*: $said" ;; esac
  [ -n "$text" ] || [ -z "$said" ] || fail "vault $* says: $said"
}

wants 77 --trust-key-file init --key-file $key --no-recovery
[ ! -e $key ] && [ ! -e .local/share/vault ] || fail "what was refused is left behind"
wants 0 "warning: others may read $key" init --key-file $key --no-recovery --trust-key-file
chmod 600 $key
[ "$(stat -c %a $key)" = 755 ] || fail "this file system keeps modes"
# Told once, it is told no more, by option or variable, however it is mounted the next time.
wants 0 "" --key-file $key --no-session set a --stdin --exact <one
wants 0 one --key-file $key --no-session get a
VAULT_KEY_FILE=$key wants 0 one --no-session get a
for masks in umask=0 umask=077 uid=0,fmask=0133; do
  umount $stick && mounted "$masks" && wants 0 one --key-file $key --no-session get a
done
# Another file there is another one.
cp $key $stick/copy.key
wants 77 --trust-key-file --key-file $stick/copy.key --no-session get a
wants 77 --trust-key-file --key-file $key key add --new-key-file $stick/other.key
wants 77 --trust-key-file --key-file $key key rotate --new-key-file $stick/new.key
[ "$(ls $stick | tr '\n' ' ')" = "copy.key vault.key " ] || fail "left on the stick: $(ls $stick)"
# A copy for a while: the session goes on when the stick is drawn, and ends with lock.
wants 0 locked lock
"$vault" unlock --key-file - <$key 2>/dev/null || fail "unlock by a copy of the bytes"
umount $stick
wants 0 one get a
wants 0 locked lock
VAULT_KEY_FILE=$key wants 66 "does not exist" get a
mounted
# A copy on another file system has modes.
(umask 077 && cp $key mine)
wants 0 one --key-file mine --no-session get a
# The vault itself needs modes; what else people keep on a stick does not.
VAULT_HOME=$stick/home wants 77 "keeps no modes" init --key-file $HOME/mine --no-recovery
[ ! -e $stick/home ] || fail "half of a vault is left on the stick"
wants 0 "others can read $stick/a" --key-file $key get a --out $stick/a
wants 0 verified --key-file $key backup $stick/a.backup
wants 0 replaced --key-file $key backup $stick/a.backup
wants 0 syncs --key-file $key sync init $stick/store
wants 0 "" --key-file $key set b --stdin --exact <two
wants 0 sent --key-file $key sync now
# Mounted for its owner alone, a stick keeps a whole vault.
umount $stick && mounted umask=077
(
  export VAULT_HOME=$stick/home VAULT_KEY_FILE=$HOME/its-key
  wants 0 created init --no-recovery
  for value in one two; do wants 0 "" set c --stdin --exact <$value; done
  wants 0 two get c
  wants 0 "" undo -q
  wants 0 one get c
  wants 0 "" defaults write com.example.stick key value
  wants 0 value defaults read com.example.stick key
  wants 0 "" -q key rotate --new-key-file "$HOME/its-next-key"
  VAULT_KEY_FILE=$HOME/its-next-key wants 0 verified check
  exit $failures
) || failures=$?
umount $stick && mounted
# A stick that is full, or that cannot be written.
dd if=/dev/zero of=$stick/fill bs=64k 2>/dev/null
wants 73 "No space left" --vault full init --key-file $stick/full.key --no-recovery --trust-key-file
[ ! -e $stick/full.key ] && [ ! -e .local/share/vault/secrets/full.vault ] || fail "half of a vault, of a full stick"
rm $stick/fill
umount $stick && mounted ro,fmask=0022,dmask=0022
wants 0 one --key-file $key --no-session get a
wants 73 "Read-only" --vault ro init --key-file $stick/ro.key --no-recovery --trust-key-file
umount $stick
[ $failures = 0 ] && echo played
