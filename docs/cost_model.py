#!/usr/bin/env python3
"""Writes the tables of docs/cost-model.md from the sources: src/machine/fields.cpp and machine.h, the processors' files, gpu_fields.cpp,
gpu.h, gpu_presets.cpp and libraries.cpp.

    docs/cost_model.py            rewrite the tables
    docs/cost_model.py --check    exit 1 if a table is not what the sources say, or a name on the page is none of theirs
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/cost-model.md"
MACHINE = ROOT / "src/machine"
PROCESSORS = MACHINE / "processors"
REFERENCE = "zen4"
OF_TARGET = ("cores", "vector_bits", "vector_registers")  # have no value of a processor

TEXT = r'"((?:[^"\\]|\\.)*)"'


def number(expression):
    """The value of what C++ writes: 128 * 1024, Bytes{32} << 20, 1.7e-10."""
    expression = re.sub(r"Bytes\{(\d+)\}", r"\1", expression)
    expression = expression.replace("KiB", "1024").replace("MiB", "1048576").replace("false", "0")
    if not re.fullmatch(r"[-+*/<() \d.e]+", expression):
        raise ValueError(expression)
    return eval(expression)  # noqa: S307: numbers and operators alone, of our own sources


def told(value):
    if value is None:
        return ""
    return f"{int(value):,}" if value == int(value) and value < 1e9 else f"{value:.6g}"


def joined(text):
    """Adjacent literals of C++ as one."""
    return re.sub(r'"\s*"', "", text)


def fields(path, origins):
    """(key, unit, origin, what) of a list of fields; origin is empty where the list has none."""
    pattern = r"\{" + TEXT + r", " + TEXT + r", [^,]+, [^,]+, (?:true|false), " + (r"O::(\w+),\s*" if origins else r"()\s*") + TEXT + ","
    return re.findall(pattern, re.sub(r"\s+", " ", joined(path.read_text())))


def typed_fields():
    text = re.sub(r"\s+", " ", joined((ROOT / "src/base/typed_operation.cpp").read_text()))
    return [(key, "cycles", "measured", what) for key, what in re.findall(r"\{" + TEXT + r", \d+, \w+, \w+, " + TEXT + r"\}", text)]


def machine_fields():
    """Those of fields.cpp, in its order, with those of types where they belong."""
    own = fields(MACHINE / "fields.cpp", True)
    after = next(i for i, field in enumerate(own) if field[0] == "libm_seconds") + 1
    return own[:after] + typed_fields() + own[after:]


def defaults(path):
    """Member -> value, of those that have one in the class."""
    text = re.sub(r"//.*", "", path.read_text())
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    found = {}
    for name, value in re.findall(r"^\s*(?:int|double|Bytes|Seconds|bool)\s+(\w+)\s*=\s*([^;]+);", text, re.MULTILINE):
        try:
            found.setdefault(name, number(" ".join(value.split())))
        except ValueError:
            pass
    return found


def processor(name):
    """(what it says of itself, {key: value}, [(keys, comment)]) of a file alone."""
    head, values, notes = {}, {}, []
    block, keys, in_head = [], [], True

    def end():
        if block and keys:
            notes.append((list(keys), " ".join(block)))

    for line in (PROCESSORS / f"{name}.txt").read_text().split("\n"):
        if not line.strip():
            end()
            block, keys, in_head = [], [], False
            continue
        if line.startswith("#"):
            if keys:
                end()
                block, keys = [], []
            block.append(line.lstrip("# "))
            continue
        text, _, comment = line.partition("#")
        key, value = text.split(None, 1)
        if key in ("name", "arch", "like", "llvm", "tunes", "vectors", "measured"):
            head[key] = value.strip()
            continue
        values[key] = float(value)
        if comment:
            notes.append(([key], comment.strip()))
            end()
            block, keys = [], []
        elif block and not in_head:
            keys.append(key)
    end()
    return head, values, notes


def inherited(name):
    head, values, _ = processor(name)
    while "like" in head:
        head, more, _ = processor(head["like"])
        values = {**more, **values}
    return values


def constants():
    values, of_class = inherited(REFERENCE), defaults(MACHINE / "machine.h")
    yield "| key | unit | Zen 4 | where it comes from | what |"
    yield "|---|---|---|---|---|"
    for key, unit, origin, what in machine_fields():
        value = None if key in OF_TARGET else values.get(key, of_class.get(key))
        yield f"| `{key}` | {unit} | {told(value)} | {origin} | {what} |"


def notes():
    yield "| keys | note |"
    yield "|---|---|"
    for keys, note in processor(REFERENCE)[2]:
        yield f"| {', '.join(f'`{k}`' for k in keys)} | {note.replace('|', '/')} |"


def processors():
    shown = ("hertz", "datapath_bits", "vector_ops_per_cycle", "fma_latency_cycles", "l1_bytes", "l2_bytes", "l3_bytes", "memory_bytes_per_second")
    yield "| file | processor | targets with `tune_` | measured | rates for vectors of | " + " | ".join(f"`{k}`" for k in shown) + " |"
    yield "|---|---|---|---|---|" + "---|" * len(shown)
    for path in sorted(PROCESSORS.glob("*.txt")):
        if path.stem != "families":
            head, values = processor(path.stem)[0], inherited(path.stem)
            yield (f"| [{path.stem}](../src/machine/processors/{path.name}) | {head['name']} | {', '.join(head.get('tunes', '').split())} | {head['measured']} | {head['vectors']} bits | "
                   + " | ".join(told(values.get(k)) for k in shown) + " |")


def families():
    yield "| target | planned for | and good on |"
    yield "|---|---|---|"
    for arch, bits, names in re.findall(r"^(\w+) (\d+): (.+)$", (PROCESSORS / "families.txt").read_text(), re.MULTILINE):
        first, *others = names.split()
        yield f"| {arch}, {bits} bits | {first} | {', '.join(others) or 'no other'} |"


def gpus():
    """Each preset's numbers: the class's, with what its function sets."""
    text = (MACHINE / "gpu_presets.cpp").read_text()
    made = {}
    for name, begin, body in re.findall(r"^Gpu (\w+)\(\) \{\n    Gpu g(?: = (\w+)\(\))?;\n(.*?)\n\}", text, re.MULTILINE | re.DOTALL):
        made[name] = {**made.get(begin, defaults(MACHINE / "gpu.h")), **{k: number(v) for k, v in re.findall(r"g\.(\w+) = ([^\";]+);", body)}}
    names = [name for name in made if name != "common"]
    yield "| key | unit | " + " | ".join(names) + " | what |"
    yield "|---|---|" + "---|" * len(names) + "---|"
    for key, unit, _, what in fields(MACHINE / "gpu_fields.cpp", False):
        yield f"| `{key}` | {unit} | " + " | ".join(told(made[n].get(key)) for n in names) + f" | {what} |"


def libraries():
    text = (MACHINE / "libraries.cpp").read_text()
    yield "| library | share of the peak of multiply-adds | bytes a second moved into its order | seconds a call |"
    yield "|---|---|---|---|"
    listed = re.findall(r"case Library::(\w+): return \{library, ([^,]+), ([^,]+), ([^}]+)\}", text)
    (eigen,) = re.findall(r"\n    return \{library, ([^,]+), ([^,]+), ([^}]+)\};", text)
    for name, *numbers in [*listed, ("eigen", *eigen)]:
        yield f"| `{name}` | " + " | ".join(told(float(n)) for n in numbers) + " |"


TABLES = {f.__name__: f for f in (constants, notes, processors, families, gpus, libraries)}


def rewritten(text):
    for name, rows in TABLES.items():
        begin, end = f"<!-- {name}: by docs/cost_model.py -->\n", f"<!-- end of {name} -->"
        before, rest = text.split(begin)
        text = before + begin + "\n" + "\n".join(rows()) + "\n\n" + end + rest.split(end, 1)[1]
    return text


def unknown_names(text):
    """Names with an underscore, in code of the page, that no source of the model has."""
    code = "\n".join(re.findall(r"```text\n(.*?)```", text, re.DOTALL)) + "\n".join(re.findall(r"`([^`\n]+)`", text))
    sources = "\n".join(p.read_text() for folder in ("src/cost", "src/machine", "src/fusion", "src/base", "schedules", "scripts", "docs")
                        for p in (ROOT / folder).rglob("*") if p.suffix in (".h", ".cpp", ".txt", "") and p.is_file())
    return sorted({name for name in re.findall(r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b", code) if not re.search(rf"\b{name}\b", sources) and name != "cost_model"})


def main(words):
    if set(words) - {"--check"}:
        print(__doc__)
        return 0 if words[0] in ("-h", "--help") else 2
    old = PAGE.read_text()
    new = rewritten(old)
    if not words:
        PAGE.write_text(new)
        return 0
    unknown = unknown_names(old)
    if unknown:
        print(f"docs/cost-model.md names {', '.join(unknown)}, which the sources do not.", file=sys.stderr)
        return 1
    if old != new:
        print("docs/cost-model.md has other numbers than the sources: run docs/cost_model.py.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
