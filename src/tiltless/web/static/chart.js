// Curves as SVG: lines with bands or bars of intervals, on a linear or logarithmic scale.
import { el, svg } from "./dom.js";

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [560, 220, 58, 26, 10, 10];

const text = (content, at) => {
  const made = svg("text", at);
  made.textContent = content;
  return made;
};

/**
 * points: [x, y] or [x, y, low, high].  options: { name, x: format, y: format, log, zero, dots, target, empty }
 * zero: show 0, too.  dots: mark the points, from x = 0 on.  target: a value at which a rule is drawn across.
 */
export function chart(points, options) {
  const { name, log = false, zero = false, dots = false, target = null, x: xText = String, y: yText = String, empty = "Nothing yet." } = options;
  const some = points.filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y) && (!log || y > 0));
  if (some.length < (dots ? 1 : 2)) return el("p", { class: "faint" }, empty);
  const scale = log ? Math.log10 : (value) => value;
  const values = some.flatMap(([, y, low, high]) => [y, low, high]).filter((value) => Number.isFinite(value) && (!log || value > 0));
  if (zero) values.push(0);
  if (target !== null) values.push(target);
  let [low, high] = [Math.min(...values.map(scale)), Math.max(...values.map(scale))];
  if (log) [low, high] = [Math.floor(low), Math.ceil(high)];
  if (high - low < 1e-12) [low, high] = [low - (Math.abs(low) || 1) / 2, high + (Math.abs(high) || 1) / 2];
  const [first, last] = [dots ? 0 : some[0][0], some[some.length - 1][0]];
  const x = (value) => LEFT + ((value - first) / (last - first || 1)) * (WIDTH - LEFT - RIGHT);
  const y = (value) => TOP + ((high - scale(value)) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const path = (pairs) => pairs.map(([across, up], n) => `${n ? "L" : "M"}${x(across).toFixed(1)} ${y(up).toFixed(1)}`).join("");
  const banded = some.filter(([, , from, to]) => Number.isFinite(from) && Number.isFinite(to));
  const band = banded.length > 1 && !dots
    ? [svg("path", { class: "band", d: `${path(banded.map(([across, , from]) => [across, from]))}L${path([...banded].reverse().map(([across, , , to]) => [across, to])).slice(1)}Z` })] : [];
  const bars = dots ? banded.map(([across, , from, to]) => svg("line", { class: "bar-95", x1: x(across), x2: x(across), y1: y(from), y2: y(to) })) : [];
  const marks = dots ? some.map(([across, up]) => svg("circle", { cx: x(across).toFixed(1), cy: y(up).toFixed(1), r: 4 })) : [];
  return svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "curve", role: "img", "aria-label": `${name}: ${yText(some[some.length - 1][1])} at ${xText(last)}` },
    ...ticks(low, high, log).flatMap((tick) => {
      const value = log ? 10 ** tick : tick;
      return [svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value), class: value === 0 ? "rule zero" : "rule" }), text(yText(value), { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" })];
    }),
    ...(target === null ? [] : [svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(target), y2: y(target), class: "target" })]),
    ...band, ...bars, svg("path", { d: path(some) }), ...marks,
    text(xText(first), { x: LEFT, y: HEIGHT - 6 }),
    text(xText(last), { x: WIDTH - RIGHT, y: HEIGHT - 6, "text-anchor": "end" }),
  );
}

function ticks(low, high, log) {
  if (log) return Array.from({ length: high - low + 1 }, (_, n) => low + n).filter((_, n, all) => all.length < 8 || n % 2 === 0);
  const step = 10 ** Math.floor(Math.log10((high - low) / 3));
  const size = [1, 2, 5, 10].map((each) => each * step).find((each) => (high - low) / each <= 5);
  const from = Math.ceil(low / size - 1e-9);
  return Array.from({ length: Math.floor(high / size + 1e-9) - from + 1 }, (_, n) => Number(((from + n) * size).toPrecision(12)));
}

/** Several curves between 0 and 1 in both directions, each named at its left end. */
export function curves(lines, name) {
  const x = (share) => LEFT + share * (WIDTH - LEFT - RIGHT);
  const y = (share) => TOP + (1 - share) * (HEIGHT - TOP - BOTTOM);
  return svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "curve", role: "img", "aria-label": name },
    ...[0, 0.25, 0.5, 0.75, 1].flatMap((share) => [svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(share), y2: y(share), class: "rule" }), text(`${100 * share} %`, { x: LEFT - 6, y: y(share) + 4, "text-anchor": "end" })]),
    ...lines.map(({ kind, points }) => svg("path", { class: kind, d: points.map(([across, up], n) => `${n ? "L" : "M"}${x(across).toFixed(1)} ${y(up).toFixed(1)}`).join("") })),
    ...lines.map(({ name: label, kind, points }, n) => text(label, { x: x(0.3 + 0.35 * n), y: y(points[Math.round((0.3 + 0.35 * n) * (points.length - 1))][1]) - 8, class: kind })),
    text("best", { x: LEFT, y: HEIGHT - 6 }), text("worst", { x: WIDTH - RIGHT, y: HEIGHT - 6, "text-anchor": "end" }),
  );
}
