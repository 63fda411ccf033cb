"""The command `eutectic`, which the wheel has beside this file."""

from __future__ import annotations

import os
import sys

from eutectic._errors import Error
from eutectic._install import command


def main() -> None:
    """Becomes the command, with this process's arguments; ends with status 2 and one sentence where there is none."""
    try:
        path = str(command())
    except Error as error:
        sys.exit(f"eutectic: {error}")
    os.execv(path, [path, *sys.argv[1:]])
