#!/usr/bin/env python3
"""distributed: several ranks give the weights of one, a rank that is lost ends the job in a sentence, and what its checkpoint holds goes on."""

import array
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, LAUNCH = sys.argv[1], sys.argv[2]


def launch(*words, ranks=2):
    command = [sys.executable, "-B", LAUNCH, PROGRAM, "-n", str(ranks), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def ranks_of(launcher):
    """The ids of the ranks' processes, once mpirun has started them."""

    def children(pid):
        with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
            return [int(word) for word in file.read().split()]

    return [rank for mpirun in children(launcher.pid) for rank in children(mpirun)]


class Checkpoint:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.header = json.loads(file.readline())
            self.values = array.array("f", file.read())


class Distributed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name):
        return os.path.join(self.folder, name)

    def train(self, ranks, *words):
        result = launch("--json", *words, ranks=ranks)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def test_strict_gives_the_bits_of_one_process(self):
        for words in (["--epochs", 2], ["--epochs", 1, "--batch", 50, "--shards", 7, "--seed", 3]):
            alone = subprocess.run([PROGRAM, "--json", "--numerics", "strict", *map(str, words)], capture_output=True, text=True)
            self.assertEqual(alone.returncode, 0, alone.stderr)
            alone = json.loads(alone.stdout)
            for ranks in (1, 2, 3, 4):
                made = self.train(ranks, "--numerics", "strict", *words)
                self.assertEqual(made["ranks"], ranks)
                for key in ("weights", "losses", "test_accuracy", "updates"):
                    self.assertEqual(made[key], alone[key], (ranks, key))
        self.assertGreater(alone["losses"][0], 0)

    def test_fast_gives_the_weights_of_one_process_within_1e_5(self):
        weights = {}
        for ranks in (1, 2, 3, 4):
            path = self.file("fast%d" % ranks)
            self.train(ranks, "--epochs", 1, "--checkpoint", path)
            weights[ranks] = Checkpoint(path)
        for ranks in (2, 3, 4):
            furthest = max(abs(a - b) for a, b in zip(weights[1].values, weights[ranks].values))
            self.assertLess(furthest, 1e-5, ranks)
        # Sums of three ranks are in another order: were the bits the same, strict would show nothing above.
        self.assertNotEqual(weights[1].header["hash"], weights[3].header["hash"])

    def test_the_report(self):
        made = self.train(2, "--epochs", 1, "--links")
        self.assertEqual(
            [(bucket["boundary"], sorted(bucket["gradients"])) for bucket in made["buckets"]],
            [("d_logits", ["d_b3", "d_w3"]), ("d_z2", ["d_b2", "d_w2"]), ("d_z1", ["d_b1", "d_w1"])],
        )
        self.assertEqual([bucket["bytes"] for bucket in made["buckets"]], [4 * (1280 + 10 + 1), 4 * (256 * 128 + 128), 4 * (64 * 256 + 256)])
        self.assertTrue(all(link["seconds"] > 0 for link in made["links"]))
        times, cores = made["times"], len(os.sched_getaffinity(0))
        if cores < 2:
            self.assertIsNone(times)
        else:
            self.assertIsNone(made["not_measured"])
            self.assertTrue(0 <= times["overlap"] <= 1)
            self.assertAlmostEqual(times["efficiency"], times["lone_step_seconds"]["quiet"] / (2 * made["step_seconds"]["quiet"]))
            for part in ("forward", "backward", "update", "communication"):
                self.assertGreater(times[part + "_seconds"]["quiet"], 0, part)
            self.assertAlmostEqual(times["overlap"], min(1, max(0, 1 - times["exposed_seconds"]["median"] / times["communication_seconds"]["median"])))
            self.assertGreater(times["shard_backward_whole_seconds"], 0)
            self.assertAlmostEqual(times["shard_backward_seconds"], sum(times["shard_backward_pieces_seconds"]))
        self.assertGreater(made["step_seconds"]["quiet"], 0)
        self.assertGreaterEqual(made["step_seconds"]["median"], made["step_seconds"]["quiet"])
        crowd = launch("--epochs", 1, "--shards", cores + 1, ranks=cores + 1)
        self.assertIn("overlap and efficiency: not measured, %d ranks share %d core" % (cores + 1, cores), crowd.stdout)
        self.assertIn("d_z2: d_w2 d_b2, 128 KiB", crowd.stdout)

    def start(self, ranks, *words):
        command = [sys.executable, "-B", LAUNCH, PROGRAM, "-n", str(ranks), *map(str, words)]
        job = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(job.stderr.close)
        return job

    def wait_for(self, path, job):
        give_up = time.time() + 60
        while not os.path.exists(path) and time.time() < give_up and job.poll() is None:
            time.sleep(0.01)
        self.assertTrue(os.path.exists(path), path)

    def test_a_rank_that_is_killed_ends_the_job_and_its_checkpoint_goes_on(self):
        chance = random.Random()
        for numerics in ("strict", "fast"):
            path = self.file("state-" + numerics)
            job = self.start(3, "--numerics", numerics, "--epochs", 100000, "--checkpoint", path, "--every", 7)
            self.wait_for(path, job)
            time.sleep(chance.uniform(0, 0.3))
            ranks = ranks_of(job)
            self.assertEqual(len(ranks), 3)
            os.kill(chance.choice(ranks), signal.SIGKILL)
            errors = job.communicate(timeout=60)[1]
            self.assertEqual(job.returncode, 3, errors)
            self.assertEqual(errors.count("\n"), 1, errors)
            self.assertRegex(errors, r"^scripts/distributed: rank \d on \S+ was ended by signal 9 \(Killed\), and the job with it; ")
            self.assertRegex(errors, r"'%s' stands at epoch \d+, step \d+: go on with scripts/distributed -n 3 .*--resume %s\.$" % (path, path))
            stands = Checkpoint(path).header
            epochs = stands["epoch"] + 1
            resumed = self.train(2, "--resume", path, "--epochs", epochs, "--checkpoint", self.file("end"))
            whole = self.train(1, "--numerics", numerics, "--epochs", epochs, "--checkpoint", self.file("whole"))
            self.assertEqual(resumed["updates"], whole["updates"])
            if numerics == "strict":
                self.assertEqual(resumed["weights"], whole["weights"])
                self.assertEqual(resumed["losses"][-1], whole["losses"][-1])
            self.assertAlmostEqual(resumed["losses"][-1], whole["losses"][-1], places=3)

    def test_a_rank_that_does_not_answer_is_lost(self):
        path = self.file("state")
        job = self.start(2, "--epochs", 100000, "--checkpoint", path, "--patience", 3)
        self.wait_for(path, job)
        os.kill(ranks_of(job)[1], signal.SIGSTOP)
        errors = job.communicate(timeout=60)[1].splitlines()
        self.assertEqual(job.returncode, 3, errors)
        self.assertEqual(len(errors), 2, errors)
        self.assertRegex(errors[0], r"^distributed: rank \d: (the sum of a bucket|a comparison of ranks) has been waited for for 3 s, and a rank does not answer$")
        self.assertIn("go on with scripts/distributed -n 2 ", errors[1])

    def test_without_a_checkpoint_the_sentence_says_so(self):
        job = self.start(2, "--epochs", 100000)
        give_up = time.time() + 60
        while len(ranks_of(job)) < 2 and time.time() < give_up:
            time.sleep(0.05)
        time.sleep(0.5)
        os.kill(ranks_of(job)[0], signal.SIGKILL)
        errors = job.communicate(timeout=60)[1]
        self.assertEqual(job.returncode, 3, errors)
        self.assertIn("there is no checkpoint to resume from; --checkpoint FILE writes one.", errors)

    def refused(self, words, said, ranks=2):
        result = launch(*words, ranks=ranks)
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertRegex(result.stderr, r"^(scripts/)?distributed: .*" + re.escape(said))

    def test_wrong_words(self):
        self.refused(["--shards", 1], "--shards 1 is too few for 2 ranks")
        self.refused(["--every", 3], "--every 3 says when to write a checkpoint, and none is asked for")
        self.refused(["--data", "nowhere"], "'nowhere': expected 64 pixels")
        self.refused(["--checkpoint", "nowhere/state"], "The checkpoint cannot be written to nowhere/state")
        self.refused(["--resume", "nowhere"], "'nowhere' was given as a checkpoint of distributed, and cannot be read")
        self.refused(["--numerics", "exact"], "exact not in {fast,strict}")
        self.refused(["--reduce", "nccl", "--numerics", "strict"], "NCCL adds up in an order of its own")
        self.refused(["--epochs", 0], "--epochs")
        self.refused(["--sead", 1], "--sead")
        self.refused([], "-n takes a number of ranks from 1 to 9999 and was given '0'", ranks=0)

    def test_nccl(self):
        """Where it is built in, and there are GPUs for two ranks, it gives the weights of one; elsewhere it says what it lacks."""
        result = launch("--reduce", "nccl", "--json", "--epochs", 1, "--checkpoint", self.file("nccl"))
        if result.returncode != 0:
            self.refused(["--reduce", "nccl"], "--reduce nccl was asked for, and ")
            self.assertRegex(result.stderr, "built without NCCL|needs a GPU for each of the 2 ranks of this machine")
            return
        self.assertEqual(json.loads(result.stdout)["reduction"], "all-reduced by NCCL")
        self.train(1, "--epochs", 1, "--checkpoint", self.file("alone"))
        furthest = max(abs(a - b) for a, b in zip(Checkpoint(self.file("nccl")).values, Checkpoint(self.file("alone")).values))
        self.assertLess(furthest, 1e-5)

    def test_what_does_not_go_on(self):
        path = self.file("state")
        self.train(2, "--epochs", 1, "--checkpoint", path)
        self.refused(["--resume", path, "--epochs", 1], "stands at the end of epoch 1, and --epochs is 1")
        self.refused(["--resume", path, "--shards", 4], "--shards is another than that of the checkpoint")
        self.refused(["--resume", path, "--numerics", "strict"], "--numerics is another than that of the checkpoint")
        few = self.file("few.csv")
        with open(few, "w") as file:
            file.writelines(",".join(["3"] * 64 + [str(i % 10)]) + "\n" for i in range(40))
        self.refused(["--resume", path, "--data", few], "was trained on other data than")
        with open(path, "r+b") as file:
            file.seek(-100, os.SEEK_END)
            file.write(b"damaged")
        self.refused(["--resume", path], "what follows its first line is damaged")
        # Batches smaller than the shards are many: some shards are empty.
        few = ["--data", few, "--shards", 40, "--numerics", "strict", "--epochs", 2]
        self.assertEqual(self.train(1, *few)["weights"], self.train(3, *few)["weights"])

    def test_help(self):
        result = launch("--help")
        self.assertEqual(result.returncode, 0)
        self.assertIn("examples:", result.stdout)
        result = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0)
        self.assertIn("exit status: 0 trained", result.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
