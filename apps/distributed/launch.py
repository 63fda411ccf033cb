#!/usr/bin/env python3
"""Starts distributed on several ranks by mpirun, and says in a sentence how a rank was lost.

usage: launch.py PROGRAM|--check -n RANKS [ARGUMENT...]

With --check it only looks at its own arguments.

mpirun's words about a job that ended early go to standard error in one sentence, with the checkpoint to resume from; what the ranks print stays as it is.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys

STATUS_USAGE, STATUS_LOST = 2, 3
NAME = "scripts/distributed"

EXAMPLES = """examples:
  scripts/distributed -n 4
  scripts/distributed -n 2 --numerics strict --epochs 60 --checkpoint state
  scripts/distributed -n 4 --resume state --checkpoint state
  scripts/distributed -n 8 --hosts node1:4,node2:4 --json > results.json

Further arguments go to the program: build/release/bin/distributed --help has them, and the exit status.
"""


def refuse(sentence):
    print("%s: %s" % (NAME, sentence), file=sys.stderr)
    sys.exit(STATUS_USAGE)


class Parser(argparse.ArgumentParser):
    def error(self, message):
        refuse("%s; %s --help has examples." % (message, NAME))


def arguments(words):
    parser = Parser(
        prog=NAME,
        description="Does all the set-up, Open MPI included, builds, and trains the network of digits on several ranks: data-parallel, over MPI.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("-n", metavar="RANKS", dest="ranks", default="2", help="how many (default: 2); more than there are cores is allowed")
    parser.add_argument("--hosts", metavar="HOST[:SLOTS],...", help="on these machines, which have this folder, too (default: this one)")
    asked, rest = parser.parse_known_args(words)
    if not re.fullmatch(r"[1-9]\d{0,3}", asked.ranks):
        refuse("-n takes a number of ranks from 1 to 9999 and was given '%s'." % asked.ranks)
    return asked, rest


def value_of(rest, flag):
    """What the program is given for a flag, or None."""
    for at, word in enumerate(rest):
        if word.startswith(flag + "="):
            return word[len(flag) + 1 :]
        if word == flag and at + 1 < len(rest):
            return rest[at + 1]
    return None


def without(rest, flag):
    kept, skip = [], False
    for word in rest:
        if skip:
            skip = False
        elif word == flag:
            skip = True
        elif not word.startswith(flag + "="):
            kept.append(word)
    return kept


def way_on(asked, rest):
    """How to go on from the checkpoint that the job has written or began from."""
    for flag in ("--checkpoint", "--resume"):
        path = value_of(rest, flag)
        if path is None:
            continue
        try:
            with open(path, "rb") as file:
                stands = json.loads(file.readline())
            done = "epoch %d, step %d" % (stands["epoch"] + 1, stands["step"])
        except (OSError, ValueError, KeyError, TypeError):
            continue
        command = [NAME, "-n", asked.ranks, *without(rest, "--resume"), "--resume", path]
        return "'%s' stands at %s: go on with %s" % (path, done, " ".join(command))
    return "there is no checkpoint to resume from; --checkpoint FILE writes one"


def pass_on(stream):
    """The ranks' lines go on to standard error; Open MPI's own, between two lines of dashes or with a host and process before them, are
    returned. When one rank is lost all others miss it: the first tells."""
    words, inside, missed = [], False, False
    for line in stream:
        if re.fullmatch(r"-{60,}\n?", line):
            inside = not inside
        elif inside or re.match(r"\[\S+:\d+\] ", line):
            words.append(line.strip())
        elif not (missed and line.startswith("distributed: rank ")):
            missed = missed or line.startswith("distributed: rank ")
            sys.stderr.write(line)
            sys.stderr.flush()
    return " ".join(word for word in words if word)


def first_sentence(said):
    return re.split(r"(?<=\.)\s", said)[0] if said else "it said nothing."


def main():
    program, words = sys.argv[1], sys.argv[2:]
    asked, rest = arguments(words)
    if program == "--check":
        return 0
    command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", asked.ranks]
    if os.geteuid() == 0:
        command.append("--allow-run-as-root")
    if asked.hosts:
        command += ["--host", asked.hosts]
    try:
        job = subprocess.Popen([*command, program, *rest], stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, errors="replace")
    except FileNotFoundError:
        refuse("mpirun is not there; install Open MPI (Debian: apt-get install -y openmpi-bin libopenmpi-dev).")
    # mpirun has Ctrl-C, too, and ends the ranks; its end is waited for.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: job.send_signal(number))
    said = pass_on(job.stderr)
    status = job.wait()
    lost = re.search(r"process rank (\d+) with PID \d+ on node (\S+) exited on signal (\d+ \([^)]*\))", said)
    if lost:
        rank, node, number = lost.groups()
        print("%s: rank %s on %s was ended by signal %s, and the job with it; %s." % (NAME, rank, node, number, way_on(asked, rest)), file=sys.stderr)
        return STATUS_LOST
    if status == STATUS_LOST:
        print("%s: %s." % (NAME, way_on(asked, rest)), file=sys.stderr)
    elif status not in (0, 1, STATUS_USAGE):
        # Not the ranks' words: mpirun could not start them, or was itself ended.
        print("%s: mpirun ended with status %d: %s" % (NAME, status, first_sentence(said)), file=sys.stderr)
    elif status == 1 and "MPI_ABORT" not in said and "non-zero" not in said:
        print("%s: mpirun could not start the job: %s" % (NAME, first_sentence(said)), file=sys.stderr)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())
