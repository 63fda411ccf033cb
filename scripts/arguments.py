#!/usr/bin/env python3
"""Looks at the arguments of bench, calibrate, accuracy, fit, memory, docs and aarch64 --count before anything is built.

usage: scripts/arguments.py bench|calibrate|accuracy|fit|memory|docs|aarch64 [ARGUMENT...]

Exit status: 0, or 2 after one sentence about the first argument that the program would refuse. Names of rows, contenders and
instruction sets are read where the programs have them from. What else can be wrong (a target that Halide does not know, a file's
contents, rows of suite plan, which are made in code) is the programs' to say.

example:
  scripts/arguments.py bench cpu --only dense_relu --contenders eutectic
"""

import json
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
BENCH = ROOT / "apps/bench"


class Refusal(Exception):
    """One sentence."""


def listed(names):
    return ", ".join(names)


# What a flag's values must be: a function that refuses a wrong one. `flag` is what the user wrote.


def anything(flag, value):
    pass


def file(flag, value):
    if not pathlib.Path(value).exists():
        raise Refusal("The file %s of %s does not exist; give the path of one that does." % (value, flag))


def plugin(flag, value):
    if not pathlib.Path(value).exists():
        raise Refusal("The plugin %s of %s does not exist; give the path of a libautoschedule_eutectic.so." % (value, flag))


def whole(least, most):
    def check(flag, value):
        if not (re.fullmatch(r"[+-]?\d+", value) and least <= int(value) <= most):
            raise Refusal("%s takes a whole number from %d to %d and was given '%s'." % (flag, least, most, value))

    return check


def positive(flag, value):
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise Refusal("%s takes a number above 0 and was given '%s'." % (flag, value))


def address(flag, value):
    host, colon, port = value.rpartition(":")
    if not (host and colon and re.fullmatch(r"\d+", port) and 1 <= int(port) <= 65535):
        raise Refusal("%s takes HOST:PORT, such as 127.0.0.1:8000, and was given '%s'." % (flag, value))


def one_of(what, names):
    """Names are asked for when they are needed: they may lie in a file."""

    def check(flag, value):
        known = names()
        if value not in known:
            raise Refusal("There is no %s '%s'; known are %s." % (what, value, listed(known)))

    return check


def each(check):
    """Several values in one word, with commas between them."""

    def check_all(flag, value):
        for one in value.split(","):
            check(flag, one)

    return check_all


# The flags of a command: name -> (how many values: 0, 1, or 2 for one or more; their check).
NONE, ONE, MANY = 0, 1, 2
INT_MAX = 2**31 - 1


def suite_names():
    return sorted(path.stem for path in (BENCH / "suites").glob("*.json"))


def suite(name):
    return json.loads((BENCH / "suites" / (name + ".json")).read_text())


def contenders():
    """Those of contenders.cmake, but what only says what is right."""
    text = (BENCH / "contenders.cmake").read_text()
    built = re.findall(r"^eutectic_contender\((\w+) KIND", text, re.MULTILINE)
    (peers,) = re.findall(r"^set\(EUTECTIC_CONTENDERS \$\{built_contenders\} ([\w ]+)\)", text, re.MULTILINE)
    return built + peers.split()


def isas():
    return json.loads((BENCH / "isas.json").read_text())


BENCH_FLAGS = {
    "--isa": (ONE, one_of("instruction set", lambda: list(isas()))),
    "--only": (MANY, anything),  # with the suite, in check_bench
    "--contenders": (MANY, anything),
    "--before": (ONE, plugin),
    "--timeout": (ONE, positive),
    "--json": (ONE, anything),
    "--machine": (ONE, file),
    "--processes": (ONE, whole(3, 1000)),
    "--seconds": (ONE, positive),
    "--cpu-time": (NONE, anything),
    "--source": (ONE, anything),
    "--folder": (ONE, anything),
    "--python": (ONE, file),
    "--print-targets": (NONE, anything),
}
PLAN_FLAGS = {
    "--only": (MANY, anything),
    "--json": (ONE, anything),
    "--before": (ONE, plugin),
    "--no-compile": (NONE, anything),
    "--timeout": (ONE, whole(1, 100000)),
    "--compile-timeout": (ONE, whole(1, 100000)),
    "--memory": (ONE, whole(1, 1000)),
    "--target": (ONE, anything),
    "--effort": (ONE, one_of("effort", lambda: ["fast", "best"])),
    "--parallelism": (ONE, whole(1, 4096)),
    "--plugin": (ONE, plugin),
    "--generators": (ONE, file),
    "--source": (ONE, anything),
}
CALIBRATE_FLAGS = {
    "-o": (ONE, anything),
    "--output": (ONE, anything),
    "--plot": (ONE, anything),
    "--target": (ONE, anything),
    "--threads": (ONE, whole(1, 4096)),
    "--library": (MANY, anything),
    "--json": (NONE, anything),
    "--quick": (NONE, anything),
}
ACCURACY_FLAGS = {
    "--only": (MANY, one_of("generator", lambda: [row["name"] for row in json.loads((ROOT / "apps/accuracy/rows.json").read_text())["rows"]])),
    "--use": (ONE, one_of("use", lambda: ["report", "fit", "all"])),
    "--target": (ONE, anything),
    "--machine": (ONE, file),
    "--plans": (ONE, whole(3, 1000)),
    "--seeds": (ONE, whole(1, INT_MAX)),
    "--processes": (ONE, whole(1, 100)),
    "--seconds": (ONE, positive),
    "--jobs": (ONE, whole(1, INT_MAX)),
    "--work": (ONE, anything),
    "--cpu-time": (NONE, anything),
    "--json": (ONE, anything),
    "--plot": (ONE, anything),
    "--with-stages": (NONE, anything),
    "--compile-only": (NONE, anything),
    "--study": (NONE, anything),
}
FIT_FLAGS = {
    "--machine": (ONE, file),
    "--constants": (MANY, anything),
    "--all": (NONE, anything),
    "-o": (ONE, anything),
    "--output": (ONE, anything),
}
AARCH64_FLAGS = {
    "--only": (MANY, one_of("row", lambda: [row["name"] for row in json.loads((ROOT / "apps/aarch64/rows.json").read_text())["rows"]])),
    "--json": (ONE, anything),
    "--keep": (ONE, anything),
}
DOCS_FLAGS = {
    "--serve": (NONE, anything),
    "--address": (ONE, address),
    "-o": (ONE, anything),
    "--output": (ONE, anything),
}
MEMORY_FLAGS = {
    "--layers": (ONE, whole(2, 1000)),
    "--columns": (ONE, whole(8, 1 << 20)),
    "--rows": (ONE, whole(1, 1 << 20)),
    "--policies": (MANY, each(one_of("policy", lambda: ["save-all", "recompute-all", "cost"]))),
    "--budgets": (MANY, each(whole(1, 1000))),
    "--repeats": (ONE, whole(1, 10000)),
    "--json": (ONE, anything),
    "--plot": (ONE, anything),
}


