"""What is compiled has the same bytes in every run, folder, locale, time zone and number of threads: by `eutectic compile` and `grad`, and by
a generator with the plugin. usage: as eutectic_command.py has it"""

import json
import os
import subprocess

from eutectic_command import EUTECTIC, GENERATORS, PLUGIN, TARGET, Case, main

PARALLELISM = 4


def surroundings():
    """Environments and folders that nothing may depend on. Locales that are not installed are C's, which loses nothing."""
    locales = subprocess.run(["locale", "-a"], capture_output=True, text=True).stdout.split() if os.path.exists("/usr/bin/locale") else []
    comma = [name for name in locales if name.lower().startswith(("de_", "fr_", "tr_"))]
    yield "a", {"LC_ALL": "C", "TZ": "UTC", "HL_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    yield "a folder/with another name", {"LC_ALL": (comma or ["C.utf8"])[0], "LANG": "de_DE.UTF-8", "TZ": "Asia/Kathmandu", "HL_NUM_THREADS": "7"}
    yield "b", {"LC_ALL": "", "LANG": "tr_TR.UTF-8", "HOME": "/nonexistent", "MALLOC_PERTURB_": "85", "HL_NUM_THREADS": "2"}


def files(folder):
    """Name and bytes; of reports all but what was measured while planning."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_dir():
            continue
        content = path.read_bytes()
        if path.name.endswith(".report.json"):
            report = json.loads(content)
            found[path.name] = json.dumps(without_times(report), sort_keys=True)
        else:
            found[path.name] = content
    return found


def without_times(report):
    report.pop("plan_seconds", None)
    for step in report.get("steps", []):
        step.pop("seconds", None)
    return report


class Reproducible(Case):
    number = 0

    def made(self, words):
        """What the command leaves in each of the surroundings."""
        results = []
        for name, environment in surroundings():
            self.number += 1
            folder = self.folder / str(self.number) / name
            folder.mkdir(parents=True)
            done = subprocess.run([str(w) for w in words], cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            results.append(files(folder))
        return results

    def same(self, *words):
        first, *others = self.made(words)
        self.assertGreater(len(first), 1)
        for other in others:
            self.assertEqual(first.keys(), other.keys())
            for name in first:
                self.assertEqual(first[name], other[name], f"{name} of {words[:4]} differs")
        return first

    def test_libraries_headers_and_reports(self):
        for generator, *parameters in [("softmax", "rows=64", "cols=256"), ("dense", "m=32", "k=64", "n=48"), ("box_blur",)]:
            with self.subTest(generator):
                made = self.same(EUTECTIC, "compile", GENERATORS, "-g", generator, *parameters, "--target", TARGET, "--parallelism", PARALLELISM, "-o", "out")
                self.assertIn(f"{generator}.a", made)

    def test_other_plans_are_other_bytes(self):
        """What is compared can tell two kernels apart."""
        words = [EUTECTIC, "compile", GENERATORS, "-g", "softmax", "rows=64", "cols=256", "--target", TARGET, "-o", "out", "--parallelism"]
        one, other = self.made([*words, 1])[0], self.made_elsewhere([*words, 4])
        self.assertNotEqual(one["softmax.a"], other["softmax.a"])

    def made_elsewhere(self, words):
        folder = self.folder / "elsewhere"
        folder.mkdir()
        subprocess.run([str(w) for w in words], cwd=folder, check=True, capture_output=True)
        return files(folder)

    def test_pairs(self):
        made = self.same(EUTECTIC, "grad", GENERATORS, "-g", "dense", "m=32", "k=64", "n=48", "--target", TARGET, "--parallelism", PARALLELISM, "-o", "out")
        self.assertIn("dense_backward.a", made)

    def test_generators_with_the_plugin(self):
        made = self.same(GENERATORS, "-g", "softmax", "-f", "softmax", "-o", ".", "-e", "static_library,c_header,schedule", f"target={TARGET}", "-p", PLUGIN, "autoscheduler=Eutectic",
                         f"autoscheduler.parallelism={PARALLELISM}", "rows=64", "cols=256")
        self.assertIn("softmax.a", made)


main()
