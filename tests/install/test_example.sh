#!/usr/bin/env bash
# test_example.sh ROOT HOME SCRATCH EXAMPLE
#
# Copies apps/examples/EXAMPLE and runs the lines of its README there, as someone does who has the package in
# .local/eutectic of the home folder HOME; then what it makes, and what it refuses, always with exit status 2.
# Exit status 77: something that it needs is not here.
set -euo pipefail

root=$1 scratch=$3 example=$4
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/checks.sh"
export HOME=$2 CLONE=$root
unset EUTECTIC_ROOT PYTHONPATH

check_c_program() {
    grep -q "^512 rows of 1024 columns normalized" log.txt
    grep -q '"groups"' build/normalize.report.json
    build/rows 1 1
    build/rows 37 5
    refused 2 "usage: rows" build/rows 3
    refused 2 "usage: rows" build/rows 0 3
    refused 2 "usage: rows" build/rows 3 4x
    refused 2 "usage: rows" build/rows 3 99999999999999999999
}

check_png_filter() {
    python3 -B "$here/check_sharpened.py" picture.png sharp.png
    python3 -B "$here/check_sharpened.py" --write tiny.png 1 2
    build/filter tiny.png sharp.png
    python3 -B "$here/check_sharpened.py" tiny.png sharp.png
    head -c 5000 picture.png >cut.png
    refused 2 "usage: filter" build/filter picture.png
    refused 2 "filter: missing.png: No such file" build/filter missing.png out.png
    refused 2 "filter: README.md: Not a PNG file" build/filter README.md out.png
    refused 2 "filter: cut.png: " build/filter cut.png out.png
    [ ! -e out.png ]
    refused 2 "filter: none/out.png: No such file" build/filter picture.png none/out.png
    refused 2 "filter: build: Is a directory" build/filter picture.png build
}

check_halide_library() {
    grep -q "^20000 points, each with the centre" log.txt
    grep -q '"groups"' build/nearest.report.json
    build/clusters 31
    refused 2 "usage: clusters" build/clusters 0
    refused 2 "usage: clusters" build/clusters many
}

check_jit() {
    grep -qF ".compute_root();" log.txt
    grep -q "^640 x 480 points, at most" log.txt
    refused 2 "usage: edges" build/edges a b
    refused 2 "Failed to load: none.so" build/edges none.so
}

check_own_cost_model() {
    local own other alone include="$HOME/.local/eutectic/include/eutectic"
    PATH="$HOME/.local/eutectic/bin:$PATH"
    # By its prices other plans are best than by this project's, and others again where a parallel loop takes a second to start.
    plan() { "$@" | sed -n 's/.*"plan_hash": "[^"]*-\([^-"]*\)".*/\1/p'; }
    own=$(plan eutectic explain unknown.hlpipe --json)
    other=$(plan eutectic explain unknown.hlpipe --json --cost-model build/own_cost_model.so)
    sed 's/price->launch = .*/price->launch = nest->tasks > 0 ? 1 : 0;/' own_cost_model.cpp >alone.cpp
    c++ -shared -fPIC -I "$include" alone.cpp -o alone.so
    alone=$(plan eutectic explain unknown.hlpipe --json --cost-model alone.so)
    [ -n "$own" ] && [ -n "$other" ] && [ -n "$alone" ] && [ "$own" != "$other" ] && [ "$other" != "$alone" ]
    [ "$other" = "$(plan eutectic explain unknown.hlpipe --json --cost-model build/own_cost_model.so)" ]
    grep -q "priced by own_cost_model.so" log.txt
    grep -q "with cost_model=.*build/own_cost_model.so  *parameter" log.txt
    head -n 1 nests.csv | grep -q "^nest,func,update,tasks,"
    sed 's/EUTECTIC_COST_MODEL_VERSION;/EUTECTIC_COST_MODEL_VERSION + 1;/' own_cost_model.cpp >other_version.cpp
    c++ -shared -fPIC -I "$include" other_version.cpp -o other_version.so
    refused 2 "which is for version 2 of cost/priced_nest.h, and this is version 1" eutectic explain unknown.hlpipe --cost-model other_version.so
    echo 'int something_else;' | c++ -shared -fPIC -x c++ - -o nothing.so
    refused 2 "which exports no eutectic_cost_model_version" eutectic explain unknown.hlpipe --cost-model nothing.so
    refused 2 "which is no shared library that can be loaded" eutectic explain unknown.hlpipe --cost-model unknown.hlpipe
    refused 2 "which is neither a file nor a name that is known" eutectic explain unknown.hlpipe --cost-model missing.so
    sed 's/price->launch = .*/price->launch = -1;/' own_cost_model.cpp >negative.cpp
    c++ -shared -fPIC -I "$include" negative.cpp -o negative.so
    refused 2 "which is no time: let it answer numbers of seconds of at least 0." eutectic explain unknown.hlpipe --cost-model negative.so
}

check_python() {
    export EUTECTIC_ROOT="$HOME/.local/eutectic" PYTHONPATH="$CLONE/apps/python"
    grep -q "^product cosine " log.txt
    grep -q "^300 rows with 300, at most" log.txt
    python3 -B cosine.py 37 5
    python3 -B cosine.py 1 1
    refused 2 "usage: cosine.py" python3 -B cosine.py 3
    refused 2 "usage: cosine.py" python3 -B cosine.py 0 3
    refused 2 "is not in $scratch: install the wheel" env EUTECTIC_ROOT="$scratch" python3 -B cosine.py
    refused 2 "No module named 'eutectic'" env PYTHONPATH= python3 -B cosine.py
}

check_unknown() {
    local file
    PATH="$HOME/.local/eutectic/bin:$PATH"
    grep -q "^group 1:" log.txt
    grep -q " Mullapudi2016 *ok " log.txt
    for file in .a .h .report.json _forward.a _backward.a _residuals.h; do
        test -s "kernels/unknown$file"
    done
    # What make.py has made is what was there.
    for file in unknown.hlpipe unknown.args.json; do
        cmp "$file" "$root/apps/examples/unknown/$file"
    done
    head -c 8000 unknown.hlpipe >cut.hlpipe
    refused 2 "usage: make.py" python3 make.py
    refused 2 "Failed to load: none.so" python3 make.py none.so
    refused 2 "missing.hlpipe cannot be read" eutectic explain missing.hlpipe
    refused 2 "cut.hlpipe is no serialized Halide pipeline" eutectic explain cut.hlpipe
    refused 2 "--args-order leaves out s" eutectic compile unknown.hlpipe --args-order u,v,w -o none
    [ ! -e none ]
}

rm -rf "$scratch"
mkdir -p "$scratch"
cp -r "$root/apps/examples/$example" "$scratch/$example"
cd "$scratch/$example"
awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' README.md >lines.sh
test -s lines.sh
if [ "$example" = png-filter ] && ! echo '#include <png.h>' | c++ -E -x c++ - >"$scratch/png.txt" 2>&1; then
    if bash -eu lines.sh >log.txt 2>&1 ||
        ! tr -s ' \n' ' ' <log.txt | grep -qF "install Debian's libpng-dev"; then
        cat log.txt >&2
        exit 1
    fi
    echo "test_example.sh: libpng-dev is not here, and png-filter says so."
    exit 77
fi
run_lines lines.sh log.txt
"check_${example//-/_}"
