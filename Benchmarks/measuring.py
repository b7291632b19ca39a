"""Commands measured in turns, tables and plots: what Benchmarks/run is made of."""

import os
import statistics
import subprocess
import time


class Cost:
    """What one command took in all its runs: processor time, and time on the clock."""

    def __init__(self):
        self.processor, self.clock = [], []

    def add(self, processor, clock):
        self.processor.append(processor)
        self.clock.append(clock)

    def least(self):
        """The least processor time, in milliseconds: other work on the machine only ever adds to it."""
        return min(self.processor) * 1000

    def median(self):
        """The median time on the clock, in milliseconds."""
        return statistics.median(self.clock) * 1000


def run_once(command, standard_input=b""):
    """Runs a command; its processor time and that of its children, and its time on the clock, in seconds."""
    start = time.perf_counter()
    with open("/dev/null", "r+b") as nothing:
        child = subprocess.Popen(command, stdin=subprocess.PIPE if standard_input else nothing,
                                 stdout=nothing, stderr=nothing)
        if standard_input:
            child.stdin.write(standard_input)
            child.stdin.close()
        _, status, usage = os.wait4(child.pid, 0)
    clock = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"bench: status {child.returncode}: {' '.join(map(str, command))}")
    return usage.ru_utime + usage.ru_stime, clock


def in_turns(commands, rounds, before=None):
    """Costs of commands, a dictionary of (words, input) by name; all take turns in each round, after two unmeasured."""
    costs = {name: Cost() for name in commands}
    for number in range(rounds + 2):
        for name, (words, standard_input) in commands.items():
            if before:
                before(name)
            cost = run_once(words, standard_input)
            if number >= 2:
                costs[name].add(*cost)
    return costs


class Results:
    """The lines of RESULTS.md, and which figures meet their aims."""

    def __init__(self, reasons):
        self.lines, self.reasons, self.met, self.missed = [], reasons, 0, []

    def write(self, *lines):
        self.lines += lines
        print("\n".join(lines), flush=True)

    def heading(self, text, *columns):
        self.write("", f"## {text}", "")
        if columns:
            self.columns(*columns)

    def columns(self, *columns):
        self.write("| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns))

    def row(self, *cells):
        self.write("| " + " | ".join(str(cell) for cell in cells) + " |")

    def verdict(self, name, value, aim):
        """Whether a figure is within its aim, in words; what misses says why."""
        if aim is None:
            return "–"
        if value <= aim:
            self.met += 1
            return "met"
        self.missed.append(name)
        return "missed: " + self.reasons.get(name, "no reason is known")


def milliseconds(value):
    return f"{value:,.2f} ms" if value < 100 else f"{value:,.0f} ms"


def duration(seconds):
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * scale >= 1:
            return f"{seconds * scale:,.3g} {unit}"
    return f"{seconds * 1e9:,.0f} ns"


def plot(path, title, unit, series):
    """An SVG: a curve for each series, a dictionary of (count, value) pairs by name; both axes are logarithmic."""
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "vault", "svg.fonttype": "none", "font.size": 10})
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(6.4, 4))
    for (name, points), marker in zip(series.items(), "osD^v<>"):
        axes.plot([count for count, _ in points], [value for _, value in points], marker=marker, label=name)
    axes.set(xscale="log", yscale="log", title=title, xlabel="how many", ylabel=unit)
    axes.grid(True, which="major", alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
