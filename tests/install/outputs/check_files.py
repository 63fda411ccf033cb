#!/usr/bin/env python3
"""What the files hold that add_eutectic_library made for its keywords.

usage: check_files.py FILES.TXT      a line each: KEYWORD LIBRARY PATH...
"""

import pathlib
import re
import sys

# What each file has, by keyword; of BITCODE, the first bytes of LLVM's.
HOLDS = {
    "STMT": r"\bproduce [\w$]+ \{",
    "CONCEPTUAL_STMT": r"\bproduce [\w$]+ \{",
    "STMT_HTML": r"(?s)<html .*\bproduce\b",
    "CONCEPTUAL_STMT_HTML": r"(?s)<html .*\bproduce\b",
    "ASSEMBLY": r"(?m)^\tv?(mulps|mulss|fmadd\w+|addps)\b|^\tfmla",
    "LLVM_ASSEMBLY": r"(?m)^define ",
    "REGISTRATION": r"halide_register_argv_and_metadata",
    "SCHEDULE": r"inline void apply_schedule_\w+\(",
    "PYTHON_EXTENSION": r"PyObject \*",
    "PYTORCH_WRAPPER": r"inline int layer_th_\(at::Tensor &",
}
# The files of libraries with more than one kernel.
SEVERAL = {
    ("STMT", "layer_pair"): {"layer_pair_forward.stmt", "layer_pair_backward_kernel.stmt"},
    ("ASSEMBLY", "layer_pair"): {"layer_pair_forward.s", "layer_pair_backward_kernel.s"},
    ("REGISTRATION", "layer_pair"): {"layer_pair_forward.registration.cpp", "layer_pair_backward_kernel.registration.cpp"},
    ("STMT", "layer_two"): {"layer_two-x86-64-linux-avx-avx2-f16c-fma-sse41-no_runtime.stmt", "layer_two-x86-64-linux-no_runtime.stmt"},
    ("CONCEPTUAL_STMT", "layer_two"): {"layer_two-x86-64-linux-avx-avx2-f16c-fma-sse41-no_runtime.conceptual.stmt", "layer_two-x86-64-linux-no_runtime.conceptual.stmt"},
    ("LLVM_ASSEMBLY", "layer_two"): {"layer_two-x86-64-linux-avx-avx2-f16c-fma-sse41-no_runtime.ll", "layer_two-x86-64-linux-no_runtime.ll"},
    ("STMT", "layer_anywhere"): {"layer_anywhere_cpu.stmt", "layer_anywhere_opencl.stmt"},
}


def wrong(keyword, library, paths):
    """What is wrong with them, as a sentence; None: nothing."""
    names = {path.name for path in paths}
    if len(names) != len(SEVERAL.get((keyword, library), "1")):
        return f"{keyword} of {library} tells of {sorted(names)}"
    if names != SEVERAL.get((keyword, library), names):
        return f"{keyword} of {library} tells of {sorted(names)} and should tell of {sorted(SEVERAL[keyword, library])}"
    for path in paths:
        content = path.read_bytes()
        right = content.startswith(b"BC\xc0\xde") if keyword == "BITCODE" else re.search(HOLDS[keyword], content.decode())
        if not right:
            return f"{path} does not hold what {keyword} asks for; it begins with {content[:300]}"
    return None


def main():
    failures, keywords = [], set()
    for line in pathlib.Path(sys.argv[1]).read_text().splitlines():
        keyword, library, *paths = line.split()
        keywords.add(keyword)
        failures.append(wrong(keyword, library, [pathlib.Path(path) for path in paths]))
    failures = [failure for failure in failures if failure]
    missing = sorted((set(HOLDS) | {"BITCODE"}) - keywords)
    print("\n".join(failures + [f"no library was asked for {keyword}" for keyword in missing]))
    return 1 if failures or missing else 0


if __name__ == "__main__":
    sys.exit(main())
