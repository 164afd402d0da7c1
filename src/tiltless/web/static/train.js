// Training: the runs in the folder, and one of them as it grows.
import { get } from "./api.js";
import { chart } from "./chart.js";
import { el, fill } from "./dom.js";
import { watch } from "./events.js";
import { grid, legend, percent } from "./grid.js";

const STATES = { running: "running", ended: "finished", stopped: "stopped" };
const SIZES = Array.from({ length: 169 }, (_, n) => (Math.floor(n / 13) === n % 13 ? 6 : Math.floor(n / 13) < n % 13 ? 4 : 12));

export async function trainPage(page, [name]) {
  return name ? runPage(page, decodeURIComponent(name)) : home(page);
}

async function home(page) {
  const runs = await get("/runs");
  fill(
    page,
    el("section", { class: "message wide" },
      el("h1", {}, "Training"),
      runs.length ? null : el("p", {}, "No run is in this folder yet. Start one in a terminal, then come back: ", el("code", {}, "tiltless train minute")),
      el("ul", { class: "tables" }, runs.map((run) => el("li", {},
        el("a", { href: `/train/${encodeURIComponent(run.id)}` }, run.name),
        el("span", { class: "faint" }, ` ${STATES[run.state]}${run.last ? `, ${big(run.last.walks)} traversals in ${duration(run.last.seconds)}` : ""}${run.left_seconds !== null ? `, ${duration(run.left_seconds)} left` : ""}`))))),
  );
  return null;
}

async function runPage(page, name) {
  const address = `/runs/${encodeURIComponent(name)}`;
  const state = { run: await get(address), at: null, openings: null, player: 0 };
  const [facts, lights, curves, strategy] = ["", "lights", "charts", "first-in"].map((kind) => el("section", { class: `panel ${kind}` }));
  const say = el("p", { class: "spoken", role: "status" });
  const slider = el("input", { type: "range", min: 0, step: 1, "aria-label": "Checkpoint", oninput: () => choose(state.run.checkpoints[slider.value].walks) });
  const [above, below] = [el("div", { class: "part" }), el("div", { class: "part" })];
  fill(strategy, above, slider, below); // the slider stays where it is, or a drag would end
  fill(page, el("div", { class: "study-head" }, el("h1", {}, state.run.name), el("a", { href: "/train" }, "All runs")), el("div", { class: "run" }, el("div", { class: "left" }, facts, curves), el("div", { class: "left" }, lights, strategy)), say);
  const draw = () => {
    const { run } = state;
    drawFacts(facts, run);
    drawLights(lights, run);
    drawCurves(curves, run);
    drawStrategy(above, slider, below, state, choose);
    const words = `${STATES[run.state]}: ${run.checks.filter(([, holds]) => holds).length} of ${run.checks.length} checks hold`;
    if (say.textContent !== words) say.textContent = words;
  };
  /** Look at a checkpoint; null follows the newest one. */
  const choose = async (walks, player = state.player) => {
    const { checkpoints } = state.run;
    const newest = checkpoints[checkpoints.length - 1]?.walks;
    const wanted = walks ?? newest;
    state.at = walks === newest ? null : walks;
    state.player = player;
    state.wanted = wanted;
    if (wanted !== undefined && state.shown !== wanted) {
      const found = await get(`${address}/first-in/${wanted}`);
      if (state.wanted !== wanted) return; // the slider has moved on
      state.openings = found;
      state.shown = wanted;
    }
    draw();
  };
  let left = false;
  let busy = false;
  let again = false; // news came meanwhile
  const refresh = async () => {
    again = busy;
    if (busy || left) return;
    busy = true;
    try {
      const { points } = state.run;
      const known = points.length ? points[points.length - 1].walks : -1;
      const found = await get(`${address}?after=${known}`);
      if (found.points.length && known >= 0 && found.last.walks > known) found.points = [...points, ...found.points];
      else if (found.last && found.last.walks < known) found.points = (await get(address)).points; // begun anew
      else found.points = points.length ? points : found.points;
      state.run = found;
      if (!left) await choose(state.at);
    } finally {
      busy = false;
    }
    if (again) await refresh();
  };
  await choose(null);
  const stop = watch(`run:${name}`, refresh);
  return () => {
    left = true;
    stop();
  };
}

function drawFacts(box, run) {
  const { last } = run;
  const rows = [
    ["State", run.ended ? `${STATES[run.state]}: ${run.ended}` : run.state === "stopped" ? "stopped without a word" : STATES[run.state]],
    ["Time left", run.left_seconds === null ? (run.state === "running" ? "no limit that is known" : "–") : duration(run.left_seconds)],
    ["Trained for", last ? duration(last.seconds) : "–"],
    ["Traversals", last ? big(last.walks) : "–"],
    ["Speed", last ? `${big(last.walks_per_second)} a second` : "–"],
    ["Information sets met", last ? percent(last.touched) : "–"],
    run.configuration ? ["Configuration", run.configuration] : null,
  ].filter(Boolean);
  fill(box, el("h2", {}, "Progress"), el("dl", { class: "facts" }, rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))));
}

