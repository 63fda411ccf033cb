#!/usr/bin/env python3
"""photo as a user calls it: it learns and restores, and files that are no photographs end in a sentence.

usage: test_photo.py PHOTO PHOTOGRAPH FORMATS     FORMATS: those of the build, such as png,jpeg
"""

import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

PHOTO, PHOTOGRAPH = sys.argv[1:3]
FORMATS = sys.argv[3].split(",")


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(columns, rows, depth=8, colour=2, lines=None, extra=b""):
    """colour: 0 gray, 2 red, green and blue, 3 a palette, 6 with transparency."""
    channels = {0: 1, 2: 3, 3: 1, 6: 4}[colour]
    if lines is None:
        lines = b"".join(b"\0" + bytes(((7 * x + 5 * y) % 200 for x in range(columns * channels * depth // 8))) for y in range(rows))
    header = struct.pack(">IIBBBBB", columns, rows, depth, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


def jpeg(columns, rows, components=3, bits=8):
    """All up to the pixels of a JPEG."""
    parts = b"".join(struct.pack(">BBB", i + 1, 0x11, 0) for i in range(components))
    frame = struct.pack(">BHHB", bits, rows, columns, components) + parts
    scan = bytes([components]) + b"".join(bytes([i + 1, 0]) for i in range(components)) + b"\0\x3f\0"

    def marker(kind, data):
        return bytes([0xFF, kind]) + struct.pack(">H", len(data) + 2) + data

    return b"\xff\xd8" + marker(0xDB, b"\0" + bytes([1] * 64)) + marker(0xC0, frame) + marker(0xDA, scan)


class Photo(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_photo(self, *words, **options):
        return subprocess.run([PHOTO, *map(str, words)], capture_output=True, text=True, cwd=self.folder, **options)

    def done(self, *words):
        result = self.run_photo(*words)
        self.assertEqual((result.returncode, result.stderr), (0, ""), words)
        return result.stdout

    def refused(self, sentence, *words, **options):
        """Exit status 2, one line that holds the sentence, and not a file more or less than before."""
        before = sorted(self.folder.rglob("*"))
        result = self.run_photo(*words, **options)
        self.assertEqual((result.returncode, result.stdout), (2, ""), (words, result.stderr))
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("photo: "), result.stderr)
        self.assertIn(sentence, result.stderr)
        self.assertEqual(sorted(self.folder.rglob("*")), before)

    def write(self, name, content):
        (self.folder / name).write_bytes(content)
        return name

    def parameters(self, **changes):
        made = {
            "spread": [1, 1],
            "strength": [0.5, 0.5, 0.5],
            "sharpen": [0.5, 0.2],
            "coring": [1, 1],
            "tone": [[k / 8 for k in range(9)], [1] * 9, [1] * 9],
        }
        made.update(changes)
        (self.folder / "parameters.json").write_text(json.dumps(made))
        return "parameters.json"


class Learning(Photo):
    def test_it_learns_and_applies_what_it_learned(self):
        printed = self.done("train", PHOTOGRAPH, "--steps", 30, "--output", "out", "--threads", 2)
        before, after = map(float, re.search(r"PSNR: ([\d.]+) dB before, ([\d.]+) dB after\n$", printed).groups())
        self.assertGreater(after, before + 4)
        steps = [float(value) for value in re.findall(r"^step .* PSNR ([\d.]+) dB", printed, re.MULTILINE)]
        self.assertEqual(len(steps), 3)
        self.assertEqual(steps, sorted(steps))
        self.assertRegex(printed, r"a step \(loss and gradients\): [\d.]+ ms fused, [\d.]+ ms unfused")
        self.assertRegex(printed, r"restoring: [\d.]+ ms fused, [\d.]+ ms unfused")
        self.assertNotIn("DISAGREE", printed)
        self.assertEqual(
            sorted(p.name for p in (self.folder / "out").iterdir()),
            ["after.png", "before.png", "difference.png", "parameters.json"],
        )
        self.done("apply", "out/before.png", "again.png", "--parameters", "out/parameters.json")
        self.assertEqual((self.folder / "again.png").read_bytes(), (self.folder / "out/after.png").read_bytes())

    def test_results_as_json(self):
        result = self.run_photo("train", PHOTOGRAPH, "--steps", 3, "--window", 64, "--json", "--comparison", "both.png")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("step    1/3", result.stderr)
        made = json.loads(result.stdout)
        self.assertEqual(len(made["psnr"]["steps"]), 3)
        self.assertGreater(made["step_seconds"]["unfused"], 0)
        self.assertLess(made["difference"]["picture"], 1e-4)
        self.assertEqual(made["parameters"], json.loads((self.folder / "restored/parameters.json").read_text()))
        size = struct.unpack(">II", (self.folder / "both.png").read_bytes()[16:24])
        self.assertEqual(size, (1204, 400))

    def test_towards_a_target(self):
        self.write("in.png", png(30, 20))
        self.write("wanted.png", png(30, 20, colour=0))
        printed = self.done("train", "in.png", "--target", "wanted.png", "--steps", 40)
        before, after = map(float, re.search(r"PSNR: ([\d.]+) dB before, ([\d.]+) dB after\n$", printed).groups())
        self.assertGreater(after, before)
        self.assertEqual((self.folder / "restored/before.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_small_pictures(self):
        parameters = self.parameters()
        for size in ((1, 1), (1, 5), (7, 1), (13, 11)):
            self.write("in.png", png(*size))
            self.done("apply", "in.png", "out.png", "--parameters", parameters)
            self.assertEqual(struct.unpack(">II", (self.folder / "out.png").read_bytes()[16:24]), size)
        self.done("train", "in.png", "--steps", 2)

    @unittest.skipUnless("jpeg" in FORMATS, "libjpeg was not found")
    def test_jpeg(self):
        parameters = self.parameters()
        self.done("apply", PHOTOGRAPH, "out.jpg", "--parameters", parameters)
        content = (self.folder / "out.jpg").read_bytes()
        self.assertEqual(content[:3], b"\xff\xd8\xff")
        self.done("apply", "out.jpg", "out.JPEG", "--parameters", parameters)
        # With nothing to do, a JPEG that was read is the same picture as before.
        self.done("train", "out.jpg", "--target", "out.JPEG", "--steps", 1, "--format", "jpg")
        self.write("cut.jpg", content[: len(content) // 2])
        self.refused("'cut.jpg': the JPEG is damaged", "apply", "cut.jpg", "o.png", "--parameters", parameters)


class Refusals(Photo):
    def refuse_picture(self, sentence, name):
        self.refused(f"'{name}': {sentence}", "apply", name, "out.png", "--parameters", self.parameters())
        self.refused(f"'{name}': {sentence}", "train", name)
        self.write("fine.png", png(8, 8))
        self.refused(f"'{name}': {sentence}", "train", "fine.png", "--target", name)

    def test_no_pictures(self):
        self.refuse_picture("there is no such file", "none.png")
        self.refuse_picture("the file is empty", self.write("empty.png", b""))
        self.refuse_picture("this is neither a PNG nor a JPEG picture", self.write("text.png", b"P6 4 4 255\n" + bytes(48)))
        (self.folder / "folder.png").mkdir()
        self.refuse_picture("this is a folder", "folder.png")
        os.mkfifo(self.folder / "pipe.png")
        self.refuse_picture("this is no file of its own", "pipe.png")
        self.refuse_picture("this is no file of its own", "/dev/zero")
        self.refuse_picture("the file cannot be looked at", self.write("fine.png", png(3, 3)) + "/inside.png")

    def test_a_file_that_may_not_be_read(self):
        closed = self.folder / self.write("closed.png", png(3, 3))
        closed.chmod(0)
        self.folder.chmod(0o755)
        options = {"user": 65534} if os.geteuid() == 0 else {}
        if options and subprocess.run([PHOTO, "--help"], capture_output=True, **options).returncode != 0:
            self.skipTest("another user may not run the program")
        (self.folder / self.parameters()).chmod(0o644)
        self.refused(
            "picture cannot be written to out.png" if options else "the file cannot be read",
            *("apply", "closed.png", "out.png", "--parameters", "parameters.json"),
            **options,
        )
        self.refused("'closed.png': the file cannot be read", "train", "closed.png", **options)

    def test_pngs(self):
        whole = png(40, 30)
        self.refuse_picture("the PNG is damaged", self.write("cut.png", whole[: len(whole) // 2]))
        self.refuse_picture("the PNG is damaged", self.write("head.png", whole[:20]))
        self.refuse_picture("the PNG is damaged", self.write("short.png", png(40, 30, lines=b"\0" * 200)))
        self.refuse_picture("the PNG is damaged", self.write("none.png", png(0, 30, lines=b"")))
        self.refuse_picture("a picture of 60000 x 60000 pixels has more than the 67108864", self.write("huge.png", png(60000, 60000, lines=b"")))
        self.refuse_picture("the PNG is damaged", self.write("claim.png", png(8000, 8000, lines=b"\0")))
        self.refuse_picture("the PNG is damaged", self.write("large.png", png(2**31 - 1, 2**31 - 1, lines=b"")))
        self.refuse_picture("the PNG has 16 bits a colour", self.write("deep.png", png(5, 4, depth=16)))
        palette = chunk(b"PLTE", bytes(3 * 256))
        self.refuse_picture("the PNG has a palette", self.write("palette.png", png(5, 4, colour=3, extra=palette)))
        self.refuse_picture("the PNG is transparent in places", self.write("alpha.png", png(5, 4, colour=6)))
        self.refuse_picture("the PNG is transparent in places", self.write("key.png", png(5, 4, extra=chunk(b"tRNS", bytes(6)))))

    @unittest.skipUnless("jpeg" in FORMATS, "libjpeg was not found")
    def test_jpegs(self):
        self.refuse_picture("the JPEG has the four colours of print (CMYK)", self.write("print.jpg", jpeg(8, 8, 4)))
        self.refuse_picture("a picture of 65000 x 65000 pixels has more than", self.write("huge.jpg", jpeg(65000, 65000)))
        for name, content in {
            "none.jpg": jpeg(0, 8),
            "deep.jpg": jpeg(8, 8, bits=12),
            "pixels.jpg": jpeg(800, 800),
            "start.jpg": b"\xff\xd8\xff",
            "zeros.jpg": b"\xff\xd8\xff" + bytes(300),
            "ones.jpg": b"\xff" + b"\xd8" + b"\xff" * 300,
        }.items():
            self.refuse_picture("the JPEG is damaged", self.write(name, content))

    @unittest.skipIf("jpeg" in FORMATS, "libjpeg was found")
    def test_jpegs_without_libjpeg(self):
        self.refuse_picture("photo was built where libjpeg was not found", self.write("some.jpg", jpeg(8, 8)))

    def test_results_that_cannot_be_written(self):
        self.write("in.png", png(8, 8))
        parameters = self.parameters()
        for name in ("out.gif", "out", "out.png.txt", "."):
            self.refused(f"'{name}': a picture's name ends in its format", "apply", "in.png", name, "--parameters", parameters)
        self.refused("cannot be written to nowhere/out.png", "apply", "in.png", "nowhere/out.png", "--parameters", parameters)
        (self.folder / "folder.png").mkdir()
        self.refused("cannot be written to folder.png", "apply", "in.png", "folder.png", "--parameters", parameters)
        self.refused("--output 'in.png' cannot be made a folder", "train", "in.png", "--output", "in.png")
        self.refused("--output 'in.png/out' cannot be made a folder", "train", "in.png", "--output", "in.png/out")
        self.refused("'both.bmp': a picture's name ends in its format", "train", "in.png", "--comparison", "both.bmp")
        self.write("other.png", png(8, 9))
        self.refused("has 8 x 9 pixels and 'in.png' has 8 x 8", "train", "in.png", "--target", "other.png")

    def test_parameters(self):
        self.write("in.png", png(8, 8))

        def refuse(sentence, name="parameters.json"):
            self.refused(sentence, "apply", "in.png", "out.png", "--parameters", name)

        refuse("The parameters 'none.json' cannot be read", "none.json")
        refuse("The parameters '.' cannot be read", ".")
        refuse("The parameters 'in.png' are no JSON object", "in.png")
        refuse("are no JSON object", self.write("list.json", b"[1, 2]"))
        refuse("'spread' of the parameters 'few.json' is missing", self.write("few.json", b"{}"))
        self.parameters(spread=[1])
        refuse("'spread' of the parameters 'parameters.json' is a list of 2 numbers")
        self.parameters(sharpen=[1, "much"])
        refuse("'sharpen' of the parameters 'parameters.json' has \"much\", which is no number of 32 bits")
        self.parameters(coring=[1, 1e39])
        refuse("has 1e+39, which is no number of 32 bits")
        self.parameters(tone=[[0] * 9, [1] * 9])
        refuse("'tone' of the parameters 'parameters.json' is 3 lists")
        self.parameters(tone=[[0] * 9, [1] * 9, [1] * 8])
        refuse("Each of 'tone' of the parameters 'parameters.json' is a list of 9 numbers")
        self.parameters(more=1)
        refuse("have more than photo knows of")

    def test_wrong_words(self):
        self.write("in.png", png(8, 8))
        for words in (
            ["train"],
            ["apply", "in.png"],
            ["train", "in.png", "--steps", "0"],
            ["train", "in.png", "--format", "gif"],
            ["train", "in.png", "--threads", "0"],
            ["forget", "in.png"],
            [],
        ):
            result = self.run_photo(*words)
            self.assertEqual((result.returncode, result.stdout), (2, ""), words)
            self.assertNotEqual(result.stderr, "")
        self.assertIn("examples:", self.done("--help"))
        self.assertIn("--target", self.done("train", "--help"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
