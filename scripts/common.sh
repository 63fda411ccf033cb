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
