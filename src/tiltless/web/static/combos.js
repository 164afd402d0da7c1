// Combos of a node: the suits of one class, and the whole range as a table.
import { el, fill } from "./dom.js";
import { faces } from "./cards.js";
import { CLASSES, fixed, legend, mixed, mixWords, percent } from "./grid.js";

const SHOWN = 150;
const NUMBERS = ["weight", "ev", "equity"];

/** A class: what it does, and each of its combos. */
export function handBox(node, hand) {
  const n = CLASSES.indexOf(hand);
  const combos = node.combos.filter((combo) => combo.class === hand);
  const mix = node.classes.strategy?.[n];
  const { weight, ev, equity } = node.classes;
  const facts = [weight[n] ? `${percent(weight[n])} of it is here` : "not in this range", ev[n] !== null ? `EV ${fixed(ev[n])} chips` : "", equity[n] !== null ? `equity ${percent(equity[n])}` : ""].filter(Boolean).join(", ");
  return el(
    "section",
    { class: "panel" },
    el("h2", {}, hand),
    el("p", { class: "faint" }, facts),
    mix && weight[n] ? legend(node.actions, mix) : null,
    combos.length ? el("ul", { class: "suits" }, combos.map((combo) => el(
      "li",
      { title: combo.mix ? mixWords(node.actions, combo.mix) : "" },
      faces(combo.hand.match(/../g), true),
      el("span", { class: "mixed", style: { background: combo.mix ? mixed(node.actions, combo.mix) : "var(--range)" } }),
      el("small", {}, combo.ev !== null ? fixed(combo.ev, 1) : percent(combo.weight)),
    ))) : null,
    combos.length ? el("p", { class: "faint" }, combos[0].ev !== null ? "Numbers: EV in chips." : "Numbers: how much of it is in the range.") : null,
  );
}

/**
 * The table of all combos: sorted by a click on a heading, filtered by words.
 * state: { sort, filter }, which are part of the address.  look: changes them, or the chosen hand.
 */
export function combosTable(node, state, look) {
  const body = el("tbody");
  const count = el("span", { class: "faint", role: "status" });
  const filter = el("input", { class: "filter", type: "search", placeholder: "AK, top pair, flush draw…", "aria-label": "Filter combos", value: state.filter });
  const sorted = () => state.sort || "weight";
  const columns = [["hand", "Hand"], ["weight", "Weight"], ["ev", "EV, chips"], ["equity", "Equity"], ["made", "Has"], ["mix", node.actions.length && node.combos[0].mix ? "Plays" : ""]].filter(([key, label]) => label && (key !== "ev" || node.combos.some(({ ev }) => ev !== null)));
  const draw = () => {
    const words = state.filter.toLowerCase().split(",").map((word) => word.trim()).filter(Boolean);
    const rows = node.combos.filter((combo) => words.every((word) => `${combo.hand} ${combo.class} ${combo.made} ${combo.draw}`.toLowerCase().includes(word)));
    const sort = sorted();
    const text = sort === "hand" || sort === "made";
    rows.sort((one, two) => (text ? String(one[sort]).localeCompare(two[sort]) : value(two, sort) - value(one, sort)));
    count.textContent = `${rows.length} combos${rows.length > SHOWN ? `, the first ${SHOWN} are shown` : ""}`;
    fill(body, rows.slice(0, SHOWN).map((combo) => el("tr", {}, columns.map(([key]) => cell(key, combo, node, (hand) => look({ hand }))))));
  };
  filter.addEventListener("input", () => {
    look({ filter: filter.value });
    draw();
  });
  draw();
  const heads = columns.map(([key, label]) => el("th", { scope: "col", class: NUMBERS.includes(key) ? "number" : null, "aria-sort": sorted() === key ? (key === "hand" || key === "made" ? "ascending" : "descending") : null },
    key === "mix" ? label : el("button", { type: "button", class: "quiet", onclick: ({ currentTarget }) => {
      look({ sort: key === "weight" ? "" : key });
      for (const head of currentTarget.closest("tr").children) head.removeAttribute("aria-sort");
      currentTarget.parentNode.setAttribute("aria-sort", key === "hand" || key === "made" ? "ascending" : "descending");
      draw();
    } }, label)));
  return el("section", { class: "panel" }, el("h2", {}, "Combos"), el("div", { class: "bar-row" }, filter, count), el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of combos" }, el("table", { class: "combos" }, el("thead", {}, el("tr", {}, heads)), body)));
}

const value = (combo, key) => (key === "mix" ? combo.mix?.[0] ?? 0 : combo[key] ?? -Infinity);

function cell(key, combo, node, pick) {
  if (key === "hand") return el("td", {}, el("button", { type: "button", class: "quiet hand-link", "aria-label": combo.hand, onclick: () => pick(combo.class) }, faces(combo.hand.match(/../g), true)));
  if (key === "mix") return el("td", {}, el("span", { class: "mixed", role: "img", "aria-label": mixWords(node.actions, combo.mix), title: mixWords(node.actions, combo.mix), style: { background: mixed(node.actions, combo.mix) } }));
  if (key === "made") return el("td", {}, [combo.made, combo.draw === "no draw" ? "" : combo.draw].filter(Boolean).join(", "));
  if (combo[key] === null) return el("td", {}, "");
  return el("td", { class: "number" }, key === "ev" ? fixed(combo.ev) : percent(combo[key]));
}

/** Made hands and draws: how much of the range each is, and what it does; a click filters. */
export function kindsTable(node, filter) {
  const groups = new Map();
  for (const combo of node.combos) {
    for (const [kind, name] of [["made", combo.made], ["draw", combo.draw]]) {
      if (!name || name === "no draw") continue;
      const key = `${kind}:${name}`;
      const group = groups.get(key) || { kind, name, weight: 0, ev: 0, mix: node.actions.map(() => 0) };
      group.weight += combo.weight;
      group.ev += combo.weight * (combo.ev ?? 0);
      combo.mix?.forEach((share, n) => { group.mix[n] += combo.weight * share; });
      groups.set(key, group);
    }
  }
  const total = node.combos.reduce((sum, { weight }) => sum + weight, 0);
  const hasEv = node.combos.some(({ ev }) => ev !== null);
  const rows = [...groups.values()].sort((one, two) => (one.kind === two.kind ? two.weight - one.weight : one.kind < two.kind ? 1 : -1)).map((group) => {
    const mix = group.mix.map((share) => share / group.weight);
    return el(
      "tr",
      {},
      el("td", {}, el("button", { type: "button", class: "quiet hand-link", onclick: () => filter(group.name) }, group.name)),
      el("td", { class: "number" }, percent(group.weight / total)),
      hasEv ? el("td", { class: "number" }, fixed(group.ev / group.weight)) : null,
      node.combos[0].mix ? el("td", {}, el("span", { class: "mixed", role: "img", "aria-label": mixWords(node.actions, mix), title: mixWords(node.actions, mix), style: { background: mixed(node.actions, mix) } })) : null,
    );
  });
  const heads = ["Hand", "Share", hasEv ? "EV, chips" : null, node.combos[0].mix ? "Plays" : null].filter(Boolean);
  return el("details", { class: "panel" }, el("summary", {}, "Made hands and draws"), el("table", { class: "combos" }, el("thead", {}, el("tr", {}, heads.map((name) => el("th", { scope: "col", class: name === "Hand" || name === "Plays" ? null : "number" }, name)))), el("tbody", {}, rows)));
}
