"""by_hand.py PROGRAM VAULT FOLDER: a real program gets its secret by the line that `vault connect PROGRAM` prints.

PROGRAM is terraform, kubectl, ssh, ssh-password or sudo. FOLDER is the home of a vault, whose file `key` opens it. The
servers are this script's; the last two need root, and run in mounts of their own with a user of their own.
"""

import http.server
import json
import os
import shlex
import shutil
import ssl
import subprocess
import sys
import threading

program, vault, home = sys.argv[1:4]
SECRET = "c4n4ry-0123456789abcdef0123456789abcdef"
links = f"{home}/links"
os.makedirs(links)
for name in ("vault", "vault-askpass"):
    os.symlink(vault, f"{links}/{name}")
environment = {
    "HOME": home, "PATH": f"{links}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C.UTF-8",
    "VAULT_KEY_FILE": f"{home}/key", "DBUS_SESSION_BUS_ADDRESS": "disabled:", "no_proxy": "127.0.0.1",
    "CHECKPOINT_DISABLE": "1",
}


def run(words, typed="", ends=0):
    done = subprocess.run(words, env=environment, input=typed, capture_output=True, text=True, timeout=300, cwd=home)
    assert (done.returncode == 0) == (ends == 0), (words, done.returncode, done.stdout, done.stderr)
    assert SECRET not in done.stdout + done.stderr, "the secret is shown"
    return done


def write(path, text, mode=0o600):
    path = f"{home}/{path}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


def store(item):
    run([vault, "set", item, "--stdin"], typed=SECRET)


def line():
    """What is to be typed, as `connect` says it: its parts, which people type one after the other."""
    # `connect ssh` serves keys of the vault; passphrases of keys in files are asked for as ssh-add does it.
    name = "ssh-add" if program.startswith("ssh") else program
    refused = run([vault, "connect", name], ends=1)
    hint = next(text for text in refused.stderr.splitlines() if text.startswith("vault: hint: "))
    return hint.removeprefix("vault: hint: ").split(", then: ")


def own_mounts(user):
    """Starts again where a user `ann` with a password exists, and only there."""
    if os.environ.get("BY_HAND_MOUNTS"):
        return
    with open("/etc/passwd", encoding="utf-8") as file:
        write("etc/passwd", file.read() + f"ann:x:{user}:{user}::{home}:/bin/sh\n", 0o644)
    with open("/etc/group", encoding="utf-8") as file:
        write("etc/group", file.read() + f"ann:x:{user}:\n", 0o644)
    digest = subprocess.run(["openssl", "passwd", "-6", "-stdin"], input=SECRET, capture_output=True, text=True,
                            check=True).stdout.strip()
    with open("/etc/shadow", encoding="utf-8") as file:
        write("etc/shadow", file.read() + f"ann:{digest}:20000:0:99999:7:::\n")
    write("etc/sudoers", "ann ALL=(ALL) ALL\n", 0o440)
    # The command may be built where only its owner can go.
    mounts = f"mount --bind {shlex.quote(os.path.dirname(os.path.realpath(vault)))} {home}/built\n"
    os.makedirs(f"{home}/built")
    for name in ("passwd", "group", "shadow") + (("sudoers",) if program == "sudo" else ()):
        mounts += f"mount --bind {home}/etc/{name} /etc/{name}\n"
    shutil.rmtree(links)
    os.execvp("unshare", [
        "unshare", "--mount", "sh", "-ec", "mount --make-rprivate /\n" + mounts + 'exec "$@"', "sh", "env",
        "BY_HAND_MOUNTS=1", sys.executable, __file__, program, f"{home}/built/{os.path.basename(vault)}", home])


def terraform():
    store("api")
    write("main.tf", 'variable "token" {\n  type      = string\n  sensitive = true\n}\n'
          'output "digest" {\n  value = nonsensitive(sha256(var.token))\n}\n')
    words = line()[0].replace("NAME=ITEM", "token=api")
    done = run(["sh", "-c", f"{words} -auto-approve -no-color"])
    expected = subprocess.run(["sha256sum"], input=SECRET, capture_output=True, text=True, check=True).stdout.split()[0]
    assert expected in done.stdout, done.stdout
    # What a program does not get, it asks for; here nobody answers.
    run(["terraform", "apply", "-auto-approve", "-input=false", "-no-color"], ends=1)


