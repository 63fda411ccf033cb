#!/usr/bin/env bash
# digits_cli.sh PROGRAM CASE [SEED]: runs the digits program as a user does and checks what it prints and its exit status.
set -euo pipefail
digits=$1
case=$2
seed=${3:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# accuracy FILE: the number on the line "test accuracy: N".
accuracy() { sed -n 's/^test accuracy: \([01]\.[0-9]\{4\}\)$/\1/p' "$1"; }

# expect_error WORDS ARGUMENTS...: exit status 2, nothing on standard output, one line on standard error that holds WORDS.
expect_error() {
    local words=$1 status=0
    shift
    "$digits" "$@" >"$work/out" 2>"$work/err" || status=$?
    [ "$status" -eq 2 ] || fail "digits $*: exit status $status, expected 2"
    [ ! -s "$work/out" ] || fail "digits $*: wrote to standard output: $(cat "$work/out")"
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "digits $*: expected one line of error, found: $(cat "$work/err")"
    grep -qF -- "$words" "$work/err" || fail "digits $*: expected '$words', found: $(cat "$work/err")"
}

data="$(dirname "$digits")/../share/eutectic/digits.csv.gz"

case "$case" in
accuracy)
    "$digits" --seed "$seed" | tee "$work/out"
    got=$(accuracy "$work/out")
    awk -v got="$got" 'BEGIN { exit !(got >= 0.955) }' || fail "seed $seed: test accuracy '$got' is below 0.955"
    [ "$(tail -n 1 "$work/out")" = "test accuracy: $got" ] || fail "the last line is not the accuracy"
    grep -q "fused groups" "$work/out" || fail "no fused groups"
    grep -q "saved (" "$work/out" || fail "no traffic saved"
    grep -q "training step.* fused, .* unfused" "$work/out" || fail "no time per step"
    ;;
opencl)
    # As it learns on the CPU: some more digits right or wrong, for sums in another order.
    if ! "$digits" --device opencl --epochs 5 >"$work/out" 2>"$work/err"; then
        grep -qE "OpenCL loader|no platform|no OpenCL platform" "$work/err" || fail "digits --device opencl: $(cat "$work/err")"
        echo "Skipped: $(cat "$work/err")"
        exit 0
    fi
    "$digits" --epochs 5 >"$work/cpu"
    awk -v a="$(accuracy "$work/out")" -v b="$(accuracy "$work/cpu")" 'BEGIN { d = a - b; exit !(a > 0.8 && d < 0.01 && d > -0.01) }' ||
        fail "test accuracy on OpenCL is $(accuracy "$work/out"), on the CPU $(accuracy "$work/cpu")"
    grep -q "on opencl" "$work/out" || fail "the device is not named"
    grep -qE "same results|results agree within [0-9.]+e-0[789]" "$work/out" || fail "fused and unfused differ on OpenCL: $(grep "training step" "$work/out")"
    ;;
reproducible)
    "$digits" --epochs 3 --seed 4 >"$work/one"
    "$digits" --epochs 3 --seed 4 >"$work/two"
    "$digits" --epochs 3 --seed 5 >"$work/other"
    keep() { grep -E '^epoch|^test accuracy' "$1" | sed 's/ [0-9.]* s$//'; }
    [ -n "$(accuracy "$work/one")" ] || fail "no accuracy"
    [ "$(keep "$work/one")" = "$(keep "$work/two")" ] || fail "the same seed gave other results"
    [ "$(keep "$work/one")" != "$(keep "$work/other")" ] || fail "another seed gave the same results"
    ;;
shuffled)
    # Labels of other lines: nothing is left to learn, so the accuracy falls to chance. Plain CSV, for once.
    gzip -dc "$data" | awk -F, -v OFS=, '
        { line[NR] = $0; sub(/,[0-9]+$/, "", line[NR]); label[NR] = $NF }
        END { srand(1); for (i = NR; i > 1; i--) { j = 1 + int(rand() * i); t = label[i]; label[i] = label[j]; label[j] = t }
              for (i = 1; i <= NR; i++) print line[i], label[i] }' >"$work/shuffled.csv"
    [ "$(wc -l <"$work/shuffled.csv")" -eq 1797 ] || fail "the shuffled file lost lines"
    "$digits" --data "$work/shuffled.csv" | tee "$work/out"
    got=$(accuracy "$work/out")
    awk -v got="$got" 'BEGIN { exit !(got != "" && got < 0.25) }' || fail "shuffled labels: test accuracy '$got' is not below 0.25"
    ;;
json)
    "$digits" --epochs 2 --json >"$work/out.json" 2>"$work/err"
    grep -q "^epoch" "$work/err" || fail "no progress on standard error"
    for key in test_accuracy losses training_seconds step_seconds kernels saved_bytes; do
        grep -q "\"$key\"" "$work/out.json" || fail "no key $key in the JSON"
    done
    [ "$(head -c 1 "$work/out.json")" = "{" ] || fail "standard output holds more than JSON"
    ;;
errors)
    gzip -dc "$data" >"$work/plain.csv"
    if ! ldconfig -p | grep -q libcuda.so; then
        expect_error 'digits: --device cuda: eutectic_use_device() was given "cuda", and there is no CUDA driver' --device cuda
    fi
    expect_error "'$work/none.csv': expected 64 pixels" --data "$work/none.csv"
    expect_error "'$work': expected 64 pixels" --data "$work"
    : >"$work/empty.csv"
    expect_error "'$work/empty.csv', line 1: expected" --data "$work/empty.csv"
    head -c 20000 "$data" >"$work/cut.csv.gz"
    expect_error "the gzip data is damaged there (it breaks off); fetch" --data "$work/cut.csv.gz"
    grep -qE "cut.csv.gz', line [0-9]{3}: expected" "$work/err" || fail "the break's line is missing: $(cat "$work/err")"
    { head -c 20000 "$data" && head -c 100 /dev/zero && tail -c +20101 "$data"; } >"$work/hole.csv.gz"
    expect_error "'$work/hole.csv.gz', line " --data "$work/hole.csv.gz"
    { head -c -8 "$data" && printf 'abcd' && tail -c 4 "$data"; } >"$work/checksum.csv.gz"
    expect_error "the gzip data is damaged there" --data "$work/checksum.csv.gz"
    sed '7s/^[0-9]*,//' "$work/plain.csv" >"$work/columns.csv"
    expect_error "'$work/columns.csv', line 7: expected 64 pixels of 0 to 16 and a label of 0 to 9, 65 comma-separated integers, but found 64 fields." --data "$work/columns.csv"
    sed '9s/^[0-9]*,/five,/' "$work/plain.csv" >"$work/word.csv"
    expect_error "line 9: expected" --data "$work/word.csv"
    sed '1797s/^[0-9]*,/17,/' "$work/plain.csv" | gzip >"$work/range.csv.gz"
    expect_error "'$work/range.csv.gz', line 1797: expected" --data "$work/range.csv.gz"
    status=0
    "$digits" --sead 1 >"$work/out" 2>&1 || status=$?
    [ "$status" -eq 2 ] || fail "an unknown option: exit status $status, expected 2"
    "$digits" --help | grep -q "examples:" || fail "--help shows no examples"
    ;;
links_no_halide)
    libraries=$(ldd "$digits")
    grep -q libc.so <<<"$libraries" || fail "ldd shows nothing of $digits"
    ! grep -qi halide <<<"$libraries" || fail "digits links Halide: $libraries"
    ;;
*) fail "no case '$case'" ;;
esac
