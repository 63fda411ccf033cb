#!/usr/bin/env bash
# with_torch.sh PYTHON FILE ARGUMENTS...: runs a test of this folder with kernels of its own; 77 where there is no torch.
set -euo pipefail

python=$1 file=$2
if ! "$python" -c 'import torch, halide' 2>/dev/null; then
    echo "$file is skipped: $python has no torch and halide; scripts/peers installs them."
    exit 77
fi
cd "$(dirname "${BASH_SOURCE[0]}")"
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
TORCHINDUCTOR_CACHE_DIR="$cache" "$python" -B "$file" "${@:3}"
