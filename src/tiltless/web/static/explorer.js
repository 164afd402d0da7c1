// The explorer: a node of a blueprint or of a solved spot. The address has all of its state.
import { get } from "./api.js";
import { CARDS, cardPicker } from "./card_picker.js";
import { curves } from "./chart.js";
import { combosTable, handBox, kindsTable } from "./combos.js";
import { faces } from "./cards.js";
import { el, fill, toast } from "./dom.js";
import { CLASSES, fixed, grid, heat, legend, percent } from "./grid.js";
import { inField, listen } from "./keys.js";
import { lockBox } from "./lock.js";

const SHOWS = { mix: "Strategy", suits: "By suit", ev: "EV", equity: "Equity", eqr: "EQR", weight: "Weight" };
const NAMES = { oop: "OOP", ip: "IP" };
const PLACES = { oop: "out of position: acts first after the flop", ip: "in position: acts last after the flop" };
const EQR = "Equity realisation: EV in percent of what the equity alone would win.";
const KEYS = [
  ["1 … 9", "take the n-th action"], ["← →", "along the line"], ["T", "choose a card"], ["G", "next view of the grid"], ["P", "the other player"],
  ["/", "filter the combos"], ["Esc", "no hand"], ["L", "lock this node"], ["U", "copy the address of this page"],
];

/** base: the node's address under /api.  about: title, and the spot if it is one. */
export async function explorer(page, base, about, go) {
  const state = { node: null, picks: [], cards: null, params: read(), ahead: [] };
  let turn = 0; // of the newest request: answers to earlier ones are dropped
  const strip = el("nav", { class: "strip", "aria-label": "Line" });
  const left = el("section", { class: "left-side" });
  const [facts, choice, chosen, more] = Array.from({ length: 4 }, () => el("div", { class: "part" }));
  const combos = el("div", { class: "part below" });
  const right = el("section", { class: "right-side" }, facts, choice, chosen, more, combos);
  const say = el("p", { class: "spoken", role: "status" });
  fill(page, el("div", { class: "study-head" }, el("h1", {}, about.title), about.note ? el("span", { class: "faint" }, about.note) : null, el("a", { href: "/study" }, "All blueprints and spots")), strip, el("div", { class: "explorer" }, left, right), say);

  const address = () => {
    const kept = Object.entries(state.params).filter(([, value]) => value);
    return `${location.pathname}${kept.length ? `?${new URLSearchParams(kept)}` : ""}`;
  };
  /** Show a node; false if another was asked for meanwhile, or the page was left. */
  const load = async (params) => {
    const mine = ++turn;
    const { line = "", board = "", of = "" } = params;
    const query = base.startsWith("/blueprints") ? { line, board, of } : { line, of };
    let node;
    try {
      node = await get(`${base}/node?${new URLSearchParams(query)}`);
    } catch (problem) {
      if (mine === turn) throw problem;
    }
    if (mine !== turn) return false;
    Object.assign(state, { node, params, picks: [], cards: null });
    draw();
    say.textContent = spokenNode(node);
    if (node.kind === "spot" && node.cards.length) loadCards(node);
    return true;
  };
  const loadCards = async (node) => {
    const found = await get(`${base}/cards?${new URLSearchParams({ line: node.line })}`);
    if (state.node !== node) return;
    state.cards = found;
    keepFocus(drawCards);
  };
  /** Go to another node: a new entry of the history. */
  const walk = async (changes, ahead = []) => {
    try {
      if (!(await load({ ...state.params, ...changes }))) return;
    } catch (problem) {
      toast(problem.message);
      return;
    }
    state.ahead = ahead;
    history.pushState(null, "", address());
  };
  /** Look at the same node differently: the same entry. */
  const look = async (changes) => {
    if ("of" in changes) {
      if (!(await load({ ...state.params, ...changes }))) return;
    } else {
      Object.assign(state.params, changes);
      if (!("sort" in changes || "filter" in changes)) keepFocus(drawLook); // the table of combos draws itself
    }
    history.replaceState(null, "", address());
  };
  const take = (word, line = state.node.line) => walk({ line: `${line} ${word}`.trim(), of: "" });
  const deal = (card) => {
    const { node } = state;
    if (node.kind === "spot") return take(card);
    state.picks = state.picks.includes(card) ? state.picks.filter((each) => each !== card) : [...state.picks, card];
    if (state.picks.length === node.needs) return walk({ board: [...node.board, ...state.picks].join("") });
    return keepFocus(drawCards);
  };
  const back = (step) => {
    const { line, board, of } = state.params;
    return walk({ line: step.line, board: step.board ?? board, of: "" }, [...state.ahead, { line, board, of }]);
  };
  const onward = () => walk(state.ahead[state.ahead.length - 1], state.ahead.slice(0, -1));
  const copy = async () => {
    await navigator.clipboard.writeText(location.href);
    toast("The address of this page is copied.");
  };

  /** Draw, and leave the focus on what it was on; if that is gone, on the first action or card. */
  const keepFocus = (drawing) => {
    const held = page.contains(document.activeElement) ? mark(document.activeElement) : null;
    drawing();
    if (!held || page.contains(document.activeElement)) return;
    const alike = [...page.querySelectorAll("button, summary, .hand")].find((each) => mark(each) === held);
    (alike || right.querySelector(".take, .pick:not(:disabled)"))?.focus({ preventScroll: true });
  };
  const drawCards = () => fill(choice, state.node.cards.length ? cardsBox(state, deal) : null);
  const drawLook = () => {
    const { node, params } = state;
    drawLeft(left, node, params, look);
    fill(chosen, CLASSES.includes(params.hand) ? handBox(node, params.hand) : null);
  };
  const drawCombos = () => fill(combos, state.node.combos.length ? combosTable(state.node, state.params, look) : null);
  const draw = () => keepFocus(() => {
    const { node } = state;
    const open = [...more.querySelectorAll("details[open] summary")].map(({ textContent }) => textContent);
    drawStrip(strip, node, take, back);
    fill(facts, infoBox(node), actionsBox(node, take));
    drawCards();
    drawLook();
    fill(more, moreBoxes(node, base, about, go, (name) => {
      look({ filter: name });
      drawCombos();
      combos.querySelector(".filter").focus();
    }));
    for (const each of more.querySelectorAll("details")) each.open = open.includes(each.querySelector("summary").textContent);
    drawCombos();
  });
  const deaf = listen(KEYS, (event, key) => {
    if (inField(event, ", .grid, .picker")) return false;
    const { node, params } = state;
    const lock = right.querySelector(".locking");
    const shows = offered(node);
    const last = node.strip[node.strip.length - 1];
    if (key === "arrowleft" && last) back(last);
    else if (key === "arrowright" && state.ahead.length) onward();
    else if (/^[1-9]$/.test(key) && node.actions[key - 1]) take(node.actions[key - 1].word);
    else if (key === "g") {
      const next = shows[(shows.indexOf(params.show || "mix") + 1) % shows.length];
      look({ show: next === "mix" ? "" : next });
    }
    else if (key === "p") look({ of: node.of === "oop" ? "ip" : "oop" });
    else if (key === "/") right.querySelector(".filter")?.focus();
    else if (key === "escape") look({ hand: "" });
    else if (key === "t" && node.cards.length) right.querySelector(".pick:not(:disabled)").focus();
    else if (key === "u") copy();
    else if (key === "l" && lock) {
      lock.open = true;
      lock.querySelector("input").focus();
    } else return false;
    return true;
  });
  await load(state.params);
  return () => {
    turn += 1;
    deaf();
  };
}

