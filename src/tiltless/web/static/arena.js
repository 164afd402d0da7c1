// Arena: results files, cross tables, matches, and deals replayed with both halves side by side.
import { get } from "./api.js";
import { chart } from "./chart.js";
import { faces } from "./cards.js";
import { el, fill } from "./dom.js";
import { inField, listen } from "./keys.js";

export async function arenaPage(page, [file, match, deal]) {
  const name = file && decodeURIComponent(file);
  if (deal !== undefined && match) return replayPage(page, name, Number(match), Number(deal));
  if (match) return matchPage(page, name, Number(match));
  return home(page, name);
}

const path = (...parts) => parts.map((part) => encodeURIComponent(part)).join("/");
const signed = (value, digits = 1) => (value === null ? "?" : `${value > 0 ? "+" : value < 0 ? "\u2212" : ""}${Math.abs(value).toFixed(digits)}`);
const half = (cell) => ((cell.high - cell.low) / 2).toFixed(1);

async function home(page, name) {
  const files = await get("/results");
  const chosen = name || files[0]?.id;
  if (!chosen) {
    fill(page, el("section", { class: "message" }, el("h1", {}, "Arena"), el("p", {}, "No results are in this folder yet. Play a match in a terminal, then come back: ", el("code", {}, "tiltless cross-table blueprint rules fish"))));
    return null;
  }
  const found = await get(`/results/${path(chosen)}`);
  fill(
    page,
    el("div", { class: "study-head" }, el("h1", {}, "Arena"), files.length > 1 ? el("nav", { class: "links", "aria-label": "Files" }, files.map(({ id, name: label }) => el("a", { href: `/arena/${path(id)}`, "aria-current": id === chosen ? "page" : null }, label))) : el("span", { class: "faint" }, files[0].name)),
    el("div", { class: "arena" },
      found.tables.map((table) => crossTable(table, chosen)),
      el("section", { class: "panel" }, el("h2", {}, "Matches"), found.matches.length ? matchList(found, chosen) : el("p", { class: "faint" }, "None yet."))),
  );
  return null;
}

