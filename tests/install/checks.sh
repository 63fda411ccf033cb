# Sourced by the tests that do what people are told to do. Uses the folder $scratch.

# run_lines FILE LOG: runs these lines of shell, here. What they print goes to LOG, and is shown if one fails.
run_lines() {
    bash -eu "$1" >"$2" 2>&1 || {
        cat "$2" >&2
        exit 1
    }
}

# refused STATUS SENTENCE COMMAND...: COMMAND ends with this status and says one line, which has SENTENCE.
refused() {
    local expected=$1 sentence=$2 status=0 said=$scratch/refused.txt
    shift 2
    "$@" 2>"$said" >"$scratch/out.txt" || status=$?
    if [ "$status" -ne "$expected" ] || [ "$(wc -l <"$said")" -ne 1 ] ||
        ! grep -qF -- "$sentence" "$said"; then
        echo "$(basename "$0"): $* should end with $expected and '$sentence', and ended with $status:" >&2
        cat "$said" >&2
        exit 1
    fi
}
