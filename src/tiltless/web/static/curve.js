// A curve as SVG: exploitability over time, on a logarithmic scale.
import { el, svg } from "./dom.js";

const [WIDTH, HEIGHT, LEFT, BOTTOM] = [640, 240, 56, 28];

/** points: [seconds, iterations, percent].  target: a line across. */
export function curve(points, target) {
  const some = points.filter(([, , percent]) => percent > 0);
  if (some.length < 2) return el("p", { class: "faint" }, "The curve begins after the first iterations.");
  const values = some.map(([, , percent]) => Math.log10(percent));
  const low = Math.floor(Math.min(...values, Math.log10(target)));
  const high = Math.ceil(Math.max(...values));
  const last = Math.max(some[some.length - 1][0], 0.1);
  const x = (seconds) => LEFT + (seconds / last) * (WIDTH - LEFT - 8);
  const y = (value) => 8 + ((high - value) / (high - low || 1)) * (HEIGHT - BOTTOM - 8);
  const path = some.map(([seconds], n) => `${n ? "L" : "M"}${x(seconds).toFixed(1)} ${y(values[n]).toFixed(1)}`).join("");
  const ticks = Array.from({ length: high - low + 1 }, (_, n) => low + n);
  const text = (content, at) => {
    const made = svg("text", at);
    made.textContent = content;
    return made;
  };
  const picture = svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "curve", role: "img", "aria-label": `Exploitability ${some[some.length - 1][2].toPrecision(2)} % of the pot after ${last.toFixed(1)} seconds` },
    ...ticks.flatMap((tick) => [
      svg("line", { x1: LEFT, x2: WIDTH - 8, y1: y(tick), y2: y(tick), class: "rule" }),
      text(`${Number((10 ** tick).toPrecision(1))} %`, { x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }),
    ]),
    svg("line", { x1: LEFT, x2: WIDTH - 8, y1: y(Math.log10(target)), y2: y(Math.log10(target)), class: "target" }),
    svg("path", { d: path }),
    text("0 s", { x: LEFT, y: HEIGHT - 8 }),
    text(`${last.toFixed(1)} s`, { x: WIDTH - 8, y: HEIGHT - 8, "text-anchor": "end" }),
  );
  return picture;
}