function crossTable(table, file) {
  const heads = table.rows.map(({ agent }) => el("th", { scope: "col" }, agent));
  const rows = table.rows.map(({ agent, cells, mean }) => el("tr", {}, el("th", { scope: "row" }, agent), cells.map((cell) => el("td", { class: cell ? { 1: "up", "-1": "down", 0: "" }[cell.sign] : "" },
    cell ? el("a", { href: `/arena/${path(file, cell.match)}` }, signed(cell.mean), el("small", {}, ` ± ${half(cell)}`)) : "")), el("td", {}, mean ? [el("b", {}, signed(mean.mean)), el("small", {}, ` ± ${half(mean)}`)] : "")));
  return el("section", { class: "panel" },
    el("h2", {}, `Cross table: ${table.game}`),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Cross table, ${table.game}` }, el("table", { class: "cross" }, el("thead", {}, el("tr", {}, el("td"), heads, el("th", { scope: "col" }, "mean"))), el("tbody", {}, rows))),
    el("p", { class: "faint" }, `Won by ${table.what}, in ${table.unit}, ± 95 %; ${table.hands.toLocaleString("en")} hands. Coloured where zero is outside the interval. Click a result to open its match.`));
}

function matchList(found, file) {
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Matches" }, el("table", { class: "cross" },
    el("thead", {}, el("tr", {}, ["Match", "Agents", "Game", "Hands", `First agent, ${found.unit}`, "Begun (UTC)"].map((text) => el("th", { scope: "col" }, text)))),
    el("tbody", {}, found.matches.map((match) => el("tr", {},
      el("td", {}, el("a", { href: `/arena/${path(file, match.number)}` }, `Match ${match.number}`)),
      el("td", {}, match.title), el("td", {}, match.game),
      el("td", { class: "number" }, `${match.hands.toLocaleString("en")}${match.over ? "" : ` of ${match.planned.toLocaleString("en")}`}`),
      el("td", { class: "number" }, match.won ? `${signed(match.won.mean)} ± ${half(match.won)}` : "–"),
      el("td", {}, match.begun))))));
}

async function matchPage(page, file, number) {
  const match = await get(`/results/${path(file, number)}`);
  const rate = (value) => (value === null || value === undefined ? "–" : `${(100 * value).toFixed(1)} %`);
  const rows = match.agents.map((agent, n) => el("tr", {}, el("th", { scope: "row" }, match.names[n]), el("td", {}, `${signed(agent.mean)} (${signed(agent.interval[0])} to ${signed(agent.interval[1])})`),
    [agent.vpip, agent.pfr, agent.three_bet, agent.went_to_showdown, agent.won_at_showdown].map((value) => el("td", {}, rate(value))), el("td", {}, `${(1000 * agent.seconds["95"]).toFixed(1)} ms`), el("td", {}, String(Object.values(agent.faults).reduce((sum, value) => sum + value, 0)))));
  const deals = match.deals.map(({ deal, won, halves }) => el("tr", {}, el("td", {}, el("a", { href: `/arena/${path(file, number, deal)}` }, `Deal ${deal}`)), el("td", { class: `number ${won > 0 ? "up" : won < 0 ? "down" : ""}` }, `${signed(won)} bb`), el("td", { class: "number" }, halves.map((each) => signed(each)).join(", "))));
  fill(
    page,
    el("div", { class: "study-head" }, el("h1", {}, match.title), el("a", { href: `/arena/${path(file)}` }, "All matches")),
    el("div", { class: "arena" },
      el("section", { class: "panel" },
        el("p", {}, `${match.game}, ${match.hands.toLocaleString("en")} hands${match.hands < match.planned ? ` of ${match.planned.toLocaleString("en")}` : ""}. ${match.verdict}`),
        el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Agents" }, el("table", { class: "cross" }, el("thead", {}, el("tr", {}, ["", `Won, ${match.unit}, 95 %`, "VPIP", "PFR", "3-bet", "To showdown", "Won there", "95 % of decisions within", "Rulings"].map((text) => (text ? el("th", { scope: "col" }, text) : el("td"))))), el("tbody", {}, rows)))),
      el("section", { class: "panel charts" }, el("figure", {}, el("figcaption", {}, `${match.names[0]}: result and its interval over the match, ${match.unit}`), chart(match.course, { name: "Result", zero: true, dots: match.course.length < 2, x: (hands) => `${Math.round(hands).toLocaleString("en")} hands`, y: (value) => `${Number(value.toPrecision(3))}` }))),
      el("section", { class: "panel" }, el("h2", {}, `Deals that moved most for ${match.names[0]}`),
        deals.length ? el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Deals" }, el("table", { class: "cross" }, el("thead", {}, el("tr", {}, ["Deal", "Together", "Each half, bb"].map((text) => el("th", { scope: "col" }, text)))), el("tbody", {}, deals))) : el("p", { class: "faint" }, "The hands of this match were not kept."))),
  );
  return null;
}

async function replayPage(page, file, number, deal) {
  const halves = await get(`/results/${path(file, number, deal)}`);
  const steps = Math.max(...halves.map((each) => each.steps.length));
  const state = { at: 0 };
  const boxes = halves.map(() => el("section", { class: "panel half" }));
  const slider = el("input", { type: "range", min: 0, max: steps, value: 0, "aria-label": "Step", oninput: ({ currentTarget }) => to(Number(currentTarget.value)) });
  const say = el("p", { class: "spoken", role: "status" });
  const to = (at) => {
    state.at = Math.min(Math.max(at, 0), steps);
    slider.value = state.at;
    halves.forEach((each, n) => drawHalf(boxes[n], each, state.at));
    say.textContent = halves.map((each) => `Half ${each.half + 1}: ${text(each, state.at)}.`).join(" ");
  };
  fill(
    page,
    el("div", { class: "study-head" }, el("h1", {}, `Deal ${deal} of match ${number}`), el("a", { href: `/arena/${path(file, number)}` }, "Back to the match"), deal ? el("a", { href: `/arena/${path(file, number, deal - 1)}` }, "Deal before") : null, deal + 1 < halves[0].deals ? el("a", { href: `/arena/${path(file, number, deal + 1)}` }, "Deal after") : null),
    el("p", { class: "faint" }, "The same cards are played again with the seats exchanged, so neither agent has the better cards over the deal. Arrow keys go on and back."),
    el("div", { class: "replay-bar" }, el("button", { type: "button", onclick: () => to(state.at - 1) }, "Back"), slider, el("button", { type: "button", onclick: () => to(state.at + 1) }, "On")),
    el("div", { class: "halves" }, boxes), say,
  );
  const deaf = listen([["← →", "a step back, a step on"], ["Home End", "the deal, the end"]], (event, key) => {
    const step = { arrowleft: -1, arrowright: 1, home: -steps, end: steps }[key];
    if (!step || inField(event)) return false;
    to(state.at + step);
    return true;
  });
  to(0);
  return deaf;
}

const text = (each, at) => (at >= each.steps.length ? "the end" : each.steps[at].text);

function drawHalf(box, each, at) {
  const over = at >= each.steps.length;
  const step = each.steps[Math.min(at, each.steps.length - 1)];
  const bb = (chips) => `${Number((chips / each.big_blind).toFixed(1))} bb`;
  const seats = each.names.map((name, seat) => el("li", { class: `${step.seat === seat && !over ? "turn" : ""}${step.live[seat] ? "" : " folded"}` },
    faces(each.cards[seat], true), el("span", { class: "name" }, name, seat === each.button ? " (button)" : ""), el("span", { class: "faint" }, over ? "" : `${bb(step.stacks[seat])}${step.bets[seat] ? `, bet ${bb(step.bets[seat])}` : ""}`),
    over ? el("b", { class: each.payoffs[seat] > 0 ? "up" : each.payoffs[seat] < 0 ? "down" : "" }, `${signed(each.payoffs[seat] / each.big_blind)} bb`) : null));
  fill(
    box,
    el("h2", {}, `Half ${each.half + 1}`),
    el("div", { class: "board-line" }, step.board.length ? faces(step.board) : el("span", { class: "faint" }, "no board yet")),
    el("p", {}, `Pot ${bb(step.pot)}. `, el("b", {}, over ? "The end" : step.text)),
    el("ul", { class: "seats" }, seats),
    each.faults.map((fault) => el("p", { class: "note" }, fault)),
    el("ol", { class: "log", tabindex: 0, "aria-label": `What happened in half ${each.half + 1}` }, each.log.map((line) => el("li", { class: line.kind }, line.parts.flatMap((part) => [typeof part === "string" ? part : faces(part, true), " "])))),
  );
}
