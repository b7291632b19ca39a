"""A real Firefox with the real KeePassXC-Browser, without a display: `browser_firefox.py TEST`.

VAULT names the command. Firefox runs with a profile in this HOME, and is driven by Marionette, its own
protocol: a length, a colon, and JSON over TCP. The pages are served on loopback.
"""

import base64
import http.server
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

HOME, VAULT = os.environ["HOME"], os.environ["VAULT"]
CANARY = "s3cr3t-CANARY"
EXTENSION = "keepassxc-browser@keepassxc.org"
FORM = ("<!doctype html><title>login</title><form id=f action=/in method=post>"
        "<input id=u name=username autocomplete=username>"
        "<input id=p type=password name=password autocomplete=current-password>"
        "<button id=b>go</button></form>")
PATIENCE = 300


def until(what, said, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while True:
        got = what()
        if got:
            return got
        assert time.monotonic() < end, said
        time.sleep(0.1)


class Pages(http.server.BaseHTTPRequestHandler):
    authorizations = []

    def do_GET(self):
        given = self.headers.get("Authorization")
        if self.path == "/secret" and not given:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="here"')
            self.end_headers()
            return
        if given:
            Pages.authorizations.append(base64.b64decode(given.split()[1]).decode())
        port = self.server.server_address[1]
        body = {
            "/frame": f"<!doctype html><title>frame</title><iframe id=i src=http://localhost:{port}/form></iframe>",
            "/secret": "<title>welcome</title>",
        }.get(self.path, FORM)
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(body.encode())

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>in</title>")

    def log_message(self, *_):
        pass


class Marionette:
    def __init__(self, port):
        self.number = 0
        self.socket = None
        until(lambda: self.connect(port), "Firefox does not answer")
        self.data = b""
        self.take()
        self.call("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {
            "unhandledPromptBehavior": "ignore", "pageLoadStrategy": "eager",
            "timeouts": {"pageLoad": 20000}}}})

    def connect(self, port):
        try:
            self.socket = socket.create_connection(("127.0.0.1", port), 10)
            self.socket.settimeout(PATIENCE)
            return True
        except OSError:
            return False

    def take(self):
        while b":" not in self.data:
            self.more()
        length, self.data = self.data.split(b":", 1)
        while len(self.data) < int(length):
            self.more()
        message, self.data = self.data[: int(length)], self.data[int(length):]
        return json.loads(message)

    def more(self):
        part = self.socket.recv(65536)
        assert part, "Firefox has gone"
        self.data += part

    def call(self, name, parameters=None):
        self.number += 1
        message = json.dumps([0, self.number, name, parameters or {}]).encode()
        self.socket.sendall(str(len(message)).encode() + b":" + message)
        while True:
            _, number, error, result = self.take()
            if number == self.number:
                break
        if error:
            raise RuntimeError(f"{name}: {error.get('message')}")
        return result.get("value") if isinstance(result, dict) else result

    def context(self, name):
        self.call("Marionette:SetContext", {"value": name})

    def go(self, url):
        # A page that is replaced while its scripts wait for the extension may never say that it is there.
        for _ in range(PATIENCE // 20):
            try:
                return self.call("WebDriver:Navigate", {"url": url})
            except RuntimeError as error:
                assert "imed out" in str(error) or "timeout" in str(error).lower(), error
        raise AssertionError(f"{url} does not load")

    def run(self, script, *arguments, sandbox=None):
        return self.call("WebDriver:ExecuteScript", {
            "script": script, "args": list(arguments), "sandbox": sandbox})

    def wait_for(self, script, *arguments, sandbox=None):
        return self.call("WebDriver:ExecuteAsyncScript", {
            "script": script, "args": list(arguments), "sandbox": sandbox,
            "scriptTimeout": PATIENCE * 1000})


class Firefox:
    all = []

    def __init__(self, profile="profile"):
        self.profile = f"{HOME}/{profile}"
        os.makedirs(self.profile, exist_ok=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        preferences = {
            "extensions.autoDisableScopes": 0, "extensions.enabledScopes": 15,
            "extensions.webextensions.remote": False, "xpinstall.signatures.required": False,
            "datareporting.policy.dataSubmissionEnabled": False, "app.update.enabled": False,
            "browser.shell.checkDefaultBrowser": False, "marionette.port": port,
            "network.captive-portal-service.enabled": False,
            "network.connectivity-service.enabled": False, "app.normandy.enabled": False,
            "signon.rememberSignons": False, "signon.autofillForms": False,
            "browser.safebrowsing.update.enabled": False, "services.settings.server": "http://127.0.0.1:1",
        }
        with open(f"{self.profile}/user.js", "w") as file:
            for name, value in preferences.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        self.log = open(f"{HOME}/{profile}.log", "w")
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--marionette", "-remote-allow-system-access",
             "--profile", self.profile, "--no-remote"],
            stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True)
        Firefox.all.append(self)
        self.driver = Marionette(port)
        self.driver.context("chrome")
        self.base = until(
            lambda: self.driver.run(
                f"let p = WebExtensionPolicy.getByID('{EXTENSION}');"
                "return p && p.active ? p.getURL('') : null"), "the extension is not there")
        self.driver.context("content")
        self.set(autoFillSingleEntry=True, autoRetrieveCredentials=True, autoSubmit=False,
                 autoReconnect=True, downloadFaviconAfterSave=False, showOTPNotification=False,
                 autoFillAndSend=True, saveDomainOnlyNewCreds=True)

    def page(self):
        """The extension's own page, whose scripts may send its messages."""
        self.driver.go(self.base + "options/options.html")

    def message(self, action, *arguments):
        self.page()
        got = self.driver.wait_for(
            "let [action, args, done] = arguments;"
            "window.browser.runtime.sendMessage({action, args}).then("
            "  r => done({value: r === undefined ? null : r}), e => done({error: '' + e}))",
            action, list(arguments))
        assert "error" not in got, (action, got)
        return got["value"]

    def set(self, **settings):
        self.page()
        got = self.driver.wait_for(
            "let [more, done] = arguments; const b = window.browser;"
            "b.storage.local.get('settings').then(s => {"
            "  const x = Object.assign(s.settings || {}, more);"
            "  return b.storage.local.set({settings: x}) })"
            ".then(() => b.runtime.sendMessage({action: 'load_settings'}))"
            ".then(() => done('set'), e => done('' + e))", settings)
        assert got == "set", got

    def associate(self):
        """By the button of its own popup, as a person does."""
        self.driver.go(self.base + "popups/popup.html")
        until(lambda: self.driver.run(
            "let b = document.querySelector('#connect-button');"
            "return b && b.offsetParent ? (b.click(), true) : false"), "no button to connect with")
        until(lambda: json.loads(vault("browser", "list", "--json"))["browsers"],
              "it was not associated")
        self.driver.go(self.base + "popups/popup.html")
        until(lambda: self.driver.run(
            "let d = document.querySelector('#configured-and-associated');"
            "return d && d.offsetParent ? true : false"), "the extension does not know it")

    def value(self, field):
        return self.driver.run("return document.querySelector(arguments[0])?.value ?? null", field)

    def close(self):
        """Ends it, as its menu does: whoever runs this may have blocked the signals that end programs."""
        try:
            self.driver.call("Marionette:Quit", {"flags": ["eForceQuit"]})
            self.process.wait(60)
        except (OSError, RuntimeError, AssertionError, subprocess.TimeoutExpired):
            pass
        self.kill()
        self.log.close()

    def kill(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def vault(*arguments, text=""):
    # What is connected opens the vault as this process says; a person has the key file.
    environment = dict(os.environ)
    if arguments[0] != "connect":
        environment["VAULT_KEY_FILE"] = f"{HOME}/key"
    run = subprocess.run(
        [VAULT, *arguments], input=text, capture_output=True, text=True, env=environment)
    assert run.returncode == 0, (arguments, run.returncode, run.stderr)
    return run.stdout


def add(name, url, secret=CANARY):
    vault("set", name, "--stdin", "--exact", "--no-session", text=secret)
    for field, value in (("url", url), ("user", "me"), ("otp", "JBSWY3DPEHPK3PXP")):
        vault("set", name, "--field", field, "--stdin", "--exact", "--no-session", text=value)


def answer_with(word):
    with open(f"{HOME}/answer", "w") as file:
        file.write(word)


def questions():
    try:
        with open(f"{HOME}/questions") as file:
            return file.read().splitlines()
    except FileNotFoundError:
        return []


def begin():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site = f"http://127.0.0.1:{server.server_address[1]}"
    add("site", site)
    os.makedirs(f"{HOME}/.mozilla", exist_ok=True)
    vault("connect", "browser", "firefox")
    answer_with("once")
    firefox = Firefox()
    firefox.associate()
    return firefox, site


def test_fill():
    firefox, site = begin()
    listed = json.loads(vault("browser", "list", "--json"))["browsers"][0]
    assert "firefox" in listed["browser"] and listed["profile"] == "profile", listed
    assert "wants to be associated" in questions()[0] and "profile profile" in questions()[0]
    answer_with("run")
    firefox.driver.go(f"{site}/form")
    until(lambda: firefox.value("#p") == CANARY, "the form is not filled")
    assert firefox.value("#u") == "me"
    assert f"wants to fill in 'site' at {site}." in questions()[-1], questions()
    use = sorted(json.loads(vault("log", "--json"))["records"], key=lambda r: r["number"])[-1]
    assert use["verb"] == "browser" and use["purpose"] == site and use["decidedBy"], use
    assert "firefox" in use["programs"][0]["path"], use
    # A host that only leads to the same place is another, in a page of its own and in a frame.
    port = site.rsplit(":", 1)[1]
    count = len(questions())
    elsewhere = f"http://localhost:{port}/form"
    assert not firefox.message("retrieve_credentials", elsewhere, elsewhere)
    # What a frame of another host asks for is that host's. (What the tab has been given already, version
    # 1.8.4 of the extension fills into frames, too: Documentation/guides/browsers.md.)
    firefox.driver.go(f"{site}/frame")
    frame = firefox.driver.call("WebDriver:FindElement", {"using": "css selector", "value": "#i"})
    firefox.driver.call("WebDriver:SwitchToFrame", {"element": list(frame.values())[0]})
    end = time.monotonic() + 3
    while time.monotonic() < end:
        inside = [firefox.driver.run("return location.host"), firefox.value("#u"),
                  firefox.value("#p")]
        assert inside == [f"localhost:{port}", "", ""], inside
        time.sleep(0.2)
    firefox.driver.call("WebDriver:SwitchToFrame", {"id": None})
    assert len(questions()) == count, questions()
    # A one-time code of what was filled.
    got = firefox.message("retrieve_credentials", f"{site}/form", f"{site}/form")
    assert got[0]["login"] == "me", got
    code = firefox.message("get_totp", got[0]["uuid"], "")
    assert len(code) == 6 and code.isdigit(), code
    # What the browser keeps is no password.
    firefox.close()
    for folder, _, files in os.walk(firefox.profile):
        for name in files:
            # A link of Firefox's own says who has the profile, and leads to nothing.
            if not os.path.isfile(f"{folder}/{name}"):
                continue
            with open(f"{folder}/{name}", "rb") as file:
                assert CANARY.encode() not in file.read(), f"{folder}/{name}"


def test_store():
    firefox, site = begin()
    got = firefox.message("add_credentials", "new@user", "new password", f"{site}/form")
    assert got == "created", got
    host = site.split("//")[1].rsplit(":", 1)[0]
    assert vault("get", f"{host}/new@user").strip() == "new password"
    answer_with("run")
    entries = firefox.message("retrieve_credentials", f"{site}/form", f"{site}/form")
    new = [entry for entry in entries if entry["login"] == "new@user"][0]
    answer_with("once")
    got = firefox.message(
        "update_credentials", new["uuid"], "new@user", "newer password", f"{site}/form")
    assert got == "updated", got
    assert vault("get", f"{host}/new@user").strip() == "newer password"
    answer_with("refused")
    got = firefox.message("add_credentials", "other", "x", f"{site}/form")
    assert got == "error", got
    assert f"{host}/other" not in vault("list").splitlines()
    password = firefox.message("generate_password")
    assert isinstance(password, str) and len(password) == 20, password
    groups = firefox.message("get_database_groups")
    assert groups["groups"][0]["name"] == "vault", groups
    firefox.close()


def test_authentication():
    firefox, site = begin()
    answer_with("once")
    # Its own settings page does so, too, when the setting is switched on.
    firefox.message("init_http_auth")
    firefox.driver.go(f"{site}/secret")
    until(lambda: Pages.authorizations, "nobody has logged in")
    assert Pages.authorizations[0] == f"me:{CANARY}", Pages.authorizations
    assert "HTTP authentication" in questions()[-1], questions()
    firefox.close()


def test_lock():
    # A session alone opens this vault for browsers: the extension starts another host as it likes, and
    # a key file would open it there again.
    vault("unlock")
    del os.environ["VAULT_KEY_FILE"]
    firefox, site = begin()
    answer_with("run")
    firefox.driver.go(f"{site}/form")
    until(lambda: firefox.value("#p") == CANARY, "the form is not filled")
    vault("lock")
    until(lambda: firefox.message("get_status")["databaseClosed"], "the lock is not known")
    assert not firefox.message("retrieve_credentials", f"{site}/form", f"{site}/form")
    firefox.driver.go(f"{site}/form")
    assert firefox.value("#p") == ""
    vault("unlock")
    until(lambda: not firefox.message("get_status")["databaseClosed"], "the unlocking is not known")
    firefox.driver.go(f"{site}/form")
    until(lambda: firefox.value("#p") == CANARY, "the form is not filled again")
    # The extension's own button.
    firefox.message("lock_database")
    assert json.loads(vault("status", "--json"))["session"]["state"] == "none"
    until(lambda: firefox.message("get_status")["databaseClosed"], "it does not know its own lock")
    firefox.close()


try:
    globals()[f"test_{sys.argv[1]}"]()
finally:
    for browser in Firefox.all:
        browser.kill()
