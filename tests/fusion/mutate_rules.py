#!/usr/bin/env python3
"""Turns off every Verdict::forbid() of src/fusion/rules, one at a time, and runs the tests that plan by them: each has to make one fail.

Sources and build stay as they are. Copies of the rules have each refusal numbered; they are compiled as the build compiles the rules, and each test is linked
once more with them before the library, whose own are then not taken. An environment variable says which refusal is off, so that all mutants take one link."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "build/mutants"
RULES = "src/fusion/rules"
# Those that plan by rules, the quickest to fail first.
TESTS = ("test_fusion", "test_fusion_gpu", "test_report", "test_tune", "test_rewrites")
# The tables of what rules refuse take a second; random pipelines, which come after, a minute.
TABLES = "*test_rules*,*test_blocks*,*test_sum_in_strips*,*test_write_together*,*test_rows_together*,*test_runs_together*,*test_decisions*,*test_dominance*,*test_refusals*"
RUNS = (("test_fusion", (f"--source-file={TABLES}",)), *((test, ()) for test in TESTS))
MOST_SECONDS = 600

OFF = """
namespace eutectic {
// Of mutate_rules.py: is the refusal of this number off?
static inline bool mutant_off(int number) {
    static const char *const off = std::getenv("EUTECTIC_MUTANT");
    return off != nullptr && std::atoi(off) == number;
}
static inline Verdict mutant_forbid(int number, const std::string &reason) {
    return mutant_off(number) ? Verdict::allow() : Verdict::forbid(reason);
}
}  // namespace eutectic
"""


def arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/mutate-rules",
        description="Turns off every refusal of the fusion rules, one at a time, and runs the plain tests; one that no test notices is a gap in them.",
        epilog="examples:\n  scripts/mutate-rules\n  scripts/mutate-rules --only 3 17\n  scripts/mutate-rules --list\n\nThe exit status is 1 if a refusal can be off without a test that fails.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", nargs="+", type=int, default=[], metavar="N", help="these (default: all)")
    parser.add_argument("--build", default="build/release", metavar="FOLDER", help="a configured build (default: %(default)s)")
    parser.add_argument("--tables", action="store_true", help="run the tables of rules alone, some seconds for each: what no table notices random pipelines may")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="mutants at once (default: 1)")
    parser.add_argument("--list", action="store_true", help="print them with their numbers, and run nothing")
    parser.add_argument("--json", action="store_true", help="print {mutants: [{number, file, line, reason, killed_by}]}")
    return parser.parse_args()


def end_of_call(text, start):
    """Behind the parenthesis that closes the one at `start`; quotes are passed over."""
    depth, at = 0, start
    while at < len(text):
        c = text[at]
        if c == '"':
            at += 1
            while text[at] != '"':
                at += 2 if text[at] == "\\" else 1
        elif c == "(":
            depth += 1
        elif c == ")":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    raise ValueError("a call that does not end")


def mutate(text, file, mutants):
    """The text with its refusals numbered on from those that there are. A condition whose refusal is off is passed over; what only allows or
    refuses allows."""
    result, at = "", 0
    for found in re.finditer(r"(?P<whole>return )?Verdict::forbid\(", text):
        end = end_of_call(text, found.end() - 1)
        number, reason = len(mutants) + 1, " ".join(text[found.end() : end - 1].split())
        mutants.append({"number": number, "file": file, "line": text.count("\n", 0, found.start()) + 1, "reason": reason})
        goes_on = found["whole"] and text[end] == ";" and not re.match(r";\n}\n", text[end:])
        result += text[at : found.start()]
        if goes_on:
            result += f"if (!mutant_off({number})) return Verdict::forbid({text[found.end() : end]}"
        else:
            result += f"{found['whole'] or ''}mutant_forbid({number}, {text[found.end() : end]}"
        at = end
    result += text[at:]
    first = re.search(r"^namespace ", result, re.MULTILINE)
    return result if at == 0 else "#include <cstdlib>\n" + result[: first.start()] + OFF.lstrip() + "\n" + result[first.start() :]


def copies():
    """The rules with refusals that can be turned off."""
    mutants, folder = [], WORK / "rules"
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted((ROOT / RULES).glob("*.cpp")):
        (folder / path.name).write_text(mutate(path.read_text(), f"{RULES}/{path.name}", mutants))
    return mutants


def build(folder):
    """Where the tests are that have these rules."""
    print("== building the tests, and linking them with rules whose refusals can be off", file=sys.stderr)
    subprocess.run(["cmake", "--build", folder, "--target", *TESTS], stdout=sys.stderr, check=True)
    commands = {c["file"]: c["command"] for c in json.loads((folder / "compile_commands.json").read_text())}
    objects = []
    for path in sorted((WORK / "rules").glob("*.cpp")):
        objects.append(WORK / "rules" / f"{path.stem}.o")
        command = commands[str(ROOT / RULES / path.name)]
        command = re.sub(r" -o \S+", f" -o {objects[-1]}", command).replace(str(ROOT / RULES / path.name), str(path))
        subprocess.run(command, shell=True, cwd=folder, check=True)
    programs = WORK / "bin"
    programs.mkdir(exist_ok=True)
    for test in TESTS:
        link = subprocess.run(["ninja", "-t", "commands", "-s", f"bin/{test}"], cwd=folder, capture_output=True, text=True, check=True).stdout.strip().splitlines()[-1]
        link = link.replace(f" -o bin/{test}", f" {' '.join(map(str, objects))} -o {programs / test}")
        subprocess.run(link, shell=True, cwd=folder, check=True)
    return programs


def failing(programs, number, runs=RUNS):
    """The first test that fails with this refusal off (0: none); nothing if none does."""
    for test, words in runs:
        environment = {**os.environ, "EUTECTIC_MUTANT": str(number)}
        try:
            run = subprocess.run([programs / test, *words, "--abort-after=1", "--no-intro=1"], cwd=WORK, env=environment, capture_output=True, text=True, timeout=MOST_SECONDS)
        except subprocess.TimeoutExpired:
            return f"{test}: it does not end"
        if run.returncode != 0:
            cases = re.findall(r"^TEST CASE:  (.*)$", run.stdout, re.MULTILINE)  # it ends with the one that fails
            return f"{test}: {cases[-1] if cases else 'it crashes'}"
    return None


def report(mutants, killers, as_json):
    """A line for each as it is known."""
    for m, killer in zip(mutants, killers):
        m["killed_by"] = killer
        print(f"{m['number']:3} {m['file']}:{m['line']}  {m['killed_by'] or 'NO TEST FAILS'}", file=sys.stderr if as_json else sys.stdout, flush=True)


def main():
    options = arguments()
    if options.list:
        mutants = []
        for path in sorted((ROOT / RULES).glob("*.cpp")):
            mutate(path.read_text(), f"{RULES}/{path.name}", mutants)
        for m in mutants:
            print(f"{m['number']:3} {m['file']}:{m['line']}  {m['reason'][:110]}")
        return 0
    folder = (ROOT / options.build).resolve()
    if not (folder / "compile_commands.json").is_file():
        print(f"mutate-rules: {options.build} is no build: run scripts/build first.", file=sys.stderr)
        return 2
    mutants = copies()
    known = [m["number"] for m in mutants]
    for number in options.only:
        if number not in known:
            print(f"mutate-rules: --only names {number}, and there are refusals 1 to {len(known)}: see --list.", file=sys.stderr)
            return 2
    programs = build(folder)
    runs = RUNS[:1] if options.tables else RUNS
    wrong = failing(programs, 0, runs)
    if wrong:
        print(f"mutate-rules: with nothing turned off a test fails ({wrong}): mend that first.", file=sys.stderr)
        return 2
    chosen = [m for m in mutants if not options.only or m["number"] in options.only]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        killers = pool.map(lambda m: failing(programs, m["number"], runs), chosen)
        report(chosen, killers, options.json)
    survivors = [m for m in chosen if not m["killed_by"]]
    if options.json:
        print(json.dumps({"mutants": chosen}, indent=2))
    else:
        print(f"{len(chosen) - len(survivors)} of {len(chosen)} refusals have a test that fails without them")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