function drawLights(box, run) {
  const holding = run.checks.filter(([, holds]) => holds).length;
  fill(
    box,
    el("h2", {}, "Litmus checks"),
    run.checks.length
      ? el("ul", { class: "litmus" }, run.checks.map(([text, holds]) => el("li", { class: holds ? "holds" : "fails" }, el("span", { class: "light", "aria-hidden": "true" }, holds ? "✓" : "×"), `${text}`, el("span", { class: "spoken" }, holds ? ": holds" : ": does not hold"))))
      : el("p", { class: "faint" }, run.last ? `${run.last.checks} checks hold; which ones was not written.` : "None yet."),
    run.checks.length ? el("p", { class: "faint" }, `${holding} of ${run.checks.length} hold: facts of sound play before the flop.`) : null,
  );
}

function drawCurves(box, run) {
  const { points, matches } = run;
  const looks = points.filter((point, n) => !n || point.mean_regret !== points[n - 1].mean_regret);
  const at = (walks) => points.find((point) => point.walks >= walks)?.seconds ?? points[points.length - 1]?.seconds ?? 0;
  const one = (title, node) => el("figure", {}, el("figcaption", {}, title), node);
  const mbb = (value) => `${Number(value.toPrecision(3))}`;
  fill(
    box,
    one("Mean regret, chips a traversal: the room left for better play (falls)", chart(looks.map((point) => [point.seconds, point.mean_regret]), { name: "Mean regret", log: true, x: duration, y: (value) => `${Number(value.toPrecision(2))}`, empty: "The curve begins with the second look through the tables." })),
    one("Information sets met at least once (rises)", chart(looks.map((point) => [point.seconds, point.touched]), { name: "Information sets met", zero: true, x: duration, y: percent, empty: "The curve begins with the second look through the tables." })),
    one("What each checkpoint wins from the one before, mbb a hand (goes to 0)", chart(matches.map((match) => [at(match.walks), match.mbb, match.mbb - match.mbb_95, match.mbb + match.mbb_95]), { name: "Gain", dots: true, zero: true, x: duration, y: mbb, empty: "No match between checkpoints yet." })),
    one("What the button wins in these matches, mbb a hand (settles)", chart(matches.map((match) => [at(match.walks), match.value_mbb, match.value_mbb - match.value_mbb_95, match.value_mbb + match.value_mbb_95]), { name: "Value", dots: true, zero: true, x: duration, y: mbb, empty: "No match between checkpoints yet." })),
  );
}

function drawStrategy(above, slider, below, state, choose) {
  const { run, openings, player } = state;
  const { checkpoints } = run;
  slider.hidden = checkpoints.length < 2;
  if (!checkpoints.length) {
    fill(above, el("h2", {}, "First in"), el("p", { class: "faint" }, "What it plays first in appears with the first checkpoint."));
    return;
  }
  const number = state.at === null ? checkpoints.length - 1 : checkpoints.findIndex(({ walks }) => walks === state.at);
  slider.max = checkpoints.length - 1;
  slider.value = number;
  const opening = openings?.[player] || openings?.[0];
  const tabs = openings?.map(({ short }, n) => el("button", { type: "button", "aria-pressed": n === player ? "true" : "false", onclick: () => choose(state.at, n) }, short));
  const held = [...above.querySelectorAll("button")].indexOf(document.activeElement);
  fill(
    above,
    el("h2", {}, opening ? `First in: ${opening.player}` : "First in"),
    tabs?.length > 1 ? el("div", { class: "tabs", role: "group", "aria-label": "Position" }, tabs) : null,
    el("p", { class: "faint" }, `Checkpoint ${number + 1} of ${checkpoints.length}: ${big(checkpoints[number].walks)} traversals, ${duration(checkpoints[number].seconds)}`),
  );
  tabs?.[held]?.focus();
  if (!opening) return;
  const holder = el("div");
  const shares = opening.actions.map((_, n) => opening.chances.reduce((sum, row, hand) => sum + row[n] * SIZES[hand], 0) / 1326);
  fill(below, holder, legend(opening.actions, shares));
  grid(holder, { actions: opening.actions, weight: Array(169).fill(1), strategy: opening.chances, name: `First in: ${opening.player}` }, null);
}

const big = (count) => (count >= 1e9 ? `${(count / 1e9).toFixed(2)} G` : count >= 1e6 ? `${(count / 1e6).toFixed(1)} M` : count >= 1e4 ? `${Math.round(count / 1e3)} k` : Math.round(count).toLocaleString("en"));

export function duration(seconds) {
  if (seconds < 100) return `${Number(seconds.toFixed(seconds < 10 ? 1 : 0))} s`;
  if (seconds < 100 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${(seconds / 3600).toFixed(1)} h`;
  return `${(seconds / 86400).toFixed(1)} days`;
}