/** What tells an element from the others, also after it was drawn again. */
function mark({ dataset, className, textContent }) {
  return dataset.hand || dataset.card || dataset.word || `${className} ${textContent}`;
}

function read() {
  const params = new URLSearchParams(location.search);
  return Object.fromEntries(["line", "board", "of", "show", "hand", "sort", "filter", "height"].map((name) => [name, params.get(name) || ""]));
}

/** The ways to show a node: a blueprint has no EV, and before the flop no equity and no suits. */
function offered(node) {
  const known = { ev: node.classes.ev, equity: node.classes.equity, eqr: node.classes.ev };
  return Object.keys(SHOWS).filter((show) => {
    if (show in known) return known[show].some((value) => value !== null);
    if (show === "suits") return node.combos.length > 0 && node.classes.strategy;
    return true;
  });
}

function drawStrip(box, node, take, back) {
  const steps = node.strip.map((step) => {
    if (step.kind === "card") return el("div", { class: "step" }, el("span", { class: "who" }, "Board"), el("span", { class: "dealt" }, faces(step.cards, true)));
    return el(
      "div",
      { class: "step" },
      el("button", { type: "button", class: "quiet who", onclick: () => back(step) }, NAMES[step.player]),
      step.choices.map(({ word, label }, n) => el("button", { type: "button", class: n === step.taken ? "choice taken" : "choice", "aria-pressed": n === step.taken ? "true" : "false", onclick: () => take(word, step.line) }, label)),
    );
  });
  const end = node.over ? (node.over === "showdown" ? "Showdown" : "The hand is over") : node.cards.length ? (node.needs === 3 ? "The flop is dealt" : "A card is dealt") : `${NAMES[node.player]} to act`;
  const begin = node.kind === "spot" ? el("div", { class: "step" }, el("span", { class: "who" }, "Board"), el("span", { class: "dealt" }, faces(node.board.slice(0, node.dealt), true))) : null;
  fill(box, begin, steps, el("div", { class: "step now" }, el("span", { class: "who" }, "Now"), el("span", { class: "dealt" }, end)));
  box.scrollLeft = box.scrollWidth;
}

