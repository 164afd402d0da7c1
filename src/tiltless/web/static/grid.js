// The 13 x 13 grid of a decision: mixed bars as high as the hand's weight, or a number on heat.
import { el, fill } from "./dom.js";

const RANKS = "AKQJT98765432";
/** Class names in the order of the server: rows and columns from ace to deuce, suited above. */
export const CLASSES = [...RANKS].flatMap((row, i) =>
  [...RANKS].map((column, j) => (i === j ? row + column : i < j ? `${row}${column}s` : `${column}${row}o`)));
const HEAT = ["#b91c1c", "#d97706", "#eab308", "#65a30d", "#15803d"];

export const percent = (share) => `${(100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0)} %`;
/** A number of chips or big blinds: no "-0.0", and a minus that is as wide as a plus. */
export const fixed = (value, digits = 2) => value.toFixed(digits).replace(/^-(0\.?0*)$/, "$1").replace("-", "\u2212");
/** An EV in big blinds, with half of its interval if it is an estimate. */
export const ev = (value, margin, best) =>
  el("span", { class: `ev ${best ? "up" : ""}` }, `${fixed(value)}${margin ? ` ± ${margin.toFixed(2)}` : ""} bb`);
export const palette = () => localStorage.getItem("palette") || "usual";

/** Actions from left to right: raises from large to small, then call or check, then fold. */
export const inOrder = (actions) => actions.map((_, n) => n).reverse();

/** A bar of shares as a CSS gradient. */
export function mixed(actions, shares, direction = "90deg") {
  const stops = [];
  let at = 0;
  for (const n of inOrder(actions)) {
    const share = shares[n] || 0;
    const colour = actions[n].colours[palette()];
    stops.push(`${colour} ${(100 * at).toFixed(2)}% ${(100 * (at + share)).toFixed(2)}%`);
    at += share;
  }
  return at > 0 ? `linear-gradient(${direction}, ${stops.join(", ")})` : "none";
}

export const mixWords = (actions, shares) =>
  inOrder(actions).filter((n) => shares[n] >= 0.005).map((n) => `${actions[n].label} ${percent(shares[n])}`).join(", ");

/** The colour of a number between two others, red to green. */
export const heat = (value, low, high) => HEAT[Math.min(Math.max(Math.floor((5 * (value - low)) / (high - low || 1)), 0), 4)];

/**
 * Draw the grid.
 * state: { actions, weight[169], strategy[169][], values[169] or null, show, selected, suits }
 * values: numbers to show instead of the mix.  scale: [low, high] of their colours; without it a fifth
 * of the hands has each colour, since one large EV would leave all others red.  suits: class -> list of {weight, shares}, stripes.
 */
export function grid(box, state, onpick) {
  const { actions, weight, strategy, values, suits, name = "Strategy of every hand" } = state;
  const most = state.absolute ? 1 : Math.max(...weight, 1e-9);
  const known = values ? values.filter((value, n) => value !== null && weight[n] > 0) : [];
  const order = [...known].sort((one, two) => one - two);
  const colour = (value) => (state.scale ? heat(value, ...state.scale) : heat(order.findIndex((each) => each >= value), 0, order.length - 1));
  const chosen = Math.max(CLASSES.indexOf(state.selected), 0);
  const rows = Array.from({ length: 13 }, (_, row) =>
    el("div", { role: "row", class: "grid-row" }, Array.from({ length: 13 }, (_, column) => {
      const n = 13 * row + column;
      const height = weight[n] / most;
      const there = height >= 0.005;
      const value = values && there ? values[n] : null;
      const bar = el("i");
      const cell = el(
        "div",
        {
          role: "gridcell", class: `hand${there ? "" : " absent"}${CLASSES[n] === state.selected ? " chosen" : ""}`,
          tabindex: n === chosen ? 0 : -1, "data-hand": CLASSES[n],
          "aria-selected": CLASSES[n] === state.selected ? "true" : "false",
          "aria-label": label(n, there, value, state),
          onclick: () => onpick && onpick(CLASSES[n]),
        },
        bar,
        el("b", {}, CLASSES[n]),
        value !== null && value !== undefined ? el("small", {}, state.format ? state.format(value) : fixed(value)) : null,
      );
      if (there && value !== null && value !== undefined) {
        bar.style.background = colour(value);
        bar.style.height = "100%";
      } else if (there && !values) {
        if (suits) stripes(bar, actions, suits.get(CLASSES[n]) || []);
        else {
          bar.style.background = strategy ? mixed(actions, strategy[n]) : "var(--range)";
          bar.style.height = `${Math.max(100 * (state.full ? 1 : height), 4)}%`;
        }
      }
      return cell;
    })));
  fill(box, el("div", { role: "grid", class: `grid${onpick ? " picked-from" : ""}`, "aria-label": name, onkeydown: move }, rows));
}

function label(n, there, value, { actions, strategy, weight, format }) {
  if (!there) return `${CLASSES[n]}: not here`;
  if (value !== null && value !== undefined) return `${CLASSES[n]}: ${format ? format(value) : fixed(value)}`;
  const mix = strategy ? mixWords(actions, strategy[n]) : percent(weight[n]);
  return `${CLASSES[n]}: ${mix}`;
}

/** One stripe for each combo of a class. */
function stripes(bar, actions, combos) {
  const layers = combos.map(({ shares, weight }, n) => ({
    image: weight > 0.005 ? mixed(actions, shares) : "none",
    at: combos.length > 1 ? `0 ${((100 * n) / (combos.length - 1)).toFixed(2)}%` : "0 0",
  }));
  bar.style.height = "100%";
  bar.style.backgroundImage = layers.map(({ image }) => image).join(", ");
  bar.style.backgroundSize = `100% ${(100 / Math.max(combos.length, 1)).toFixed(2)}%`;
  bar.style.backgroundPosition = layers.map(({ at }) => at).join(", ");
  bar.style.backgroundRepeat = "no-repeat";
}

/** Arrow keys within the grid; Enter and space pick a hand. */
function move(event) {
  const cell = event.target.closest(".hand");
  const cells = [...event.currentTarget.querySelectorAll(".hand")];
  const at = cells.indexOf(cell);
  const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -13, ArrowDown: 13 };
  if (event.key in steps) {
    const next = cells[at + steps[event.key]];
    if (next) {
      cell.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    }
  } else if (event.key === "Enter" || event.key === " ") cell.click();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** The actions of a decision with their colours and shares; onclick: what a click on one does. */
export function legend(actions, shares, onclick = null, more = () => null) {
  return el("ul", { class: "legend" }, inOrder(actions).map((n) => {
    const colour = actions[n].colours[palette()];
    const content = [
      el("span", { class: "swatch", style: { background: colour }, "aria-hidden": "true" }),
      el("span", { class: "what" }, actions[n].label),
      el("span", { class: "share" }, shares ? percent(shares[n]) : ""),
      more(n),
      onclick ? el("kbd", { "aria-hidden": "true" }, n + 1) : null,
    ];
    return el("li", {}, onclick ? el("button", { type: "button", class: "quiet take", "data-word": actions[n].word, "aria-keyshortcuts": n + 1, onclick: () => onclick(actions[n]) }, content) : content);
  }));
}
