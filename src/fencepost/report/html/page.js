"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const byId = id => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
document.documentElement.classList.add("script");

// Elements; text only ever enters as text.
function make(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key === "on") for (const [name, run] of Object.entries(value)) node.addEventListener(name, run);
    else if (value !== null && value !== false) node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}
function draw(tag, attributes, text) {
  const node = document.createElementNS(SVG, tag);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  if (text !== undefined) node.textContent = text;
  return node;
}
const plural = (n, one, many) => n === 1 ? one : many || one + "s";
const collator = new Intl.Collator(undefined, {numeric: true});
// Ties go to the even digit, as in the tables of the command line: 0.0625 is 0.062.
const fixed = (x, digits) => {
  const up = x.toFixed(digits), tie = /^50*$/.test(x.toFixed(60).split(".")[1].slice(digits));
  return tie && /[13579]$/.test(up) ? (x - Math.sign(x) * 10 ** -digits / 2).toFixed(digits) : up;
};

// Tables: sorted by their headers, searched, drawn some rows at a time.
const FIRST = 25, THEN = 200;
function sheet(box, table) {
  const tools = box.querySelector(".tools"), more = box.querySelector(".more button");
  const find = tools.querySelector("input"), said = tools.querySelector("output");
  const choose = tools.querySelector(".group"), head = box.querySelector("thead tr"), body = box.querySelector("tbody");
  const groups = [...new Set(table.groups.filter(g => g !== null))];
  const asGiven = () => table.rows.map((_, i) => i);
  const stacked = box.classList.contains("stacked");
  let sorted = -1, up = true, drawn = 0, order = asGiven(), found = order;
  const shown = () => table.cols.map((_, i) => i).filter(i => !groups.length || table.groups[i] === null || table.groups[i] === choose.querySelector("select").value);
  const cell = (value, i) => value === null ? "–" : table.num[i] === 2 ? fixed(value, table.digits) : String(value);
  if (groups.length > 1) {
    choose.hidden = false;
    choose.querySelector("select").append(...groups.map(g => make("option", {value: g}, g)));
    choose.addEventListener("change", () => { preset(); search(); });
  } else if (groups.length) choose.querySelector("select").append(make("option", {value: groups[0]}, groups[0]));
  function header() {
    head.replaceChildren(...shown().map(i => make("th", {
      scope: "col", class: table.num[i] ? "num" : null,
      "aria-sort": i === sorted ? (up ? "ascending" : "descending") : null,
    }, make("button", {type: "button", on: {click: () => sort(i)}}, table.cols[i] || "\u00a0"))));
  }
  // As a group of columns is sorted when it is first seen: the worst rows on top.
  function preset() {
    const at = table.sorts.findIndex(([group]) => group === null || group === choose.querySelector("select").value);
    sorted = at < 0 ? -1 : table.sorts[at][1];
    up = at < 0 || table.sorts[at][2];
    order = at > 0 ? ordered() : asGiven();
  }
  function ordered() {
    const i = sorted, turn = up ? 1 : -1;
    return asGiven().sort((a, b) => {
      const x = table.rows[a][i], y = table.rows[b][i];
      if (x === null || y === null) return (x === null) - (y === null) || a - b;
      const by = typeof x === "number" && typeof y === "number" ? x - y : collator.compare(x, y);
      return by * turn || a - b;
    });
  }
  function sort(i) {
    up = sorted === i ? !up : true;
    sorted = i;
    order = ordered();
    search();
    head.querySelectorAll("button")[shown().indexOf(i)].focus();
  }
  function search() {
    const word = find.value.trim().toLowerCase();
    found = word ? order.filter(k => table.rows[k].some(v => typeof v === "string" && v.toLowerCase().includes(word))) : order;
    drawn = 0;
    body.replaceChildren();
    header();
    rows();
  }
  function rows() {
    const columns = shown();
    for (const k of found.slice(drawn, drawn + (drawn ? THEN : FIRST))) {
      const row = table.rows[k], open = table.open[k] || null;
      const go = open && (() => view && view.open(open[0], open[1]));
      body.append(make("tr", open ? {class: "opens", on: {click: go}} : {}, ...columns.map((i, at) => {
        const text = make("bdi", {}, cell(row[i], i));
        if (at) return make("td", {class: table.num[i] ? "num" : table.long[i] ? "long" : null, "data-label": stacked ? table.cols[i] : null}, text);
        return make("th", {scope: "row", class: table.num[i] ? "num" : table.long[i] ? "long" : null}, open ? make("button", {type: "button"}, text) : text);
      })));
    }
    drawn = Math.min(found.length, drawn + (drawn ? THEN : FIRST));
    more.hidden = drawn >= found.length;
    const here = `${table.rows.length} ${plural(table.rows.length, "row")}` + (table.all > table.rows.length ? " on this page" : "");
    said.value = found === order ? `${drawn} of ${here}` : `${found.length} of ${here}` + (drawn < found.length ? `, the first ${drawn} shown` : "");
  }
  tools.hidden = false;
  find.addEventListener("input", search);
  more.addEventListener("click", rows);
  preset();
  search();
}