def parsed(words, flags, positionals=0):
    """{flag: values} and the words that are no flag's; refuses flags that are not there and values that are wrong or missing."""
    given, others = {}, []
    words = list(words)
    while words:
        word = words.pop(0)
        if not word.startswith("-") or word == "-":
            if len(others) == positionals:
                raise Refusal("'%s' is not expected there; flags are %s." % (word, listed(flags)))
            others.append(word)
            continue
        flag, equals, value = word.partition("=")
        if word[:2] in flags and len(word) > 2:  # -oFILE
            flag, equals, value = word[:2], "=", word[2:]
        if flag not in flags:
            raise Refusal("There is no flag '%s'; known are %s." % (flag, listed(flags)))
        count, check = flags[flag]
        values = [value] if equals else []
        if equals and count == NONE:
            raise Refusal("%s takes no value and was given '%s'." % (flag, value))
        while words and not equals and len(values) < (math.inf if count == MANY else count):
            if values and re.match(r"-{1,2}[a-zA-Z]", words[0]):
                break
            if not values and words[0].startswith("--"):
                break
            values.append(words.pop(0))
        if count != NONE and not values:
            raise Refusal("%s needs a value and was given none." % flag)
        for one in values:
            check(flag, one)
        given.setdefault(flag, []).extend(values)
    return given, others


def processor_flags():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("flags"):
            return line.partition(":")[2].split()
    return []


def check_isa(isa, name):
    """As find_suite() of suite.cpp and require_isa() of isa.cpp."""
    if isa not in suite(name).get("isas", []):
        restricted = [other for other in suite_names() if "isas" in suite(other)]
        raise Refusal("Suite %s cannot be restricted by --isa %s, as it has no kernels for that; run it without --isa, or one of %s."
                      % (name, isa, listed(restricted)))
    needed, present = isas()[isa]["flags"], processor_flags()
    absent = [flag for flag in needed if flag not in present]
    if absent:
        raise Refusal("--isa %s needs a processor with %s, and this one lacks %s; without --isa the run has what the processor has."
                      % (isa, listed(needed), listed(absent)))


def check_bench(words):
    name, rest = words[0], words[1:]
    if name == "plan":
        parsed(rest, PLAN_FLAGS)
        return
    if name not in suite_names():
        raise Refusal("There is no suite '%s'; known are %s." % (name, listed(suite_names() + ["plan"])))
    given, _ = parsed(rest, BENCH_FLAGS)
    if "--isa" in given:
        check_isa(given["--isa"][-1], name)
    for row in given.get("--only", []):
        one_of("row", lambda: [row["name"] for row in suite(name)["rows"]])("--only", row)
    for contender in given.get("--contenders", []):
        if contender == "before" and "--before" not in given:
            raise Refusal("The contender 'before' is another build's plugin; name it with --before PATH.")
        known = [one for one in contenders() if one != "before" or "--before" in given]
        one_of("contender", lambda: known)("--contenders", contender)


def check_fit(words):
    given, others = parsed(words, FIT_FLAGS, positionals=1)
    for measurements in others:
        file("the measurements", measurements)
        if "--machine" not in given:
            raise Refusal("The measurements %s are of a machine that is not named; add --machine FILE." % measurements)


def check_docs(words):
    given, _ = parsed(words, DOCS_FLAGS)
    if "--address" in given and "--serve" not in given:
        raise Refusal("--address is where --serve shows the site; add --serve, or leave it out.")


def check_accuracy(words):
    given, _ = parsed(words, ACCURACY_FLAGS)
    further = [flag for flag in given if flag != "--study"]
    if "--study" in given and further:
        raise Refusal("--study takes no further arguments and was given '%s'." % further[0])


CHECKS = {
    "aarch64": lambda words: parsed(words, AARCH64_FLAGS),
    "bench": check_bench,
    "docs": check_docs,
    "calibrate": lambda words: parsed(words, CALIBRATE_FLAGS),
    "accuracy": check_accuracy,
    "fit": check_fit,
    "memory": lambda words: parsed(words, MEMORY_FLAGS),
}


def main(words):
    if not words or words[0] in ("-h", "--help") or words[0] not in CHECKS:
        print(__doc__)
        return 0 if words and words[0] in ("-h", "--help") else 2
    try:
        CHECKS[words[0]](words[1:])
    except Refusal as refusal:
        print("scripts/%s: %s" % (words[0], refusal), file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
