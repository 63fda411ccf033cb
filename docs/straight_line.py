#!/usr/bin/env python3
"""Draws docs/straight-line.svg: the steps from a Halide pipeline to kernels, with one dense layer as the example.

usage: docs/straight_line.py > docs/straight-line.svg
"""

BOX_WIDTH, BOX_HEIGHT, GAP, TOP, LEFT = 146, 62, 62, 92, 20
INK, SOFT, ACCENT, PAPER, PLAIN, HALIDE = "#1f2933", "#52606d", "#b4540a", "#ffffff", "#fdf3e7", "#e8eef5"

# (name, what it is, the step that leads to the next one, the example's lines)
STEPS = [
    ("Pipeline", "Halide Funcs", "build", ["relu(x·w + b)", "no schedule"]),
    ("Graph", "stages, edges", "measure", ["matmul → bias → relu", "a contraction, two pointwise"]),
    ("Features", "flops, bytes, tiles", "plan", ["25.7 M multiply-adds", "128 KiB an intermediate"]),
    ("FusionPlan", "where each Func lives", "emit", ["bias, relu: inside the", "matmul's register tile"]),
    ("Schedule", "a list of directives", "", ["tile, vectorize, unroll,", "compute_at, parallel"]),
]


def text(x, y, words, size=13, color=INK, weight="normal", anchor="middle"):
    return (f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{color}" font-weight="{weight}" '
            f'text-anchor="{anchor}">{words}</text>')


def box(x, y, name, what, fill):
    middle = x + BOX_WIDTH / 2
    return [f'<rect x="{x}" y="{y}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="7" fill="{fill}" stroke="{INK}"/>',
            text(middle, y + 27, name, 16, weight="bold"), text(middle, y + 47, what, 12, SOFT)]


def arrow(x1, y1, x2, y2, dashed=False):
    dash = ' stroke-dasharray="4 3"' if dashed else ""
    return f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{INK}" stroke-width="1.5"{dash} marker-end="url(#tip)"/>'


def draw():
    pitch = BOX_WIDTH + GAP
    last = LEFT + len(STEPS) * pitch
    width, height = last + BOX_WIDTH + LEFT, 258
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="Helvetica, Arial, sans-serif">',
        "<title>The straight line: Pipeline, Graph, Features, FusionPlan, Schedule, then kernels and a report</title>",
        f'<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto">'
        f'<path d="M0 0 L10 5 L0 10 z" fill="{INK}"/></marker></defs>',
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
    ]
    middle_y = TOP + BOX_HEIGHT / 2
    for place, (name, what, step, example) in enumerate(STEPS):
        x = LEFT + place * pitch
        parts += box(x, TOP, name, what, PLAIN if place else HALIDE)
        parts += [text(x + BOX_WIDTH / 2, TOP + BOX_HEIGHT + 26 + 18 * row, line, 12, ACCENT) for row, line in enumerate(example)]
        if step:
            parts += [arrow(x + BOX_WIDTH + 3, middle_y, x + pitch - 3, middle_y),
                      text(x + BOX_WIDTH + GAP / 2, middle_y - 9, step, 12, SOFT)]

    # What the planner asks: seconds on a machine.
    plan_x = LEFT + 2 * pitch + BOX_WIDTH + GAP / 2
    parts += [text(plan_x, 28, "Machine and cost model: seconds, in named parts", 12, SOFT),
              arrow(plan_x, 38, plan_x, middle_y - 26, dashed=True)]

    # The one list is applied to the Funcs and printed for the reader.
    end = LEFT + (len(STEPS) - 1) * pitch + BOX_WIDTH
    upper, lower = TOP - 52, TOP + 52
    parts += box(last, upper, "Kernels", ".a and .h, no libHalide", HALIDE)
    parts += box(last, lower, "Report", "what fused, and why", PLAIN)
    parts += [arrow(end + 3, middle_y - 6, last - 3, upper + BOX_HEIGHT / 2), arrow(end + 3, middle_y + 6, last - 3, lower + BOX_HEIGHT / 2),
              text(end + 18, middle_y - 36, "apply", 12, SOFT), text(end + 18, middle_y + 44, "print", 12, SOFT)]

    # What is plain data.
    first, stop = LEFT + pitch, LEFT + len(STEPS) * pitch - GAP
    line_y = TOP + BOX_HEIGHT + 66
    parts += [f'<path d="M{first} {line_y} v6 H{stop} v-6" fill="none" stroke="{SOFT}"/>',
              text((first + stop) / 2, line_y + 24, "plain data: printable, compared as text, tested without compiling a pipeline", 12, SOFT)]
    return "\n".join(parts + ["</svg>"]) + "\n"


if __name__ == "__main__":
    print(draw(), end="")
