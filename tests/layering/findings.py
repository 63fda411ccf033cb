"""What the checks of this folder have in common: they read the source files of some folders, and print what they find.

A finding is printed as FILE:LINE: sentence; the exit status is 1 if there is any, or if there was nothing to read.
"""

import pathlib
import sys


def source_files(folder, suffixes=(".h", ".hpp", ".cpp", ".cc")):
    """The source files below FOLDER, in order."""
    return [path for path in sorted(folder.rglob("*")) if path.suffix in suffixes and path.is_file()]


def main(check_tree):
    """CHECK_TREE(root) returns (findings, number of files read); the root is the argument, or this repository."""
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
    findings, count = check_tree(root)
    print("\n".join(findings + [f"{count} files, {len(findings)} findings"]))
    if count == 0:
        print(f"No source file was found under {root}; give the repository's root.")
    return 1 if findings or count == 0 else 0