class Cluster(http.server.BaseHTTPRequestHandler):
    """As much of Kubernetes' API as the list of pods needs."""

    def do_GET(self):
        known = self.headers.get("Authorization") == f"Bearer {SECRET}"
        path = self.path.split("?")[0]
        answers = {
            "/api": {"kind": "APIVersions", "versions": ["v1"]},
            "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
            "/api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": [
                {"name": "pods", "singularName": "pod", "namespaced": True, "kind": "Pod", "verbs": ["get", "list"]}]},
            "/api/v1/namespaces/default/pods": {
                "kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": [
                    {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "found-pod", "namespace": "default"}}]},
        }
        answer = answers.get(path) if known else None
        status = 200 if answer else 404 if known else 401
        body = json.dumps(answer or {
            "kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Unauthorized", "code": status}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def kubectl():
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
         "subjectAltName=IP:127.0.0.1", "-keyout", f"{home}/server-key", "-out", f"{home}/certificate"],
        check=True, capture_output=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Cluster)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{home}/certificate", f"{home}/server-key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    path = write(".kube/config", f"""\
apiVersion: v1
kind: Config
current-context: here
clusters: [{{name: here, cluster: {{server: "https://127.0.0.1:{server.server_address[1]}",
  certificate-authority: {home}/certificate}}}}]
users: [{{name: ann, user: {{token: {SECRET}}}}}]
contexts: [{{name: here, context: {{cluster: here, user: ann}}}}]
""")
    # Its answers about kinds are kept in a folder beside the file.
    assert "found-pod" in run(["kubectl", "get", "pods"]).stdout
    first, second = line()
    run(["sh", "-c", first])
    os.unlink(path)
    run(["kubectl", "get", "pods"], ends=1)
    assert "found-pod" in run(["sh", "-c", second]).stdout
    nothing_is_left()
    server.shutdown()


def nothing_is_left():
    for folder, _, names in os.walk(home):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not os.path.islink(path) and not path.startswith(f"{home}/built"):
                with open(path, "rb") as file:
                    assert SECRET.encode() not in file.read(), path


def server_of_ssh(settings):
    """The words of a client whose way to the host `store` is a server of its own."""
    for name in ("host", "id"):
        passphrase = SECRET if name == "id" else ""
        # On the line: this key is nobody's.
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-f", f"{home}/{name}"], check=True,
                       stdin=subprocess.DEVNULL)
    shutil.copy(f"{home}/id.pub", f"{home}/authorized")
    write("server", f"HostKey {home}/host\nAuthorizedKeysFile {home}/authorized\nStrictModes no\nUsePAM no\n"
          f"PidFile none\nPermitRootLogin yes\n{settings}")
    write("client", f"Host store\n  ProxyCommand {shutil.which('sshd', path=environment['PATH'])} -i -f {home}/server\n"
          f"  UserKnownHostsFile {home}/known\n  StrictHostKeyChecking accept-new\n  LogLevel ERROR\n"
          f"  IdentityFile {home}/id\n  IdentitiesOnly yes\n")
    return f"ssh -F {home}/client"


def through_ssh(words, item):
    run(["setsid", "-w", "sh", "-c", f"{line()[0]}; {words}"], ends=1)
    store(item)
    done = run(["setsid", "-w", "sh", "-c", f"{line()[0]}; {words}"])
    assert done.stdout == "there\n", (done.stdout, done.stderr)


def ssh_by_key():
    through_ssh(server_of_ssh("") + " store echo there", f"ssh{home}/id")


def ssh_by_password():
    own_mounts(54321)
    client = server_of_ssh("PasswordAuthentication yes\nPubkeyAuthentication no\n")
    os.makedirs("/run/sshd", exist_ok=True)
    through_ssh(f"{client} ann@store echo there", "ssh/ann@store")


def sudo():
    own_mounts(54321)
    store("sudo/ann")
    subprocess.run(["chown", "-R", "54321:54321", "--", f"{home}/.local", f"{home}/key"], check=True)
    os.chown(home, 54321, 54321)
    first, second = line()
    words = f"{first}\n{second}".replace("COMMAND", "id -u")
    assert " -A " in second, second
    person = ["setpriv", "--reuid", "54321", "--regid", "54321", "--clear-groups", "setsid", "-w", "sh", "-ec"]
    assert run([*person, words]).stdout == "0\n"
    run([*person, "sudo -k"])
    run([*person, f"vault remove sudo/ann --yes >/dev/null\n{words}"], ends=1)


{"terraform": terraform, "kubectl": kubectl, "ssh": ssh_by_key, "ssh-password": ssh_by_password, "sudo": sudo}[program]()
print("right")
