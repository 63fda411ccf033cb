#!/usr/bin/env bash
# test_wheel.sh CMAKE BUILD SCRATCH PYTHON [compile]
#
# Packs what BUILD installs as a wheel (with "compile": compiles it, from the archive of sources), installs that with its
# dependencies into an environment of its own, and uses it there: the module's tests, its types, the command, the CMake
# package, the notebook. SCRATCH is made anew.
set -euo pipefail

cmake=$1 build=$2 scratch=$3 python=$4 compile=${5:-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
unset EUTECTIC_ROOT PYTHONPATH
export PIP_DISABLE_PIP_VERSION_CHECK=1

die() {
    echo "test_wheel.sh: $*" >&2
    exit 1
}

rm -rf "$scratch"
mkdir -p "$scratch"
"$python" -m venv "$scratch/builder"
"$scratch/builder/bin/python" -m pip install --quiet build==1.6.1
if [ "$compile" = compile ]; then
    "$scratch/builder/bin/python" -m build --outdir "$scratch/dist" "$root"
else
    "$cmake" --install "$build" --prefix "$scratch/installed" >"$scratch/install.log"
    "$scratch/builder/bin/python" -m build --wheel --outdir "$scratch/dist" "-Ccmake.define.EUTECTIC_INSTALLED=$scratch/installed" \
        "-Cbuild-dir=$scratch/packing" "$root" >"$scratch/build.log"
fi
wheels=("$scratch"/dist/*.whl)
[ "${#wheels[@]}" -eq 1 ]

"$python" -m venv "$scratch/env"
"$scratch/env/bin/python" -m pip install --quiet "${wheels[0]}" -r "$here/requirements.txt"
# Nothing of the machine is needed but the wheel and what it depends on.
rm -rf "$scratch/installed" "$scratch/packing"
cd "$scratch"

for test in schedule gradient; do
    env/bin/python -B "$here/test_$test.py"
done
env/bin/python -B "$here/test_installed.py"
env/bin/python -m mypy --config-file "$root/pyproject.toml" -p eutectic

env/bin/eutectic --help >help.txt
grep -q "eutectic explain" help.txt || die "the command's --help names no explain."

# The CMake package of the wheel, with the Halide beside it, for a project that knows no more than that.
cp -r "$root/tests/python/project" project
PATH="$scratch/env/bin:$PATH" "$cmake" -G Ninja -S project -B project/build -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_PREFIX_PATH="$(env/bin/python -c 'import eutectic; print(eutectic.command().parents[1])')" >configure.log
"$cmake" --build project/build >compile.log
project/build/app

env/bin/python -m jupyter nbconvert --to notebook --execute --output "$scratch/executed.ipynb" "$root/docs/python.ipynb"
grep -q "text/html" executed.ipynb || die "the executed notebook shows no report as a page."
