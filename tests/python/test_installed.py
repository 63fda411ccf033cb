"""The wheel, installed: one libHalide in the process, the version, the files that belong to it."""

import importlib.metadata
import pathlib
import unittest

import eutectic


class Installed(unittest.TestCase):
    def test_one_libhalide(self):
        eutectic.load()
        maps = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
        libraries = {line.split()[-1] for line in maps if "libHalide.so" in line}
        self.assertEqual(len(libraries), 1, libraries)

    def test_version(self):
        self.assertEqual(importlib.metadata.version("eutectic"), eutectic.__version__)

    def test_torch_finds_the_backend(self):
        found = importlib.metadata.entry_points(group="torch_dynamo_backends")
        self.assertEqual([e.value for e in found if e.name == "eutectic"], ["eutectic.torch:compile_graph"])

    def test_files_are_the_packages(self):
        package = pathlib.Path(eutectic.__file__).parent
        self.assertTrue((package / "py.typed").is_file())
        for path in (eutectic.plugin(), eutectic.command()):
            self.assertEqual(path.parents[1], package)


if __name__ == "__main__":
    unittest.main()
