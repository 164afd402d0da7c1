// Cards, drawn: rank as text, suit as a path, four colours. Fonts without suits do not matter.
import { el, svg } from "./dom.js";

const PATHS = {
  c: "M8 1.5a3 3 0 0 0-2.6 4.5A3.1 3.1 0 1 0 7.3 11c-.1 1.4-.5 2.5-1.3 3.5h4c-.8-1-1.2-2.1-1.3-3.5a3.1 3.1 0 1 0 1.9-5A3 3 0 0 0 8 1.5z",
  d: "M8 1l5 7-5 7-5-7z",
  h: "M8 14.5C3 10.5 1.5 8.5 1.5 5.8a3.4 3.4 0 0 1 6.5-1.4 3.4 3.4 0 0 1 6.5 1.4c0 2.7-1.5 4.7-6.5 8.7z",
  s: "M8 1.2C4.5 5 2 6.8 2 9.6a2.9 2.9 0 0 0 5.1 1.9c-.1 1.2-.5 2.1-1.2 3h4.2c-.7-.9-1.1-1.8-1.2-3A2.9 2.9 0 0 0 14 9.6C14 6.8 11.5 5 8 1.2z",
};
const SUITS = { c: "clubs", d: "diamonds", h: "hearts", s: "spades" };
const RANKS = { A: "ace", K: "king", Q: "queen", J: "jack", T: "ten", 9: "nine", 8: "eight", 7: "seven", 6: "six", 5: "five", 4: "four", 3: "three", 2: "two" };

/** "ace of spades" */
export const spoken = (card) => `${RANKS[card[0]]} of ${SUITS[card[1]]}`;

/** The symbol of a suit. */
export const suitMark = (suit) => svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: PATHS[suit] }));

/** A card with its face up. */
export function face(card, small = false) {
  const suit = suitMark(card[1]);
  const rank = el("b", { "aria-hidden": "true" }, card[0] === "T" ? "10" : card[0]);
  return el("span", { class: `card ${card[1]}${small ? " small" : ""}`, role: "img", "aria-label": spoken(card) }, rank, suit);
}

/** A card with its face down. */
export const back = () => el("span", { class: "card back", role: "img", "aria-label": "hidden card" });

/** Several cards in a row. */
export const faces = (cards, small = false) => el("span", { class: "cards" }, cards.map((card) => face(card, small)));
