"use strict";
// What the pages share: the data, units, and a table that is sorted by a click on a head and filtered by words.
const data = JSON.parse(document.getElementById("data").textContent);

function bytes(n) {
    if (n === null) { return "–"; }
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let u = 0;
    while (Math.abs(n) >= 1024 && u < units.length - 1) { n /= 1024; u++; }
    return (u === 0 ? n : Math.abs(n) < 1000 ? n.toPrecision(3) : Math.round(n)) + " " + units[u];
}
function seconds(s) {
    if (s === null) { return "–"; }
    const [factor, unit] = Math.abs(s) >= 1 ? [1, "s"] : Math.abs(s) >= 1e-3 ? [1e3, "ms"] : Math.abs(s) >= 1e-6 ? [1e6, "us"] : [1e9, "ns"];
    const value = s * factor;
    return (Math.abs(value) < 999.5 ? value.toPrecision(3) : Math.round(value)) + " " + unit;
}
function count(n) { return n === null ? "–" : n.toLocaleString("en"); }
function percent(share) { return Math.round(100 * share) + " %"; }

function element(name, text, className) {
    const e = document.createElement(name);
    if (text !== undefined) { e.textContent = text; }
    if (className) { e.className = className; }
    return e;
}
/** A bar as long as this share of its place. */
function fill(share, className) {
    const e = element("div", undefined, className ? "fill " + className : "fill");
    e.style.width = 100 * share + "%";
    return e;
}

/** Columns: {name, value: of an item, to sort by; null comes last, text: of that value, what is shown, className, cell: what else to do with the cell, of cell and item}. `filter`, `counter`: ids of
 *  the input and of the text beside it, or nothing. Returns the rows, in the items' order. */
function sortableTable(table, columns, items, noun, filter, counter) {
    const body = table.createTBody();
    const rows = items.map(item => {
        const row = element("tr");
        for (const c of columns) {
            const value = c.value(item), cell = element("td", c.text ? c.text(value) : value === null ? "–" : value, c.className);
            if (c.cell) { c.cell(cell, item); }
            row.append(cell);
        }
        return row;
    });
    body.append(...rows);
    const heads = table.createTHead().insertRow();
    columns.forEach(c => {
        const th = element("th", c.name, "sorts");
        th.tabIndex = 0;
        const sort = () => {
            const sign = th.getAttribute("aria-sort") === "ascending" ? -1 : 1;
            for (const other of heads.cells) { other.removeAttribute("aria-sort"); }
            th.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
            const keys = items.map((item, i) => ({i, key: c.value(item)}));
            keys.sort((a, b) => a.key === b.key ? a.i - b.i : a.key === null ? 1 : b.key === null ? -1 : (a.key < b.key ? -1 : 1) * sign);
            body.append(...keys.map(k => rows[k.i]));
        };
        th.addEventListener("click", sort);
        th.addEventListener("keydown", e => { if (e.key === "Enter") { sort(); } });
        heads.append(th);
    });
    if (filter) {
        const input = document.getElementById(filter);
        const show = () => {
            const words = input.value.toLowerCase().split(/\s+/).filter(w => w);
            let shown = 0;
            for (const row of rows) {
                row.hidden = !words.every(w => row.textContent.toLowerCase().includes(w));
                shown += row.hidden ? 0 : 1;
            }
            document.getElementById(counter).textContent = `${shown} of ${rows.length} ${noun}`;
        };
        input.addEventListener("input", show);
        show();
    }
    return rows;
}