function drawLeft(box, node, params, look) {
  const shows = offered(node);
  const show = shows.includes(params.show) ? params.show : "mix";
  const tabs = el("div", { class: "tabs", role: "group", "aria-label": "What the grid shows" }, shows.map((each) =>
    el("button", { type: "button", "aria-pressed": each === show ? "true" : "false", onclick: () => look({ show: each === "mix" ? "" : each }) }, each === "mix" && !node.classes.strategy ? "Range" : SHOWS[each])));
  const players = el("div", { class: "tabs", role: "group", "aria-label": "Whose hands" }, ["oop", "ip"].map((each) =>
    el("button", { type: "button", title: PLACES[each], "aria-pressed": each === node.of ? "true" : "false", onclick: () => look({ of: each }) }, `${NAMES[each]}${each === node.player && !node.cards.length ? ", to act" : ""}`)));
  const holder = el("div");
  const { ev, equity } = node.classes;
  const eqr = ev.map((value, n) => (value === null || !equity[n] ? null : value / (equity[n] * node.pot)));
  const values = { ev, equity, eqr, weight: node.classes.weight }[show] || null;
  const format = show === "ev" ? (value) => fixed(value, 1) : (value) => `${Math.round(100 * value)}`;
  grid(holder, {
    actions: node.actions, weight: node.classes.weight, strategy: node.classes.strategy, values, format, selected: params.hand, scale: show === "equity" || show === "weight" ? [0, 1] : null,
    suits: show === "suits" ? bySuit(node) : null, full: params.height === "full", name: `${NAMES[node.of]}: ${SHOWS[show]} of every hand`,
  }, (hand) => look({ hand: hand === params.hand ? "" : hand }));
  const note = { mix: node.classes.strategy ? "Colours: what the hand does. Height: how much of it is in the range." : "Height: how much of the hand is in the range.", suits: "One stripe for each combination of suits.", ev: "Chips that the hand wins from here on.", equity: "Share of the pot in percent, if nobody bet again.", eqr: EQR, weight: "How much of the hand is in the range, in percent." }[show];
  const height = el("button", { type: "button", class: "quiet slim", "aria-pressed": params.height === "full" ? "true" : "false", onclick: () => look({ height: params.height === "full" ? "" : "full" }) }, "Full height");
  fill(box, el("div", { class: "bar-row" }, players, tabs, show === "mix" && node.classes.strategy ? height : null), holder, el("p", { class: "faint" }, params.height === "full" && show === "mix" && node.classes.strategy ? "Colours: what the hand does, however much of it is in the range." : note));
}

function bySuit(node) {
  const found = new Map(CLASSES.map((name) => [name, []]));
  for (const combo of node.combos) found.get(combo.class).push({ weight: combo.weight, shares: combo.mix || [] });
  return found;
}

function actionsBox(node, take) {
  if (!node.actions.length) return null;
  const query = new URLSearchParams({ line: node.line, ...(node.kind === "blueprint" ? { board: node.board.join("") } : {}) });
  const values = node.actions.some(({ ev }) => ev !== null);
  return el("section", { class: "panel" },
    el("h2", {}, `${NAMES[node.player]} to act`),
    legend(node.actions, node.actions.map(({ frequency }) => frequency), ({ word }) => take(word), (n) => [
      node.actions[n].bb !== null && node.kind === "blueprint" ? el("span", { class: "faint" }, `${node.actions[n].bb} bb`) : null,
      node.actions[n].ev !== null ? el("span", { class: "ev" }, `EV ${fixed(node.actions[n].ev)}`) : null,
    ]),
    el("p", { class: "faint" }, `Click an action, or press its number, to go on.${values ? " EV: chips that the hands which take the action win on average." : ""}`),
    el("p", {}, el("a", { href: `/drill${location.pathname.replace("/study", "")}?${query}` }, "Drill this decision")));
}

