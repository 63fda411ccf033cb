#!/usr/bin/env python3
"""The pages of --html in a real browser, used as a person would. Ends with status 77 where no Chromium is installed. A fifth argument: a folder to keep the pages and screenshots in."""

import html
import json
import pathlib
import re
import shutil
import subprocess
import sys

from eutectic_command import GENERATORS, Case, main

CHROMIUM = next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)
DOT = shutil.which("dot")
KEPT = pathlib.Path(sys.argv[5]) if len(sys.argv) > 5 else None

WATCH = """<script>
window.problems = [];
window.addEventListener("error", e => window.problems.push(String(e.message)), true);
</script>"""

# What a person would do, and what they would then see.
TOOLS = """<script>
const seen = {problems: window.problems};
const all = (selector, of = document) => [...of.querySelectorAll(selector)];
const shown = table => all("#" + table + " tbody tr").filter(r => r.offsetHeight > 0).map(r => r.id);
const sort = (table, name) => { all("#" + table + " th").find(h => h.textContent === name).click(); return shown(table); };
const filter = text => { const f = document.getElementById("filter"); f.value = text; f.dispatchEvent(new Event("input")); };
const widths = selector => all(selector).map(e => e.getBoundingClientRect().width);
"""
TOLD = """document.documentElement.setAttribute("data-seen", JSON.stringify(seen));
</script></body>"""

USE_EXPLAIN = TOOLS + """
seen.bars = widths("#traffic .fill");
seen.ascending = sort("ledger", "unfused");
seen.descending = sort("ledger", "unfused");
seen.edges = all("#graph g.edge.decision").map(e => {
    const line = e.querySelector("path"), style = getComputedStyle(line);
    return {id: e.id, colour: style.stroke, width: parseFloat(line.getAttribute("stroke-width") || 1)};
});
const drawn = document.getElementById("edge1");
if (drawn) {
    const grip = drawn.querySelector("path.grip"), where = grip.getPointAtLength(grip.getTotalLength() / 2).matrixTransform(grip.getScreenCTM());
    drawn.scrollIntoView();
    const now = grip.getPointAtLength(grip.getTotalLength() / 2).matrixTransform(grip.getScreenCTM());
    const hit = document.elementFromPoint(now.x, now.y);
    seen.hit = hit && hit.closest("g.edge") ? hit.closest("g.edge").id : null;
    if (hit) { hit.dispatchEvent(new MouseEvent("click", {bubbles: true})); }
}
seen.selected = all("tr.selected, g.selected").map(r => r.id).sort();
seen.detail = document.getElementById("detail").textContent;
document.getElementById("row0").click();
seen.clicked = all("tr.selected").map(r => r.id);
filter("in MEMORY");
seen.filtered = shown("ledger");
seen.count = document.getElementById("count").textContent;
filter("");
seen.groups = all("#groups tbody tr").length;
seen.parts = all("#groups .parts").map(p => all(".fill", p).reduce((sum, f) => sum + f.getBoundingClientRect().width, 0) / p.getBoundingClientRect().width);
seen.schedule = document.getElementById("schedule").textContent;
""" + TOLD

USE_COMPARE = TOOLS + """
seen.bars = all("#rows td.bar").map(c => all(".fill", c).map(f => f.getBoundingClientRect().width / c.clientWidth)[0] || 0);
seen.ascending = sort("rows", "median");
seen.descending = sort("rows", "median");
filter("root ok");
seen.filtered = shown("rows");
seen.schedulers = all("#schedulers tbody tr").map(r => [r.cells[0].textContent, r.cells[1].textContent]);
""" + TOLD

USE_TARGETS = TOOLS + """
seen.cells = all("#funcs tbody tr").map(r => [...r.cells].map(c => c.textContent));
seen.colours = all("#funcs td.decision").map(c => [c.textContent.split(" of ")[0], getComputedStyle(c).color]);
filter("differs");
seen.filtered = shown("funcs");
filter("");
document.getElementById("row0").click();
seen.detail = all("#detail li").map(l => l.textContent);
seen.bars = all("#targets td.bar").map(c => all(".fill", c)[0].getBoundingClientRect().width / c.clientWidth);
""" + TOLD


