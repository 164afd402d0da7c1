// Fifty-two cards to choose from, by mouse or by arrow keys.
import { spoken, suitMark } from "./cards.js";
import { el } from "./dom.js";

const RANKS = "AKQJT98765432";
const SUITS = "shdc";
/** All cards, from the aces down. */
export const CARDS = [...RANKS].flatMap((rank) => [...SUITS].map((suit) => rank + suit));

/**
 * picked: cards that are chosen.  dead: cards that cannot be.  notes: card -> {text, colour}.
 */
export function cardPicker({ picked = [], dead = [], notes = {} }, onpick) {
  const rows = [...SUITS].map((suit) =>
    el("div", { role: "row", class: "picker-row" }, [...RANKS].map((rank) => {
      const card = rank + suit;
      const note = notes[card];
      return el(
        "button",
        {
          type: "button", role: "gridcell", class: `pick ${suit}${picked.includes(card) ? " picked" : ""}`, "data-card": card,
          disabled: dead.includes(card), "aria-label": note ? `${spoken(card)}: ${note.text}` : spoken(card),
          "aria-selected": picked.includes(card) ? "true" : "false",
          onclick: () => onpick(card),
        },
        el("b", {}, rank),
        suitMark(suit),
        note ? el("small", { style: { "--heat": note.colour } }, note.text) : null,
      );
    })));
  return el("div", { role: "grid", class: "picker", "aria-label": "Cards", onkeydown: move }, rows);
}

function move(event) {
  const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -13, ArrowDown: 13 };
  if (!(event.key in steps)) return;
  const all = [...event.currentTarget.querySelectorAll(".pick")];
  const step = steps[event.key];
  let at = all.indexOf(event.target) + step;
  while (all[at]?.disabled) at += step;
  all[at]?.focus();
  event.preventDefault();
  event.stopPropagation();
}
