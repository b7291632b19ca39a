"""What the command says of itself: verbs, options and examples, from `--experimental-dump-help`.

scripts/man-pages and scripts/reference write it, each in its form.
"""

import collections
import json
import re
import subprocess


def dump(binary, name):
    """The root command of the binary, when it is called by a name: its lines then have that name."""
    def said(*words):
        return subprocess.run([name, *words], executable=binary, check=True, capture_output=True, text=True).stdout

    command = json.loads(said("--experimental-dump-help"))["command"]
    for verb in verbs_of(command):
        # What follows a `--` is in no list of arguments.
        usage = re.search(r"USAGE: (.*?)\n\n", said(verb["commandName"], "--help"), re.S)
        if usage and " -- " in usage[1]:
            verb["usage"] = " ".join(usage[1].split()).replace("[<options>]", "[options]")
    return command


def version(binary):
    return subprocess.run([binary, "--version"], check=True, capture_output=True, text=True).stdout.strip()


def names_of(argument):
    spelled = {"long": "--", "short": "-", "longWithSingleDash": "-"}
    return [spelled[name["kind"]] + name["name"] for name in argument.get("names", [])]


def shown(command):
    return [argument for argument in command.get("arguments", []) if argument.get("shouldDisplay")]


def verbs_of(command):
    """The verbs directly below a command that are shown."""
    return [c for c in command.get("subcommands", []) if c["commandName"] != "help" and c["shouldDisplay"]]


def leaves(command):
    verbs = verbs_of(command)
    return [leaf for verb in verbs for leaf in leaves(verb)] if verbs else [command]


def common_options(command):
    """The names of the options that nearly every verb takes; they are described once."""
    verbs = [{n for a in shown(verb) for n in names_of(a)} for verb in leaves(command)]
    counts = collections.Counter(name for names in verbs for name in names)
    return {name for name, count in counts.items() if count > len(verbs) / 2} - {"--help", "-h"}


def common_arguments(command):
    """These options, each once."""
    common = common_options(command)
    every = {names_of(a)[0]: a for verb in leaves(command) for a in shown(verb) if names_of(a)}
    return [argument for name, argument in every.items() if name in common]


def own_arguments(command, common):
    return [a for a in shown(command) if not set(names_of(a)) & (common | {"--help", "--version"})]


def is_grammar(lines):
    """Whether lines are a grammar, whose columns count: that of `defaults`."""
    return any(line.startswith("Syntax:") for line in lines)


def prose(discussion, tool):
    """The sentences and the examples of a discussion: a line that one would type is an example."""
    sentences, examples = [], []
    for line in (discussion or "").split("\n"):
        is_example = re.search(rf"(^|\| ){re.escape(tool)} ", line)
        if is_example:
            examples.append(line)
        elif line.strip() or sentences:
            sentences.append(line)
    while sentences and not sentences[-1].strip():
        sentences.pop()
    return sentences, examples


def once(lines):
    return list(dict.fromkeys(lines))


def synopsis(path, command):
    """The words of a usage line, each with whether it is a variable."""
    words = [(path, False)]
    if "usage" in command:
        return words + [(command["usage"].removeprefix(path).strip(), True)]
    if verbs_of(command):
        return words + [("verb", True), ("[options]", True)]
    if any(names_of(a) for a in shown(command)):
        words.append(("[options]", True))
    for argument in shown(command):
        if argument["kind"] == "positional":
            word = argument["valueName"] + (" ..." if argument["isRepeating"] else "")
            words.append((f"[{word}]" if argument["isOptional"] else word, True))
    return words
