"""apps/pytorch: a few steps of the transformer, with layers of ours and with PyTorch's; and what the trainer refuses."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TRAIN = pathlib.Path(__file__).parents[2] / "apps/pytorch/train.py"


def run(*words):
    return subprocess.run([sys.executable, "-B", str(TRAIN), *map(str, words)], capture_output=True, text=True)


class Training(unittest.TestCase):
    def test_losses(self):
        done = run("--steps", 12, "--batch", 4, "--length", 24, "--every", 6, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("step   12/12  loss ", done.stderr)
        told = json.loads(done.stdout)
        ours, torchs = told["losses"]["eutectic"], told["losses"]["pytorch"]
        self.assertEqual(len(ours), 12)
        self.assertLess(ours[-1], ours[0] - 0.5)
        self.assertLessEqual(max(abs(a - b) for a, b in zip(ours, torchs)), 1e-3)
        self.assertTrue(all(rate > 0 for rate in told["tokens_a_second"].values()))

    def test_apart(self):
        self.assertEqual(run("--steps", 2, "--batch", 2, "--length", 8, "--tolerance", -1).returncode, 1)

    def test_refusals(self):
        for words, sentence in (
            (("--steps", 0), "--steps was given as 0: give a whole number above 0"),
            (("--width", 66), "--width 66 is not a multiple of --heads 4: change one of them"),
        ):
            done = run(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(sentence, done.stderr)
        with tempfile.NamedTemporaryFile("w") as book:
            book.write("short")
            book.flush()
            done = run("--book", book.name)
            self.assertEqual((done.returncode, done.stderr), (2, f"train.py: The book {book.name} is no ASCII text of more than 65 bytes: name another one.\n"))
        self.assertIn("examples:", run("--help").stdout)


if __name__ == "__main__":
    unittest.main()