/** The equity curve, ways to solve this node differently, and what the hands are. */
function moreBoxes(node, base, about, go, filter) {
  const query = new URLSearchParams({ from: base.slice(1), line: node.line, board: node.board.join("") });
  return [
    Object.values(node.curves || {}).some((points) => points.length) ? curveBox(node) : null,
    node.kind === "blueprint" && node.board.length >= 3 && !node.needs && node.player
      ? el("p", {}, el("a", { class: "go", href: `/study/new?${query}` }, `Solve this ${node.street} exactly`)) : null,
    node.kind === "spot" && node.player ? lockBox(node, about, go) : null,
    node.combos.length ? kindsTable(node, filter) : null,
  ];
}

function infoBox(node) {
  const behind = Math.min(node.stacks.ip, node.stacks.oop);
  const odds = node.to_call ? `, must win ${percent(node.to_call / (node.pot + node.to_call))}` : "";
  const blinds = node.big_blind ? ` (${Number((node.pot / node.big_blind).toFixed(1))} bb)` : "";
  const facts = [
    ["Pot", `${node.pot}${blinds}`],
    ["Behind", `${behind}, ${(behind / node.pot).toFixed(1)} pots`],
    node.to_call ? ["To call", `${node.to_call}${odds}`] : null,
    ["Comes up", percent(node.often)],
  ].filter(Boolean);
  const columns = [["Combos", "combos", String], ["EV, chips", "ev", (value) => fixed(value)], ["Equity", "equity", percent], ["EQR", "eqr", percent]]
    .filter(([, key]) => Object.values(node.totals).some((total) => total[key] !== null));
  const totals = Object.entries(node.totals).map(([name, total]) =>
    el("tr", {}, el("th", { scope: "row", title: PLACES[name] }, NAMES[name]), columns.map(([, key, text]) => el("td", {}, total[key] === null ? "" : text(total[key])))));
  return el(
    "section",
    { class: "panel info" },
    node.board.length ? el("p", {}, faces(node.board)) : null,
    el("dl", {}, facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
    el("table", {}, el("thead", {}, el("tr", {}, el("td"), columns.map(([name]) => el("th", { scope: "col", title: name === "EQR" ? EQR : null }, name)))), el("tbody", {}, totals)),
    node.often < 0.001 ? el("p", { class: "note" }, "Play hardly ever comes here, so the strategy may be rough.") : null,
    (node.notes || []).map((note) => el("p", { class: "note" }, note)),
    node.locks ? el("p", { class: "note" }, node.locked ? "This node is locked." : `${node.locks} nodes are locked in this spot.`) : null,
  );
}

/** Equity from the best hand of a range to its worst, of both players where both are known. */
function curveBox(node) {
  const lines = Object.entries(node.curves).filter(([, points]) => points.length);
  const name = lines.map(([player, points]) => `${NAMES[player]} ${percent(points[Math.round(points.length / 2)])} in the middle`).join(", ");
  return el("details", { class: "panel" }, el("summary", {}, "Equity curve"),
    curves(lines.map(([player, points]) => ({ name: NAMES[player], kind: player, points: points.map((value, n) => [n / (points.length - 1), value]) })), `Equity from the best hand to the worst: ${name}`),
    el("p", { class: "faint" }, "From left to right: hands of the range from the best to the worst. Up: the share of the pot that they win on average if nobody bets again."));
}

function cardsBox(state, deal) {
  const { node, cards, picks } = state;
  const notes = {};
  if (cards) {
    const values = cards.map((each) => each.oop.ev).filter((value) => value !== null);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    for (const each of cards) if (each.oop.ev !== null) notes[each.card] = { text: fixed(each.oop.ev, 0), colour: heat(each.oop.ev, low, high) };
  }
  const wanted = node.needs ? `Choose ${node.needs - picks.length} more ${node.needs - picks.length === 1 ? "card" : "cards"}` : "Choose the next card";
  const dead = CARDS.filter((card) => !node.cards.includes(card));
  return el("section", { class: "panel" }, el("h2", {}, wanted), cardPicker({ picked: picks, dead, notes }, deal), cards ? el("p", { class: "faint" }, "Numbers: OOP's EV in chips after the card.") : null);
}

function spokenNode(node) {
  if (node.over) return "The hand is over.";
  if (node.cards.length) return `${node.street} over, pot ${node.pot}. Choose a card.`;
  const actions = node.actions.map(({ label, frequency }) => `${label} ${percent(frequency)}`).join(", ");
  return `${NAMES[node.player]} to act, pot ${node.pot}: ${actions}.`;
}