// The text view.
const WHATS = ["match", "near", "missing", "extra", "kind"];
const SAID = {match: "match", near: "near miss", missing: "missing", extra: "extra", kind: "other type"};
const MANY = {match: "matches", near: "near misses", kind: "other types"};
const FEW = 400; // of one sort in one lane: drawn with shapes; more are thin lines

function textView(T) {
  if (T.base) Object.assign(SAID, {missing: "only you", extra: "others, not you"});
  const stage = byId("stage"), detail = byId("detail"), tip = byId("tip"), words = byId("words"), list = byId("list");
  const pick = byId("text"), ordering = byId("order"), baseOf = byId("base"), ribbons = byId("ribbons");
  const checks = Object.fromEntries([...document.querySelectorAll("#filters input[value]")].filter(c => WHATS.includes(c.value)).map(c => [c.value, c]));
  let items = T.items, shown = [], item = null, base = 0, edits = [], all = [], from = 0, to = 1, chosen = null, lanes = [];
  byId("view").hidden = false;

  // What a pair of lanes holds, turned round where it was compared the other way.
  function unpack(pair, turned) {
    const [, , match, near, missing, extra] = pair, found = [];
    const add = (what, r, h, a, b, cost) => {
      if (turned) { [r, h, a, b] = [h, r, b, a]; if (what === "missing") what = "extra"; else if (what === "extra") what = "missing"; }
      found.push({what, r, h, a, b, cost});
    };
    if (match === null) {
      for (let i = 0; i < near.length; i += 6) add(WHATS[near[i]], near[i + 1], near[i + 2], near[i + 3], near[i + 4], near[i + 5]);
      return found;
    }
    for (const p of match) add("match", p, p, 0, 0, 0);
    for (let i = 0; i < near.length; i += 2) add("near", near[i], near[i + 1], 0, 0, T.costs["near" + Math.abs(near[i] - near[i + 1])]);
    for (const p of missing) add("missing", p, 0, 0, 0, T.costs.missing);
    for (const p of extra) add("extra", 0, p, 0, 0, T.costs.extra);
    return found;
  }
  function counts(one) {
    if (one.counts) return one.counts;
    const c = one.counts = {match: 0, near: 0, missing: 0, extra: 0, kind: 0};
    for (const [, , match, near, missing, extra] of one.p) {
      if (match === null) for (let i = 0; i < near.length; i += 6) c[WHATS[near[i]]]++;
      else { c.match += match.length; c.near += near.length / 2; c.missing += missing.length; c.extra += extra.length; }
    }
    return c;
  }

  // Which texts, in which order.
  function choose(keep) {
    const wanted = Object.keys(checks).filter(w => w !== "match" && checks[w].checked);
    const every = ["near", "missing", "extra", "kind"].every(w => checks[w].checked);
    shown = items.filter(one => every || wanted.some(w => counts(one)[w]));
    if (!shown.length) shown = items;
    const by = {worst: (a, b) => key(a) - key(b) || a.i - b.i, best: (a, b) => (b.v === null ? -1 : b.v) - (a.v === null ? -1 : a.v) || a.i - b.i, given: (a, b) => a.i - b.i}[ordering.value];
    shown.sort(by);
    pick.replaceChildren(...shown.map((one, k) => make("option", {value: k}, `${one.t.slice(0, 60)} (${one.v === null ? "–" : fixed(one.v, 3)})`)));
    const at = keep && shown.includes(keep) ? shown.indexOf(keep) : 0;
    pick.value = at;
    if (shown[at] !== item) show(shown[at]);
  }
  const key = one => one.v === null ? Infinity : one.v;

  function show(one) {
    item = one;
    const partners = new Map();
    for (const [a, b] of one.p) for (const lane of T.heat ? [a, b] : [a]) partners.set(lane, (partners.get(lane) || 0) + 1);
    const bases = [...partners.keys()].filter(lane => !T.heat || partners.get(lane) === one.l.length - 1).sort((a, b) => a - b);
    const names = one.l.map(l => T.names[l[0]]);
    const wanted = baseOf.dataset.name || T.base;
    base = bases.find(b => names[b] === wanted);
    if (base === undefined) base = bases[0] || 0;
    baseOf.replaceChildren(...bases.map(b => make("option", {value: b}, names[b])));
    baseOf.value = base;
    byId("base-label").hidden = bases.length < 2;
    from = 0; to = one.n; chosen = null;
    compare();
  }
  function compare() {
    lanes = []; all = [];
    item.p.forEach(pair => {
      const turned = pair[1] === base;
      if (pair[0] !== base && !turned) return;
      const lane = {index: turned ? pair[0] : pair[1], edits: unpack(pair, turned), edges: pair[6] || [], turned};
      lane.name = T.names[item.l[lane.index][0]];
      lanes.push(lane);
    });
    lanes.sort((a, b) => a.index - b.index);
    lanes.forEach((lane, k) => lane.edits.forEach(e => { e.lane = k; e.at = e.r || e.h; all.push(e); }));
    all.sort((a, b) => a.at - b.at || a.lane - b.lane);
    const c = {match: 0, near: 0, missing: 0, extra: 0, kind: 0};
    all.forEach(e => c[e.what]++);
    for (const what in checks) {
      const label = checks[what].closest("label");
      label.querySelector("output").value = c[what];
      if (what === "kind") label.hidden = !T.kinds.length;
    }
    filter();
  }
  function filter() {
    edits = all.filter(e => checks[e.what].checked);
    if (chosen && !edits.includes(chosen)) chosen = null;
    lister();
    redraw();
    tell(chosen);
  }

  // Drawing.
  const narrow = () => stage.clientWidth < 560;
  const LAST = T.rungs.length - 1, BAND = 7; // levels: a band for each but the finest
  const FLAG = LAST >= 0 ? BAND * LAST : T.kinds.length ? 13 : 0; // beside a strip, for the kinds of its cuts
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = "700 11px system-ui, sans-serif";
  const wide = text => pen.measureText(text).width + 2;
  const mark = k => k ? T.marks[k - 1] : "";
  const colour = k => "k" + (k - 1 + Math.floor((k - 1) / 8)) % 8;
  let margin = 0, width = 0, rowsAt = [];
  // Right of the strips: room for the type of a boundary at the end of the text.
  const tail = () => T.kinds.length && LAST < 0 ? 28 : 10;
  const X = p => margin + (p - from) / (to - from) * (width - margin - tail());
  const unX = x => from + (x - margin) / (width - margin - tail()) * (to - from);
  function redraw() {
    width = stage.clientWidth || 700;
    const longest = Math.max(...[T.heat ? "all annotators" : "", T.names[item.l[base][0]], ...lanes.map(l => l.name)].map(n => n.length));
    margin = narrow() ? 8 : Math.min(160, 16 + 7 * longest);
    // Names stand outside; what moves with zoom is cut off at both ends of the strips.
    const names = [], parts = [], step = (width - margin - tail()) / (to - from), over = narrow() ? 15 : 0;
    let y = 18;
    rowsAt = [];
    const strips = (index, y, high, down) => { if (high > 10) names.push(nameOf(index, y, over, down)); parts.push(...strip(index, y + (high > 10 ? over : 0), step, high, down)); };
    if (chosen) {
      const places = [chosen.r, chosen.h].filter(p => p);
      const x = X(Math.min(...places)) - 7;
      parts.push(draw("rect", {class: "mark", x, y: 0, width: X(Math.max(...places)) + 7 - x, height: "100%"}));
    }
    if (step < 17) names.push(...ruler());
    else y = 6;
    if (T.heat) {
      names.push(draw("text", {class: "name", x: narrow() ? margin : 4, y: y + 11}, "all annotators"));
      parts.push(...heat(y + over, step));
      y += 20 + over;
    }
    strips(base, y, 20);
    y += 20 + over + FLAG;
    const top = y;
    lanes.forEach((lane, k) => {
      if (k) { strips(base, y + 8, 6); y += 14 + FLAG; } // the same again, thin: the two compared stand together
      rowsAt.push([y, y + 50 + over + FLAG]);
      if (ribbons.checked) parts.push(...bands(lane, y, y + 30));
      parts.push(...between(lane, y, y + 30));
      strips(lane.index, y + 30, 20, LAST >= 0);
      y += 50 + over + FLAG;
    });
    item.l.forEach((_, index) => { // other references: shown, not compared
      if (index === base || lanes.some(l => l.index === index)) return;
      strips(index, y + 6, 20);
      y += 26 + over + FLAG;
    });
    const guides = item.l[base][1].filter(p => p >= from && p <= to);
    const d = thin(guides).map(x => `M${x} ${top}V${y}`).join("");
    if (guides.length <= FEW) parts.unshift(draw("path", {class: "guide", d}));
    y += 24; // for what is said of an edit of the last lane
    const svg = draw("svg", {viewBox: `0 0 ${width} ${y + 4}`, height: y + 4, role: "img", "aria-label": describe()});
    const hole = draw("clipPath", {id: "hole"}), moving = draw("g", {class: "moving", "clip-path": "url(#hole)"});
    hole.append(draw("rect", {x: margin, y: 0, width: width - margin - (to < item.n ? tail() : 0), height: y + 4}));
    moving.append(...parts);
    svg.append(hole, moving, ...names);
    stage.replaceChildren(svg);
    byId("range").value = `${T.unit}s ${Math.floor(from) + 1} to ${Math.ceil(to)} of ${item.n}`;
    reading();
  }
  function describe() {
    return `${item.t}: ${item.n} ${plural(item.n, T.unit)}, compared with ${T.names[item.l[base][0]]}. ` + lanes.map(l => {
      const c = {};
      l.edits.forEach(e => { c[e.what] = (c[e.what] || 0) + 1; });
      return `${l.name}: ` + (Object.entries(c).map(([w, n]) => `${n} ${n === 1 ? SAID[w] : MANY[w] || SAID[w]}`).join(", ") || "no boundaries");
    }).join("; ");
  }
  const thin = places => [...new Set(places.map(p => Math.round(X(p) * 2) / 2))];
  // Too many to draw apart: columns of two pixels, darker where more fall into one.
  function dense(places, a, b, attributes) {
    const columns = new Map();
    for (const p of places) { const x = Math.round(X(p) / 2) * 2; columns.set(x, (columns.get(x) || 0) + 1); }
    const most = Math.max(1, ...columns.values()), paths = ["", "", "", ""];
    for (const [x, n] of columns) paths[Math.ceil(4 * n / most) - 1] += `M${x} ${a}V${b}`;
    return paths.flatMap((d, i) => d ? [draw("path", {...attributes, d, "stroke-width": 2, "stroke-opacity": (i + 1) / 4})] : []);
  }
  function ruler() {
    const raw = (to - from) / Math.max(2, (width - margin) / 70), size = 10 ** Math.floor(Math.log10(Math.max(1, raw)));
    const step = Math.max(1, [1, 2, 5, 10].map(k => k * size).find(k => k >= raw));
    const parts = [];
    for (let p = Math.ceil((from + 0.01) / step) * step; p <= to; p += step)
      parts.push(draw("text", {class: "tick", x: X(p), y: 11, "text-anchor": X(p) > width - 24 ? "end" : "middle"}, p));
    return parts;
  }
  function heat(y, step) {
    const count = new Map();
    for (const [, cuts] of item.l) for (const p of new Set(cuts)) count.set(p, (count.get(p) || 0) + 1);
    const parts = [], best = new Map();
    for (const [p, n] of count) if (p >= from && p <= to) {
      const x = Math.round(X(p));
      if (!best.has(x) || best.get(x)[1] < n) best.set(x, [p, n]);
    }
    const w = Math.max(2, Math.min(14, step * 0.8));
    for (const [x, [p, n]] of best) {
      const bar = draw("rect", {class: "heat", x: x - w / 2, y, width: w, height: 16, "fill-opacity": n / item.l.length});
      bar.append(draw("title", {}, `after ${p}: ${n} of ${item.l.length} annotators`));
      parts.push(bar);
    }
    return parts;
  }
  function nameOf(index, y, over, down) {
    const full = T.names[item.l[index][0]];
    const label = draw("text", {class: "name", x: narrow() ? margin : 4, y: over ? y + 11 : y + (down ? 0 : FLAG) + 14}, full);
    for (let n = full.length; n > 1 && wide(label.textContent) > (narrow() ? width - 20 : margin - 6); n--) label.textContent = full.slice(0, n - 1) + "…";
    label.append(draw("title", {}, full));
    return label;
  }
  // Above each cut the shape of its kind, and its mark where nothing is in the way.
  function flags(cuts, kinds, y) {
    const own = cuts.map((p, i) => [p, kinds[i]]).filter(([p]) => p >= from && p <= to), parts = [];
    if (own.length > FEW) return parts;
    const at = own.map(([p], i) => X(p) + (i && own[i - 1][0] === p ? 10 : 0));
    own.forEach(([p, k], i) => {
      const flag = draw("use", {href: "#kind-" + (k - 1) % 8, x: at[i].toFixed(1), y: y + 6, class: colour(k)});
      flag.append(draw("title", {}, `${T.kinds[k - 1]} after ${p}`));
      parts.push(flag);
      const end = at[i] + 7 + wide(mark(k));
      if (end < (i + 1 < at.length ? at[i + 1] - 6 : width)) parts.push(draw("text", {class: "kindname", x: at[i] + 7, y: y + 10}, mark(k)));
    });
    return parts;
  }
  // Its segments; levels have bands above it (or below), and boundaries as tall as they are coarse.
  function strip(index, y, step, high, down) {
    const [, cuts, kinds] = item.l[index], parts = [], places = [...new Set(cuts)].filter(p => p < item.n);
    if (kinds && LAST < 0) parts.push(...flags(cuts, kinds, y));
    y += down ? 0 : FLAG;
    parts.push(...segments(places, y, high));
    if (LAST >= 0) {
      const seen = cuts.map((p, i) => [p, T.reach[kinds[i] - 1]]).filter(([p]) => p < item.n), lines = [];
      for (let r = 0; r <= LAST; r++) {
        const away = BAND * (LAST - r), own = seen.filter(([p, top]) => top === r && p >= from && p <= to);
        if (away) parts.push(...segments(seen.filter(([, top]) => top <= r).map(([p]) => p), down ? y + high + away - BAND + 1 : y - away, BAND - 1));
        const d = thin(own.map(([p]) => p)).map(x => `M${x} ${down ? y : y - away}v${high + away}`).join("");
        const line = draw("path", {class: "rung", d, "stroke-width": T.rungs[r] / (seen.length > FEW ? 2 : 1)});
        line.append(draw("title", {}, T.kinds.filter((_, k) => T.reach[k] === r).join(", ")));
        lines.unshift(line);
      }
      parts.push(...lines);
    }
    if (step >= 17 && high > 10) for (let u = Math.floor(from) + 1; u <= to; u++) parts.push(draw("text", {class: "number", x: X(u - 0.5), y: y + 14}, u));
    return parts;
  }
  function segments(places, y, high) {
    const parts = [], bounds = [0, ...places, item.n];
    const first = Math.max(0, lower(bounds, from) - 1), last = Math.min(bounds.length - 1, lower(bounds, to));
    if (last - first <= 600) {
      for (let i = first; i < last; i++) {
        const x = Math.max(margin, X(bounds[i])), end = Math.min(width - tail(), X(bounds[i + 1]));
        parts.push(draw("rect", {class: i % 2 ? "b" : "a", x, y, width: Math.max(0.5, end - x - (end < width - tail())), height: high}));
      }
    } else {
      parts.push(draw("rect", {class: "b", x: margin, y, width: width - margin - tail(), height: high}));
      parts.push(...dense(bounds.slice(Math.max(1, first), last), y, y + high, {class: "cut"}));
    }
    return parts;
  }
  function lower(sorted, value) {
    let a = 0, b = sorted.length;
    while (a < b) { const m = (a + b) >> 1; if (sorted[m] < value) a = m + 1; else b = m; }
    return a;
  }
  const inside = p => p && p >= from && p <= to;
  function between(lane, top, bottom) {
    const parts = [], middle = (top + bottom) / 2, taken = [], wanted = [];
    for (const what of WHATS) {
      if (!checks[what].checked) continue;
      const own = lane.edits.filter(e => e.what === what && (inside(e.r) || inside(e.h)));
      const group = draw("g", {class: "e " + what});
      parts.push(group);
      if (own.length > FEW) {
        const [a, b] = what === "missing" ? [top, middle] : what === "extra" ? [middle, bottom] : [top, bottom];
        group.append(...dense(own.map(e => e.h || e.r), a, b, {}));
        continue;
      }
      for (const e of own) {
        group.append(...shape(e, top, middle, bottom));
        const ends = [e.r, e.h].filter(p => p).map(X);
        const room = [Math.min(...ends) - 6, Math.max(...ends) + 6];
        taken.push(room);
        const typed = e.a && e.b && e.a !== e.b ? `${mark(e.a)}→${mark(e.b)}` : "";
        const said = [what === "near" ? Math.abs(e.h - e.r) : "", typed].filter(t => t).join(" ");
        if (said) wanted.push([room, said, group]);
      }
    }
    if (wanted.length > FEW) return parts;
    // A label stands right or left of its edit, where nothing else does, or not at all.
    for (const [room, said, group] of wanted) {
      const w = wide(said);
      for (const a of [room[1] + 1, room[0] - w - 1]) {
        if (a < margin || a + w > width - tail() || taken.some(t => t !== room && t[0] < a + w && t[1] > a)) continue;
        taken.push([a, a + w]);
        group.append(draw("text", {x: a, y: middle + 4}, said));
        break;
      }
    }
    return parts;
  }
  function shape(e, top, middle, bottom) {
    const r = X(e.r).toFixed(1), h = X(e.h).toFixed(1);
    if (e.what === "match") return [draw("path", {d: `M${r} ${top}V${bottom}`})];
    if (e.what === "missing") return [draw("path", {class: "dash", d: `M${r} ${top}V${middle - 5}`}), draw("path", {d: `M${r} ${middle - 5}l5 5l-5 5l-5 -5z`})];
    if (e.what === "extra") return [draw("path", {d: `M${h} ${bottom}V${middle - 5}M${h - 5} ${middle}h10`})];
    const parts = [draw("path", {d: `M${r} ${top}C${r} ${middle} ${h} ${middle} ${h} ${bottom}`})];
    if (e.what === "kind") parts.push(draw("rect", {class: "solid", x: X(e.r) - 4, y: middle - 4, width: 8, height: 8}));
    else if (inside(e.h)) parts.push(draw("path", {d: `M${h - 4} ${bottom - 6}L${h} ${bottom}L${+h + 4} ${bottom - 6}`}));
    return parts;
  }
  function bands(lane, top, bottom) {
    const spans = index => [0, ...new Set(item.l[index][1]), item.n].filter((p, i, own) => p < item.n || i === own.length - 1);
    const refs = spans(base), hyps = spans(lane.index), parts = [];
    for (let i = 0; i < lane.edges.length; i += 4) {
      let [r, h, label, weight] = lane.edges.slice(i, i + 4);
      if (lane.turned) { [r, h] = [h, r]; label = label === 2 ? 3 : label === 3 ? 2 : label; }
      const [a, b, c, d] = [refs[r], refs[r + 1], hyps[h], hyps[h + 1]];
      if (Math.min(a, c) > to || Math.max(b, d) < from) continue;
      const clip = x => Math.min(width - tail(), Math.max(margin, X(x))).toFixed(1);
      const band = draw("path", {class: "r" + label, "fill-opacity": 0.15 + weight / 2500, d: `M${clip(a)} ${top}H${clip(b)}L${clip(d)} ${bottom}H${clip(c)}z`});
      band.append(draw("title", {}, `${T.labels[label]}: ${a + 1}-${b} with ${c + 1}-${d}, weight ${fixed(weight / 1000, 3)}`));
      parts.push(band);
      if (parts.length > 1500) break;
    }
    return parts;
  }

  // Words.
  const clip = (text, most) => text.length > most ? text.slice(0, most - 1) + "…" : text;
  function say(e) {
    const kind = k => k ? T.kinds[k - 1] : "";
    const place = e.r && e.h && e.r !== e.h ? `${e.r} → ${e.h}` : `${e.r || e.h}`;
    const typed = e.a && e.b && e.a !== e.b ? ` ${kind(e.a)} → ${kind(e.b)}` : e.a || e.b ? ` ${kind(e.a || e.b)}` : "";
    const by = e.what === "near" ? ` by ${Math.abs(e.r - e.h)}` : "";
    return {place, what: SAID[e.what] + by + typed, lane: lanes[e.lane].name, cost: e.cost === undefined ? "" : String(+e.cost.toFixed(4)), text: around(e)};
  }
  function around(e) {
    if (!item.w) return "";
    const places = [e.r, e.h].filter(p => p), a = Math.min(...places), b = Math.max(...places);
    const left = item.w[a - 1], inner = item.w.slice(a, Math.min(b, a + 8)).join(" "), right = item.w[b] || "";
    return clip(left, 60) + (a === b ? " │ " : ` ╱ ${clip(inner, 60)} ╱ `) + clip(right, 60);
  }
  const sentence = (e, s) => [make("b", {class: "what " + e.what}, s.what), ` after ${T.unit} ${s.place}, `, make("bdi", {}, s.lane), s.cost ? `, cost ${s.cost}` : ""];
  // Below the strips for those who read (or hear) it, and beside the edit itself.
  function tell(e) {
    detail.replaceChildren();
    tip.hidden = !e;
    if (!e) {
      const n = visited().length, [one, many] = edits.some(e => e.what !== "match") ? T.heat ? ["difference", "differences"] : ["error", "errors"] : ["match", "matches"];
      detail.append(n ? `${n} ${plural(n, one, many)} to go through: arrow keys, or point at ${n === 1 ? "it" : "one"}.` : "Nothing to show with these filters.");
      return;
    }
    const s = say(e);
    detail.append(...sentence(e, s));
    if (s.text) detail.append(make("br"), make("bdi", {}, s.text));
    tip.replaceChildren(...sentence(e, s).map(part => part.nodeName === "B" ? make("b", {}, s.what) : part));
    const x = X(e.h && inside(e.h) ? e.h : e.r || e.h);
    tip.style.left = Math.max(4, Math.min(stage.clientWidth - tip.offsetWidth - 4, x - tip.offsetWidth / 2)) + "px";
    tip.style.top = stage.offsetTop + rowsAt[e.lane][1] + 6 + "px"; // below: what is above is read
  }
  function lister() {
    const box = list.querySelector(".scroll");
    box.replaceChildren();
    if (!list.open) return;
    const rows = edits.slice(0, 500).map(e => {
      const s = say(e);
      return make("tr", {class: "opens", on: {click: () => select(e)}}, make("th", {scope: "row"}, make("button", {type: "button"}, s.place)), make("td", {}, make("bdi", {}, s.lane)), make("td", {class: "what " + e.what}, s.what), make("td", {class: "num"}, s.cost), make("td", {}, make("bdi", {}, s.text)));
    });
    const head = make("tr", {}, ...["after", "whose", "what", "cost", "text"].map(t => make("th", {scope: "col"}, t)));
    box.append(make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
    if (edits.length > 500) box.append(make("p", {class: "caption"}, `the first 500 of ${edits.length}`));
  }
  function reading() {
    words.replaceChildren();
    if (!item.w) return;
    const focus = chosen ? chosen.at : Math.floor(from) + 1;
    const first = Math.max(Math.floor(from), Math.min(focus - 60, Math.ceil(to) - 240)), last = Math.min(Math.ceil(to), Math.max(0, first) + 240);
    const cutters = new Map();
    const add = (p, chip) => { if (!cutters.has(p)) cutters.set(p, []); cutters.get(p).push(chip); };
    const [who, own, kinds] = item.l[base];
    own.forEach((p, i) => { if (p > first && p <= last) add(p, ["base", T.names[who], kinds ? T.kinds[kinds[i] - 1] : ""]); });
    for (const e of edits) if (e.h && e.h > first && e.h <= last) add(e.h, [e.what, lanes[e.lane].name, e.b ? T.kinds[e.b - 1] : ""]);
    const sample = item.w.slice(first, first + 50), lines = sample.reduce((n, w) => n + w.length, 0) / sample.length > 18;
    const parts = [];
    let here = null;
    for (let u = Math.max(0, first); u < last; u++) {
      const unit = make("span", {class: "u" + (lines ? " line" : "")});
      if (lines) unit.append(make("span", {class: "n"}, u + 1));
      const text = make("bdi", {}, item.w[u]);
      if (chosen && (u + 1 === chosen.r || u + 1 === chosen.h)) { text.className = "here"; here = here || unit; }
      unit.append(text, " ");
      if (cutters.has(u + 1)) unit.append(make("span", {class: "cuts"}, ...cutters.get(u + 1).map(([what, name, kind]) => make("span", {class: "chip " + what, title: `${name}: ${what === "base" ? "boundary" : SAID[what]}${kind && " " + kind} after ${u + 1}`}, "│ ", make("bdi", {}, clip(name, 14)), kind && " ", make("bdi", {}, clip(kind, 18))))), " ");
      parts.push(unit);
    }
    words.append(...parts);
    if (here) words.scrollTop = here.offsetTop - words.offsetTop - words.clientHeight / 2;
  }

  // Moving about.
  function select(e) {
    chosen = e;
    const span = to - from;
    if (e.at <= from || e.at >= to) { from = Math.min(Math.max(0, e.at - span / 2), item.n - span); to = from + span; }
    redraw();
    tell(e);
  }
  // What arrow keys go through: errors, or matches where there are none.
  function visited() {
    const errors = edits.filter(e => e.what !== "match");
    return errors.length ? errors : edits;
  }
  function step(by) {
    const list = visited();
    if (!list.length) return;
    const at = list.indexOf(chosen);
    select(list[at < 0 ? (by > 0 ? 0 : list.length - 1) : Math.min(list.length - 1, Math.max(0, at + by))]);
  }
  function zoom(factor, around) {
    const middle = around === undefined ? (chosen ? chosen.at : (from + to) / 2) : around;
    const span = Math.min(item.n, Math.max(Math.min(8, item.n), (to - from) * factor));
    const share = Math.min(1, Math.max(0, (middle - from) / (to - from)));
    from = Math.max(0, Math.min(item.n - span, middle - share * span));
    to = from + span;
    redraw();
    again();
  }
  function move(by) {
    const span = to - from, shift = span * by;
    from = Math.max(0, Math.min(item.n - span, from + shift));
    to = from + span;
    redraw();
    again();
  }
  // What is said of the chosen edit moves with it.
  function again() { tell(chosen); if (chosen && !inside(chosen.r) && !inside(chosen.h)) tip.hidden = true; }
  function turn(by) {
    const at = Math.min(shown.length - 1, Math.max(0, shown.indexOf(item) + by));
    pick.value = at;
    if (shown[at] !== item) show(shown[at]);
  }
  function nearest(event) {
    const rect = stage.getBoundingClientRect(), x = event.clientX - rect.left, y = event.clientY - rect.top;
    const lane = rowsAt.findIndex(([a, b]) => y >= a && y <= b);
    let best = null, far = 14;
    for (const e of edits) {
      if (lane >= 0 && e.lane !== lane) continue;
      for (const p of [e.r, e.h]) if (p) { const d = Math.abs(X(p) - x); if (d < far) { far = d; best = e; } }
    }
    return best;
  }
  const keys = {
    ArrowRight: e => e.shiftKey ? move(0.3) : step(1), ArrowLeft: e => e.shiftKey ? move(-0.3) : step(-1),
    "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), "0": () => { from = 0; to = item.n; redraw(); again(); },
    n: () => turn(1), p: () => turn(-1), Home: () => { chosen = null; step(1); }, End: () => { chosen = null; step(-1); },
  };
  // They work in the strips, beside them, and where nothing has the focus; never in a field.
  document.addEventListener("keydown", e => {
    if (e.ctrlKey || e.altKey || e.metaKey || !keys[e.key] || !item) return;
    const at = document.activeElement, own = stage.contains(at), beside = byId("view").contains(at) && at.matches("button, [type=checkbox]");
    if (!own && !beside && (at !== document.body || e.key === "Home" || e.key === "End")) return;
    e.preventDefault();
    keys[e.key](e);
    intoView();
  });
  // The lane of the chosen edit, with what is said of it above (which sticks) and below.
  function intoView() {
    const seen = stage.getBoundingClientRect(), at = chosen ? rowsAt[chosen.lane] : [0, Math.min(seen.height, innerHeight / 2)];
    const top = seen.top + at[0] - 34 - FLAG - detail.offsetHeight, bottom = seen.top + at[1] + 12 + tip.offsetHeight;
    if (top < 0 || bottom - top > innerHeight) scrollBy({top, behavior: "instant"});
    else if (bottom > innerHeight) scrollBy({top: bottom - innerHeight, behavior: "instant"});
  }
  let drag = null;
  stage.addEventListener("pointerdown", e => { drag = {x: e.clientX, from, moved: false}; });
  stage.addEventListener("pointermove", e => {
    if (drag && e.buttons) {
      const by = (drag.x - e.clientX) / (width - margin - tail()) * (to - from);
      if (Math.abs(drag.x - e.clientX) > 4) drag.moved = true;
      if (drag.moved) { tip.hidden = true; const span = to - from; from = Math.max(0, Math.min(item.n - span, drag.from + by)); to = from + span; redraw(); }
      return;
    }
    const e2 = nearest(e);
    if (e2) tell(e2);
  });
  stage.addEventListener("pointerup", e => { const was = drag; drag = null; if (was && !was.moved) { const e2 = nearest(e); if (e2) select(e2); } });
  stage.addEventListener("pointerleave", () => { drag = null; tell(chosen); });
  stage.addEventListener("wheel", e => { if (!e.ctrlKey) return; e.preventDefault(); zoom(e.deltaY > 0 ? 1.25 : 0.8, unX(e.clientX - stage.getBoundingClientRect().left)); }, {passive: false});
  byId("in").addEventListener("click", () => zoom(0.5));
  byId("out").addEventListener("click", () => zoom(2));
  byId("all").addEventListener("click", () => keys["0"]());
  byId("left").addEventListener("click", () => move(-0.3));
  byId("right").addEventListener("click", () => move(0.3));
  byId("previous").addEventListener("click", () => turn(-1));
  byId("next").addEventListener("click", () => turn(1));
  pick.addEventListener("change", () => show(shown[pick.value]));
  ordering.addEventListener("change", () => choose(null));
  baseOf.addEventListener("change", () => { base = +baseOf.value; baseOf.dataset.name = T.names[item.l[base][0]]; chosen = null; compare(); });
  ribbons.addEventListener("change", () => { byId("legend").hidden = !ribbons.checked; redraw(); });
  list.addEventListener("toggle", lister);
  for (const what in checks) checks[what].addEventListener("change", () => { const was = item; choose(item); if (item === was) filter(); });
  let broad = 0;
  new ResizeObserver(() => { if (stage.clientWidth !== broad) { broad = stage.clientWidth; if (item) { redraw(); again(); } } }).observe(stage);
  if (items.length) choose(null);
  return {
    add(more) {
      const have = new Set(items.map(one => one.i));
      items = items.concat(more.filter(one => !have.has(one.i)));
      choose(item);
      return `${items.length} ${plural(items.length, "text")}`;
    },
    open(title, place) {
      const one = items.find(i => i.t === title) || items.find(i => i.k === title);
      if (!one) { detail.replaceChildren(`${title} is in the file beside this page: open that below.`); byId("texts").scrollIntoView(); return; }
      if (!shown.includes(one)) { for (const what in checks) checks[what].checked = true; choose(one); }
      pick.value = shown.indexOf(one);
      show(one);
      if (place) {
        const span = Math.min(one.n, 40);
        from = Math.max(0, Math.min(one.n - span, place - span / 2)); to = from + span;
        const e = edits.find(x => x.r === place || x.h === place);
        if (e) select(e); else redraw();
      }
      byId("texts").scrollIntoView({behavior: "instant"});
      stage.focus({preventScroll: true});
      if (chosen) intoView();
    },
  };
}

// Words of a stream against those of the references.
function wordView(W) {
  const box = byId("segments"), more = byId("more-segments"), system = byId("system"), order = byId("segment-order"), find = byId("segment-find");
  const checks = [...document.querySelectorAll("#operations input")];
  let found = [], drawn = 0;
  byId("alignments").hidden = false;
  system.append(...W.systems.map((s, i) => make("option", {value: i}, s.name)));
  byId("system-label").hidden = W.systems.length < 2;
  const SAYS = {M: "", S: "substituted ", I: "inserted ", D: "deleted "};
  function search() {
    const own = W.systems[system.value || 0].segments, word = find.value.trim().toLowerCase();
    const wanted = checks.filter(c => c.checked).map(c => c.value);
    found = own.filter(s => wanted.every(w => w === "A" ? s.a : s.o.includes(w)) && (!word || s.r.concat(s.h).join(" ").toLowerCase().includes(word)));
    const errors = s => s.e;
    if (order.value === "worst") found.sort((a, b) => errors(b) - errors(a) || a.i - b.i);
    drawn = 0;
    box.replaceChildren();
    rows();
  }
  function rows() {
    for (const s of found.slice(drawn, drawn + 40)) {
      let r = 0, h = 0;
      const steps = [...s.o].map(what => {
        const ref = what === "I" ? "" : s.r[r++], hyp = what === "D" ? "" : s.h[h++];
        return make("span", {class: "step " + what}, make("span", {class: "ref"}, make("span", {class: "off"}, SAYS[what]), make("bdi", {}, ref)), make("span", {class: "hyp"}, make("bdi", {}, hyp)));
      });
      const li = make("li", {}, make("p", {class: "where"}, s.w), make("p", {class: "ops"}, ...steps));
      if (s.a) li.append(make("p", {class: "maybe"}, s.a));
      box.append(li);
    }
    drawn = Math.min(found.length, drawn + 40);
    more.hidden = drawn >= found.length;
    const every = W.systems[system.value || 0].segments.length;
    byId("segment-count").value = `${found.length} of ${every} ${plural(every, "segment")}` + (drawn < found.length ? `, the first ${drawn} shown` : "");
  }
  more.addEventListener("click", rows);
  for (const control of [system, order, ...checks]) control.addEventListener("change", search);
  find.addEventListener("input", search);
  search();
  return {
    add(more) {
      const have = W.systems.map(one => new Set(one.segments.map(s => s.w)));
      for (const one of more) if (!have[one.s].has(one.w)) W.systems[one.s].segments.push(one);
      for (const one of W.systems) one.segments.sort((a, b) => a.i - b.i);
      search();
      const count = W.systems.reduce((n, s) => n + s.segments.length, 0);
      return `${count} ${plural(count, "segment")}`;
    },
  };
}

// What had no room on the page, from the file beside it.
function opener(box, view, words) {
  const said = box.querySelector("output");
  box.querySelector("input").addEventListener("change", async e => {
    try {
      const more = JSON.parse(await e.target.files[0].text());
      if (!Array.isArray(more.texts) || !Array.isArray(more.words)) throw new Error();
      const have = [more.texts.length && view && view.add(more.texts), more.words.length && words && words.add(more.words)].filter(t => t);
      said.value = `${have.join(" and ")} are shown now, with what is in ${e.target.files[0].name}.`;
      box.querySelector("label").hidden = true;
    } catch { said.value = "This is not the file that belongs to the page."; }
  });
}

let view = null, words = null;
if (data.texts && byId("view")) view = textView(data.texts);
if (data.words && byId("alignments")) words = wordView(data.words);
if (byId("rest")) opener(byId("rest"), view, words);
for (const box of document.querySelectorAll("[data-sheet]")) sheet(box, data.tables[box.dataset.sheet]);
document.documentElement.dataset.ready = "yes";
})();
