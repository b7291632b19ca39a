"""A person at a real terminal: a shell in tmux that types lines, answers prompts and shows what is on the screen."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

LIMIT = 300  # seconds for one line, on a busy machine


class Terminal:
    """A terminal of its own, with one command in it that shows `$ ` when it waits for a line."""

    def __init__(self, command, columns=100, rows=40):
        # A test runner's threads block signals, and children inherit that.
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        self.folder = tempfile.mkdtemp(prefix="vault-terminal.")
        configuration = os.path.join(self.folder, "tmux.conf")
        with open(configuration, "w", encoding="utf-8") as file:
            file.write("set -g status off\nset -g history-limit 20000\nset -g default-terminal tmux-256color\n"
                       "set -g remain-on-exit on\n")
        self.typed = 0
        self.tmux("-f", configuration, "new-session", "-d", "-x", str(columns), "-y", str(rows), *command)

    def tmux(self, *words):
        environment = {name: value for name, value in os.environ.items() if name != "TMUX"}
        return subprocess.run(["tmux", "-S", os.path.join(self.folder, "socket"), *words], check=True,
                              capture_output=True, env=dict(environment, LC_ALL="C.UTF-8")).stdout.decode()

    def lines(self, *options):
        """All lines, also those above the screen, without empty ones at the end.

        `options` are those of `tmux capture-pane`: -e for escapes, -J to join what was wrapped.
        """
        text = self.tmux("capture-pane", "-p", "-S", "-", *options)
        lines = [line.rstrip() for line in text.split("\n")]
        while lines and not re.sub(r"\x1b\[[0-9;]*m", "", lines[-1]).strip():
            lines.pop()
        return lines

    def wait(self, is_there, what):
        """Waits until the last line is as `is_there` says, and returns it."""
        end = time.monotonic() + LIMIT
        while True:
            lines = self.lines()
            if is_there(lines):
                return lines[-1] if lines else ""
            if time.monotonic() > end:
                raise SystemExit(f"{what} did not appear within {LIMIT} s:\n" + "\n".join(lines))
            time.sleep(0.05)

    def enter(self, text):
        if text:
            self.tmux("send-keys", "-l", "--", text)
        self.tmux("send-keys", "Enter")
        self.typed += len(text) + 1

    def line(self, text, answers):
        """Types a line, answers the prompts that it leads to, and waits until the shell is ready again.

        `answers` are pairs of a pattern of the prompt and what a person types there, or finds in the lines.
        """
        self.wait(lambda lines: lines and lines[-1] == "$", "the shell's prompt")
        before = len(self.lines())
        self.enter(text)
        answered, answer = before, ""
        while True:
            last = self.wait(
                lambda lines: len(lines) > answered and (
                    lines[-1] == "$" or re.search(r"^Again[^:]*:$", lines[-1])
                    or any(re.search(prompt, lines[-1]) for prompt, _ in answers)),
                f"an end, or a prompt, of: {text}")
            if last == "$":
                return
            answered = len(self.lines())
            if not re.search(r"^Again[^:]*:$", last):
                answer = next(answer for prompt, answer in answers if re.search(prompt, last))
                if callable(answer):
                    answer = answer(self.lines())
            self.enter(answer)

    def close(self):
        try:
            self.tmux("kill-server")
        except subprocess.CalledProcessError:
            pass
        shutil.rmtree(self.folder, ignore_errors=True)


PASSPHRASE = "river stone lamp autumn"
SECRET = "s3cr3t"
# What a person answers; the first pattern that is found counts.
def group_of_code(lines):
    """The group of the newest code on the screen that the last line asks for."""
    code = next(found for line in reversed(lines) if (found := re.search(r"\b[0-9A-Z]{6}(?:-[0-9A-Z]{6})+\b", line)))
    return code[0].split("-")[int(re.search(r"group (\d)", lines[-1])[1]) - 1]


ANSWERS = [
    (r"^Type group \d of the code:$", group_of_code),
    (r"recovery code.*\[[yY]/[nN]\] ?$", "n"),
    (r"revert this\? \[y/N\] ?$", "y"),
    (r"\[[yY]/[nN](/all)?\] ?$", ""),
    (r"(?i)passphrase[^:]*:$", PASSPHRASE),
    (r"^Secret for [^:]*:$", SECRET),
]
