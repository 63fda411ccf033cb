#!/usr/bin/env python3
"""Fuzzes the parsers of files and arguments with libFuzzer, under the address and undefined-behaviour sanitizers."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests/fuzz/corpus"
FOUND = ROOT / "build/fuzz/found"
# An input that takes longer, or more memory, is a finding.
MOST_SECONDS, MOST_MIB = 10, 1024
# Kept inputs are small, and few: what replaying them takes is a test's time.
LONGEST_INPUT = 32768
MOST_KEPT = 24  # of what one run finds


def say(*words):
    print("==", *words, file=sys.stderr, flush=True)


def refuse(sentence):
    print(f"fuzz-parsers: {sentence}", file=sys.stderr)
    sys.exit(2)


def parsers():
    return sorted(p.name for p in CORPUS.iterdir() if p.is_dir())


def arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/fuzz-parsers",
        description="Fuzzes every parser of files and arguments with libFuzzer and the sanitizers, one after the other, from the inputs kept in tests/fuzz/corpus. "
        "Needs Clang with its runtime libraries (Debian: clang, libclang-rt-14-dev); without it nothing is done, and a sentence says so.",
        epilog="examples:\n  scripts/fuzz-parsers --seconds 60\n  scripts/fuzz-parsers --only pins machine --seconds 600 --jobs 2\n  scripts/fuzz-parsers --seconds 60 --keep   adds inputs that reach new code to the corpus\n\n"
        "The exit status is 1 if an input was found that ends a parser otherwise than by its result or one sentence; it lies in build/fuzz/found.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seconds", type=int, default=60, metavar="N", help="seconds for each parser (default: 60)")
    parser.add_argument("--only", nargs="+", default=[], metavar="PARSER", help="these parsers (default: all)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="parsers at once (default: 1)")
    parser.add_argument("--keep", action="store_true", help="add inputs that reach code which no kept one does")
    parser.add_argument("--json", action="store_true", help="print {parsers: [{parser, seconds, executions, covered, kept, findings}]}")
    options = parser.parse_args()
    for name in options.only:
        if name not in parsers():
            refuse(f"--only names {name}, which is no parser with a corpus: there are {', '.join(parsers())}.")
    if options.seconds < 1 or options.jobs < 1:
        refuse("--seconds and --jobs are whole numbers of at least 1: give more.")
    return options


def build(names):
    """False where there is no Clang that can."""
    probe = "extern \"C\" int LLVMFuzzerTestOneInput(const unsigned char *, unsigned long) { return 0; }"
    with tempfile.TemporaryDirectory() as folder:
        command = ["clang++", "-x", "c++", "-", "-fsanitize=fuzzer,address,undefined", "-o", f"{folder}/probe"]
        try:
            if subprocess.run(command, input=probe, text=True, capture_output=True).returncode != 0:
                return False
        except FileNotFoundError:
            return False
    say("building build/fuzz")
    if not (ROOT / "build/fuzz/build.ninja").exists():
        subprocess.run(["cmake", "--preset", "fuzz"], cwd=ROOT, check=True, stdout=sys.stderr)
    subprocess.run(["cmake", "--build", "build/fuzz", "--target", *(f"fuzz_{n}" for n in names)], cwd=ROOT, check=True, stdout=sys.stderr)
    return True


class Run:
    """One parser under libFuzzer."""

    def __init__(self, name, seconds):
        self.name, self.begun = name, time.monotonic()
        self.inputs = pathlib.Path(tempfile.mkdtemp(prefix=f"fuzz-{name}-"))
        FOUND.mkdir(parents=True, exist_ok=True)
        dictionary = ROOT / f"tests/fuzz/corpus/{name}.dict"
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [ROOT / f"build/fuzz/bin/fuzz_{name}", f"-max_total_time={seconds}", f"-timeout={MOST_SECONDS}", f"-rss_limit_mb={MOST_MIB}", f"-max_len={LONGEST_INPUT}", "-print_final_stats=1",
             f"-artifact_prefix={FOUND}/{name}-", *([f"-dict={dictionary}"] if dictionary.exists() else []), self.inputs, CORPUS / name],
            stdout=subprocess.DEVNULL, stderr=self.log, env={**os.environ, "TMPDIR": "/dev/shm" if os.path.isdir("/dev/shm") else "/tmp"})

    def result(self, keep):
        self.process.wait()
        self.log.seek(0)
        said = self.log.read()
        executions = re.search(r"stat::number_of_executed_units:\s*(\d+)", said)
        covered = re.findall(r"cov: (\d+)", said)
        row = {"parser": self.name, "seconds": round(time.monotonic() - self.begun), "executions": int(executions[1]) if executions else 0, "covered": int(covered[-1]) if covered else 0,
               "kept": 0, "findings": sorted(p.name for p in FOUND.glob(f"{self.name}-*"))}
        if self.process.returncode != 0 and not row["findings"]:
            row["findings"] = ["no input: " + said.strip().splitlines()[-1]]
        if row["findings"]:
            print("\n".join(said.splitlines()[-60:]), file=sys.stderr)
        if keep:
            row["kept"] = self.keep()
        shutil.rmtree(self.inputs)
        return row

    def keep(self):
        """Some of the inputs that reach new code, of all sizes, into the corpus."""
        with tempfile.TemporaryDirectory() as merged:
            for path in (CORPUS / self.name).iterdir():
                shutil.copy(path, merged)
            before = set(os.listdir(merged))
            subprocess.run([ROOT / f"build/fuzz/bin/fuzz_{self.name}", "-merge=1", f"-max_len={LONGEST_INPUT}", merged, self.inputs], check=False, capture_output=True)
            new = sorted(set(os.listdir(merged)) - before, key=lambda name: (os.path.getsize(f"{merged}/{name}"), name))
            for name in new[:: max(1, -(-len(new) // MOST_KEPT))]:
                shutil.copy(f"{merged}/{name}", CORPUS / self.name)
            return len(new[:: max(1, -(-len(new) // MOST_KEPT))])


def main():
    options = arguments()
    names = options.only or parsers()
    if not build(names):
        say("there is no clang++ that links libFuzzer: nothing was fuzzed. Install Debian's clang and libclang-rt-14-dev.")
        if options.json:
            print(json.dumps({"parsers": []}))
        return 0
    rows, waiting, running = [], list(names), []
    while waiting or running:
        while waiting and len(running) < options.jobs:
            say(f"{waiting[0]}, {options.seconds} s ({len(names) - len(waiting) + 1} of {len(names)})")
            running.append(Run(waiting.pop(0), options.seconds))
        rows.append(running.pop(0).result(options.keep))
    if options.json:
        print(json.dumps({"parsers": rows}, indent=2))
    else:
        print(f"{'parser':18} {'seconds':>8} {'executions':>12} {'covered':>8} {'kept':>5}  findings")
        for r in rows:
            print(f"{r['parser']:18} {r['seconds']:8} {r['executions']:12} {r['covered']:8} {r['kept']:5}  {', '.join(r['findings']) or 'none'}")
    return 1 if any(r["findings"] for r in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
