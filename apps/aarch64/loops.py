"""Innermost loops of AArch64 assembly as LLVM writes it, and what their instructions are.

LLVM's comments say which blocks are a loop: "Inner Loop Header" at its first, "in Loop: Header=BB0_3" at the others; and what is spilled.
"""

import re

LABEL = re.compile(r"^\.L(BB\d+_\d+):|^// %bb\.\d+:")
HEADER = re.compile(r"Inner Loop Header: Depth=(\d+)")
MEMBER = re.compile(r"in Loop: Header=(BB\d+_\d+)")
INSTRUCTION = re.compile(r"^\t([a-z][a-z0-9.]*)(?:\t([^/]*))?")

# Products that are added to what a register holds, in vectors and in scalars of floating point. Where integers in vectors are multiplied
# and added apart, the multiplication stands for both. Of integers in scalars (mul, madd) there are only addresses in these kernels.
MULTIPLY_ADD = re.compile(r"^(fmla|fmls|fmlal2?|fmlsl2?|mla|mls|[su]mlal2?|[su]mlsl2?|[su]dot|usdot|sudot|bfdot|bfmmla|[su]mmla|usmmla|fn?madd|fn?msub)$")
MULTIPLY = re.compile(r"^(mul|[su]mull2?)$")
# How many products one element of the result sums.
PRODUCTS = {"sdot": 4, "udot": 4, "usdot": 4, "sudot": 4, "bfdot": 2, "bfmmla": 4, "smmla": 8, "ummla": 8, "usmmla": 8}
ELEMENTS = re.compile(r"^\s*[vzq]\d+\.(\d+)[bhsd]")
# Between vectors, within one, or from a scalar: what neither reads memory nor computes.
MOVES = re.compile(r"^(mov|movi|fmov|dup|ins|umov|smov|ext|zip[12]|uzp[12]|trn[12]|rev\d*|tbl)$")


class Instruction:
    """One line: its mnemonic, its operands as text, and whether LLVM says that it spills or reloads a register."""

    def __init__(self, mnemonic, operands, spill):
        self.mnemonic, self.operands, self.spill = mnemonic, operands, spill

    def __str__(self):
        return "\t%s\t%s" % (self.mnemonic, self.operands)

    def of_vectors(self):
        return bool(re.match(r"\s*\{?\s*[vqdsh]\d", self.operands))

    def products(self):
        """How many products it has; 0 if it is no multiply-add."""
        elements = ELEMENTS.match(self.operands)
        if not (MULTIPLY_ADD.match(self.mnemonic) or (elements and MULTIPLY.match(self.mnemonic))):
            return 0
        return int(elements[1]) * PRODUCTS.get(self.mnemonic, 1) if elements else 1


class Loop:
    """An innermost loop: its label, its depth, and the instructions of its blocks in the order of the text."""

    def __init__(self, label, depth):
        self.label, self.depth, self.instructions = label, depth, []

    def multiply_adds(self):
        return sum(1 for i in self.instructions if i.products())

    def text(self):
        return "\n".join(map(str, self.instructions)) + "\n"

    def counts(self):
        """{what: how many}; each instruction counts once, but those of spills also as loads and stores."""
        loads = [i for i in self.instructions if i.mnemonic.startswith("ld")]
        adds = [i for i in self.instructions if i.products()]
        return {
            "instructions": len(self.instructions),
            "multiply_adds": len(adds),
            "products": sum(i.products() for i in adds),
            "loads": len(loads),
            "broadcast_loads": sum(1 for i in loads if re.match(r"ld\d+r$", i.mnemonic)),
            "stores": sum(1 for i in self.instructions if i.mnemonic.startswith("st")),
            "spills": sum(1 for i in self.instructions if i.spill),
            "vector_moves": sum(1 for i in self.instructions if MOVES.match(i.mnemonic) and i.of_vectors()),
        }


def innermost_loops(text):
    """Of an assembly file, in its order."""
    loops, current = {}, None
    for line in text.split("\n"):
        label = LABEL.match(line)
        if label:
            current, name = None, label[1]
        header, member = HEADER.search(line), MEMBER.search(line)
        if header and name:
            current = loops.setdefault(name, Loop(name, int(header[1])))
        elif member:
            current = loops.get(member[1])
        instruction = INSTRUCTION.match(line)
        if instruction and current:
            spill = bool(re.search(r"Folded (Spill|Reload)", line))
            current.instructions.append(Instruction(instruction[1], (instruction[2] or "").strip(), spill))
    return list(loops.values())


def product_loops(text):
    """Those that multiply and add, with the fewest instructions for each first. That one is of whole tiles; the others are of edges, and of
    what else a kernel multiplies."""
    loops = [loop for loop in innermost_loops(text) if loop.multiply_adds()]
    return sorted(loops, key=lambda loop: (len(loop.instructions) / loop.multiply_adds(), -loop.multiply_adds()))