class Browser(Case):
    def browse(self, name, use):
        """What the page shows to one who uses it so."""
        page = self.folder / f"{name}.html"
        text = page.read_text()
        used = self.folder / f"{name}.used.html"
        used.write_text(text.replace("<head>", "<head>" + WATCH, 1).replace("</body>", use, 1))
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self.folder}/profile", "--window-size=1400,1600", "--enable-logging=stderr", "--v=0"]
        result = subprocess.run([*command, "--dump-dom", used.as_uri()], capture_output=True, text=True, timeout=120)
        self.assertEqual([line for line in result.stderr.splitlines() if "CONSOLE" in line], [])
        if KEPT:
            subprocess.run([*command, f"--screenshot={KEPT / name}.png", page.as_uri()], capture_output=True, check=True, timeout=120)
            shutil.copy(page, KEPT)
        seen = json.loads(html.unescape(re.search(r'data-seen="([^"]*)"', result.stdout).group(1)))
        self.assertEqual(seen["problems"], [])
        return seen

    def explained(self, generator):
        report = self.report(GENERATORS, "-g", generator, "--html", f"{generator}.html")
        return self.browse(generator, USE_EXPLAIN), report

    def test_a_browser_that_sees_errors(self):
        (self.folder / "bad.html").write_text("<html><head></head><body><script>nothing.here();</script></body></html>")
        with self.assertRaises(AssertionError):
            self.browse("bad", TOOLS + TOLD)

    def test_explain(self):
        for generator in ("attention", "mlp_loss_backward"):
            with self.subTest(generator):
                seen, report = self.explained(generator)
                edges, traffic = report["edges"], report["traffic"]
                rows = {n: [edges[int(r[3:])]["unfused_bytes"] for r in seen[n]] for n in ("ascending", "descending")}
                self.assertEqual(rows["ascending"], sorted(e["unfused_bytes"] for e in edges))
                self.assertEqual(rows["descending"], rows["ascending"][::-1])
                self.assertEqual(set(seen["filtered"]), {f"row{i}" for i, e in enumerate(edges) if "in memory" in e["decision"] + e["reason"] + json.dumps(e["runner_up"])})
                self.assertEqual(seen["count"], f"{len(seen['filtered'])} of {len(edges)} edges")
                self.assertEqual(seen["clicked"], ["row0"])
                for width, key in zip(seen["bars"], ("unfused_bytes", "fused_bytes", "caller_read_bytes")):
                    self.assertAlmostEqual(width / seen["bars"][0], traffic[key] / traffic["unfused_bytes"], delta=0.01)
                self.assertEqual(seen["groups"], len(report["groups"]))
                for share in seen["parts"]:
                    self.assertAlmostEqual(share, 1, delta=0.02)
                self.assertEqual(seen["schedule"], report["schedule"])
                if DOT:
                    self.check_graph(seen, edges)

    def check_graph(self, seen, edges):
        self.assertEqual(sorted(e["id"] for e in seen["edges"]), sorted(f"edge{i}" for i in range(len(edges))))
        colours = {}
        most = max(e["unfused_bytes"] for e in edges)
        for drawn in seen["edges"]:
            edge = edges[int(drawn["id"][4:])]
            colours.setdefault(edge["decision"], set()).add(drawn["colour"])
            self.assertAlmostEqual(drawn["width"], max(1, 12 * edge["unfused_bytes"] / most), delta=0.01)
        self.assertEqual([len(c) for c in colours.values()], [1] * len(colours))
        self.assertEqual(len(set.union(*colours.values())), len(colours))
        self.assertEqual(seen["hit"], "edge1")
        self.assertEqual(seen["selected"], ["edge1", "row1"])
        self.assertTrue(seen["detail"].startswith(f"{edges[1]['producer']} → {edges[1]['consumer']}: {edges[1]['decision']}"), seen["detail"])

    def test_targets(self):
        targets = "x86-64-linux-avx2-fma,x86-64-linux-cuda-cuda_capability_80,x86-64-linux-opencl"
        told = json.loads(self.done("explain", GENERATORS, "-g", "mlp", "--targets", targets, "--json", "--html", "targets.html"))
        funcs, seen = told["funcs"], self.browse("targets", USE_TARGETS)
        self.assertEqual([row[0] for row in seen["cells"]], [f["func"] for f in funcs])
        self.assertEqual([row[1:4] for row in seen["cells"]], [[p["decision"] + ((", in the nest of " if p["decision"] == "in memory" else " of ") + p["of"] if p["of"] else "") for p in f["places"]] for f in funcs])
        self.assertEqual(set(seen["filtered"]), {f"row{i}" for i, f in enumerate(funcs) if f["differs"]})
        self.assertEqual(len(set(map(tuple, seen["colours"]))), len({decision for decision, _ in seen["colours"]}))
        self.assertEqual(len(seen["detail"]), 3)
        for said, place in zip(seen["detail"], funcs[0]["places"]):
            self.assertTrue(said.endswith(place["reason"]), said)
        slowest = max(t["total_seconds"] for t in told["targets"])
        for bar, t in zip(seen["bars"], told["targets"]):
            self.assertEqual(bar > 0.8, t["total_seconds"] == slowest)

    def test_compare(self):
        for n in (64, 96):
            self.done("explain", GENERATORS, "-g", "softmax", f"rows={n}", "cols=128", "--save", f"p{n}.hlpipe")
        result = self.run_command("compare", "p64.hlpipe", "p96.hlpipe", "--against", "root,Anderson2021", "--seconds", 0.01, "--json", "--html", "compare.html")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        rows = json.loads(result.stdout)["rows"]
        seen = self.browse("compare", USE_COMPARE)
        medians = [rows[int(r[3:])]["seconds"] for r in seen["ascending"]]
        timed = sorted(r["seconds"] for r in rows if r["seconds"])
        self.assertEqual(medians, timed + [None] * 2)
        self.assertEqual([rows[int(r[3:])]["seconds"] for r in seen["descending"]], timed[::-1] + [None] * 2)
        self.assertEqual(set(seen["filtered"]), {f"row{i}" for i, r in enumerate(rows) if r["scheduler"] == "root"})
        for row, bar in zip(rows, seen["bars"]):
            slowest = max(r["seconds"] or 0 for r in rows if r["file"] == row["file"])
            self.assertAlmostEqual(bar > 0, row["seconds"] is not None)
            if row["seconds"] == slowest:
                self.assertGreater(bar, 0.8)
        self.assertEqual([name for name, _ in seen["schedulers"]], ["eutectic", "root", "Anderson2021"])
        self.assertEqual(seen["schedulers"][0][1], "1.00")
        self.assertEqual(seen["schedulers"][2][1], "–")


if __name__ == "__main__":
    if not CHROMIUM:
        sys.exit(77)
    main()
