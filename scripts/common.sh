# Sourced by the other scripts: where the project is, its tools first in PATH, and how many jobs to run at once.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export PATH="$root/.venv/bin:$PATH"

# say WORDS...: a line about what a script does, apart from what the tools print.
say() { printf '== %s\n' "$*"; }

# die WORDS...: one sentence to the user, then failure.
die() {
    printf 'scripts/%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# check_arguments ARGUMENTS...: ends this script with one sentence and status 2 if its program would refuse them. It comes before anything
# is installed or built; where there is no Python yet, the program is the first to look.
check_arguments() {
    command -v python3 >/dev/null || return 0
    python3 "$root/scripts/arguments.py" "$(basename "$0")" "$@" || exit $?
}

# One job a core, but no more than one for each 2 GiB of memory: that is what g++ takes for a file with Halide.h.
job_count() {
    local cores memory_jobs
    cores=$(nproc)
    memory_jobs=$(awk '/^MemTotal/ { print int($2 / 2097152) }' /proc/meminfo 2>/dev/null || true)
    if [ "${memory_jobs:-0}" -ge 1 ] && [ "$memory_jobs" -lt "$cores" ]; then
        echo "$memory_jobs"
    else
        echo "$cores"
    fi
}

# pip_arguments PYTHON REQUIREMENTS: what to give pip for a requirements.txt: the file beside it that pins everything, what these need included, by hash
# (scripts/lock), where PYTHON is the version that it is for; else the requirements alone.
locked_python=3.11
pip_arguments() {
    local version
    version=$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    if [ "$version" = "$locked_python" ] && [ -f "${2%.txt}.lock" ]; then
        printf '%s\n' --require-hashes -r "${2%.txt}.lock"
    else
        printf '%s\n' -r "$2"
    fi
}

# python_with NAME REQUIREMENTS WHAT: makes .venv-NAME with what that file pins, unless it is there; WHAT is said when it cannot.
python_with() {
    local venv="$root/.venv-$1" requirements=$2 what=$3 stamp="$root/.venv-$1/requirements.stamp" wanted
    # The place is part of the stamp: programs in bin name it in their first line.
    wanted="$(sha256sum <"$requirements") $root"
    if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then
        return
    fi
    say "making .venv-$1"
    local python="$root/.venv/bin/python"  # which scripts/bootstrap has looked for; without it any
    if [ ! -x "$python" ]; then python=python3; fi
    "$python" -m venv --clear "$venv"
    local pinned
    mapfile -t pinned < <(pip_arguments "$venv/bin/python" "$requirements")
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "${pinned[@]}" ||
        die "pip could not install $what from PyPI; run: .venv-$1/bin/python -m pip install -r ${requirements#"$root/"}"
    echo "$wanted" >"$stamp"
}

# plot SCRIPT ARGUMENTS...: runs a Python script that draws with matplotlib, out of .venv-plot, which it makes.
plot() {
    python_with plot "$root/docs/accuracy/requirements.txt" matplotlib
    "$root/.venv-plot/bin/python" "$@"
}

# missing_packages PACKAGE...: those of them that Debian has not installed, one a line.
missing_packages() {
    local package
    for package in "$@"; do
        if [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)" != installed ]; then
            echo "$package"
        fi
    done
}

# Prints the command prefix that may install packages, or fails.
privilege() {
    if [ "$(id -u)" -eq 0 ]; then
        return 0
    fi
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        echo "sudo -n"
        return 0
    fi
    return 1
}

# install_packages PACKAGE...: installs what is missing, or says how to.
install_packages() {
    local missing prefix
    if ! command -v dpkg-query >/dev/null; then
        say "not a Debian system: these packages, or what they are called here, must be present: $*"
        return
    fi
    mapfile -t missing < <(missing_packages "$@")
    if [ "${#missing[@]}" -eq 0 ]; then
        return
    fi
    if ! prefix=$(privilege); then
        die "packages are missing and need root to install; run: sudo apt-get update && sudo apt-get install -y ${missing[*]}"
    fi
    say "installing ${missing[*]}"
    # shellcheck disable=SC2086  # an empty prefix is no word
    if ! { $prefix apt-get update -qq && $prefix env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null; }; then
        die "apt-get could not install every package; run: apt-get update && apt-get install -y ${missing[*]}"
    fi
}

# run_with_torch PROGRAM ARGUMENTS...: a Python program of this repository, out of .venv-peers and with this build's Python module, which is
# built unless all that is asked for is there without it.
run_with_torch() {
    local python="$root/.venv-peers/bin/python"
    if ! "$python" -c 'import torch, halide, expecttest' 2>/dev/null; then
        die "torch, halide and expecttest are not in .venv-peers; run: scripts/peers"
    fi
    case " ${*:2} " in
    *" --help "* | *" -h "* | *" --summary "*) ;;
    *) "$root/scripts/build" release eutectic_plugin eutectic ;;
    esac
    EUTECTIC_ROOT="$root/build/release" PYTHONPATH="$root/apps/python" "$python" -B "$root/$1" \
        --commit "$(git -C "$root" rev-parse --short HEAD 2>/dev/null || true)" "${@:2}"
}
