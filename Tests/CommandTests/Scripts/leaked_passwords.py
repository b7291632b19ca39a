"""A service of leaked passwords on loopback, and one run of a command beside it.

Usage: leaked_passwords.py WAY VAULT [ARGUMENT…]: LIST among the arguments becomes the service's address. Prints the
ranges that were asked for, then the command's stderr and its stdout. WAY is 'ranges', 'nonsense' or 'refuses'.
"""
import hashlib
import http.server
import subprocess
import sys
import threading

way, command = sys.argv[1], sys.argv[2:]
LEAKED = {hashlib.sha1(word.encode()).hexdigest().upper(): seen for word, seen in (("monkey1", 980209), ("hunter2", 17))}
asked = []


class Ranges(http.server.BaseHTTPRequestHandler):
    """https://haveibeenpwned.com/API/v3#SearchingPwnedPasswordsByRange"""

    def do_GET(self):
        asked.append((self.path, self.headers.get("Add-Padding"), self.headers.get("User-Agent")))
        if way == "refuses":
            return self.send_error(429)
        lines = [f"{digest[5:]}:{seen}" for digest, seen in LEAKED.items() if self.path == f"/range/{digest[:5]}"]
        lines += [f"{number:035X}:0" for number in range(20)]
        body = b"<html>" if way == "nonsense" else "\r\n".join(sorted(lines)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ranges)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}"
done = subprocess.run([address if word == "LIST" else word for word in command], capture_output=True, check=False)
for path, padding, agent in asked:
    assert padding == "true" and agent == "vault-audit", (padding, agent)
    print(path)
print(done.returncode)
print(done.stderr.decode().replace(address, "ADDRESS"), end="")
print(done.stdout.decode(), end="")
