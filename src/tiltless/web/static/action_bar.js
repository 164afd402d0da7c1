// The action bar: fixed buttons, sizes, slider, typed amounts; all-in apart and confirmed.
import { el, fill, toast } from "./dom.js";
import { palette } from "./grid.js";

const DEAD = 300; // ms in which a new question takes no click, so that no button changes under a finger

/**
 * Draw the bar; returns a function that handles a key and says whether it was one of ours.
 * @param {HTMLElement} bar
 */
export function actionBar(bar, state, { act, next, hint, review, offline }) {
  const { data, busy } = state;
  const view = data.table;
  const asked = `${data.seq}`;
  if (bar.dataset.asked !== asked) {
    bar.dataset.asked = asked;
    bar.dataset.since = Date.now();
    bar.dataset.allIn = "";
    bar.dataset.to = "";
  }
  const ready = (what) => (...given) => {
    if (Date.now() - Number(bar.dataset.since) >= DEAD && !state.busy) what(...given);
  };
  const inBlinds = (chips) => `${Number((chips / view.big_blind).toFixed(1))} bb`;
  if (view.over) {
    const deal = el("button", { class: "main", type: "button", disabled: busy || offline, onclick: ready(next) }, "Next hand (N)");
    const look = view.seats.length === 2 ? el("button", { type: "button", class: "quiet", onclick: review }, "Review this hand (V)") : null;
    fill(bar, deal, look);
    if (!busy) deal.focus({ preventScroll: true });
    return (event) => {
      const key = event.key.toLowerCase();
      if (key === "n") ready(next)();
      else if (key === "v" && look) review();
      else return false;
      return true;
    };
  }
  const actions = view.actions;
  if (!actions || busy) {
    const who = view.seats.length === 2 ? `${view.seats[1 - view.seat].name} is` : "The others are";
    fill(bar, el("div", { class: "waiting", role: "status" }, el("span", { class: "spin", "aria-hidden": "true" }), `${who} thinking`, state.slow ? thinkingBar() : null));
    return () => false;
  }
  const chosen = bar.dataset.to || actions.min; // the bar is drawn again when a hint comes
  const amount = el("input", { type: "text", class: "typed", value: chosen, "aria-label": `${actions.verb} to: chips, 3bb or 50%`, title: "chips, 3bb or 50%", inputmode: "decimal", autocomplete: "off" });
  const slider = el("input", { type: "range", min: actions.min, max: actions.max, step: 1, value: chosen, "aria-label": `${actions.verb} to` });
  const raise = el("button", { type: "button", class: "raise", disabled: offline, onclick: ready(() => bet(typed())) });
  const typed = () => read(amount.value, view);
  const legal = (to) => Number.isInteger(to) && to >= actions.min && to <= actions.max;
  const relabel = () => {
    const to = typed();
    bar.dataset.allIn = "";
    const word = actions.verb === "bet" ? "Bet" : "Raise to";
    const size = legal(to) ? `${to} (${inBlinds(to)})` : "…";
    raise.textContent = to === actions.max && actions.all_in ? `All-in ${size}` : `${word} ${size}`;
  };
  const choose = (to) => {
    const nearest = Math.min(Math.max(Math.round(to), actions.min), actions.max);
    amount.value = nearest;
    bar.dataset.to = nearest;
    slider.value = nearest;
    relabel();
  };
  const bet = (to) => {
    if (!legal(to)) {
      toast(`${amount.value.trim() ? `"${amount.value.trim()}" is not possible here` : "the amount is missing"}; choose ${actions.min} to ${actions.max} chips, or write 3bb or 50%`);
      return;
    }
    if (to >= actions.max && actions.all_in && bar.dataset.allIn !== "asked") {
      bar.dataset.allIn = "asked";
      raise.textContent = `All-in ${to} (${inBlinds(to)}): press again`;
      return;
    }
    act("raise", to);
  };
  slider.addEventListener("input", () => choose(Number(slider.value)));
  amount.addEventListener("input", () => {
    if (typed()) slider.value = typed();
    bar.dataset.to = amount.value;
    relabel();
  });
  amount.addEventListener("keydown", (event) => {
    if (event.key === "Escape") amount.blur();
    if (event.key === "Enter") {
      event.preventDefault();
      event.stopPropagation();
      if (!event.repeat) ready(() => bet(typed()))();
    }
  });
  const fold = () => {
    if (actions.fold) act("fold");
    else toast("checking is free: press C");
  };
  const stay = () => act(actions.check ? "check" : "call");
  const odds = actions.odds ? `, must win ${Math.round(100 * actions.odds)} %` : "";
  const plain = [
    el("button", { type: "button", class: "fold", disabled: !actions.fold || offline, onclick: ready(fold) }, "Fold"),
    actions.check
      ? el("button", { type: "button", class: "call", disabled: offline, onclick: ready(stay) }, "Check")
      : el("button", { type: "button", class: "call", disabled: offline, onclick: ready(stay), title: `call ${actions.call}${odds}` },
        `${actions.call >= view.seats[view.seat].stack ? "Call all-in" : "Call"} ${actions.call} `, el("small", {}, `(${inBlinds(actions.call)})`)),
  ];
  const sizes = actions.sizes.map(({ label, to }, number) =>
    el("button", { type: "button", class: "size", "aria-keyshortcuts": number + 1, onclick: () => choose(to) }, label, el("small", {}, to)));
  const allIn = el("button", { type: "button", class: "size all-in", onclick: () => choose(actions.max) }, actions.all_in ? "All-in" : "Max", el("small", {}, actions.max));
  const raising = actions.max
    ? el("div", { class: "raising" }, el("div", { class: "sizes" }, sizes, allIn), el("div", { class: "amount" }, slider, amount, raise))
    : null;
  const help = el("button", { type: "button", class: "quiet", disabled: offline, onclick: ready(hint) }, "Hint (H)");
  fill(bar, el("div", { class: "plain" }, plain, help), raising, state.hint ? hintBox(state.hint) : null);
  if (actions.max) relabel();
  return (event) => {
    const key = event.key.toLowerCase();
    const steps = { arrowup: 1, arrowdown: -1 };
    if (key === "f") ready(fold)();
    else if (key === "c" || key === "k") ready(stay)();
    else if (key === "h") ready(hint)();
    else if (key === "a" && actions.max) choose(actions.max);
    else if (key === "r" && actions.max) amount.focus(), amount.select();
    else if (key === "enter" && bar.dataset.to && !event.target.closest("a, button")) ready(() => bet(typed()))();
    else if (key in steps && actions.max && event.target !== slider) choose((typed() || actions.min) + steps[key] * view.big_blind);
    else if (/^[1-9]$/.test(key) && actions.sizes[key - 1]) choose(actions.sizes[key - 1].to);
    else return false;
    return true;
  };
}

/** Chips of a typed amount: 12, 3bb, 50% of the pot after calling; NaN for anything else. */
function read(text, view) {
  const found = /^\s*([0-9]+(?:[.,][0-9]+)?)\s*(bb|%)?\s*$/i.exec(text);
  if (!found) return NaN;
  const amount = Number(found[1].replace(",", "."));
  const { call, bet } = view.actions;
  if (found[2] === "%") return Math.round(bet + call + (amount / 100) * (view.pot + call));
  return found[2] ? Math.round(amount * view.big_blind) : amount;
}

/** A bar that fills while an agent searches, which takes about two seconds. */
function thinkingBar() {
  const inside = el("i");
  requestAnimationFrame(() => requestAnimationFrame(() => { inside.style.width = "100%"; }));
  return el("span", { class: "thinking-bar", "aria-hidden": "true" }, inside);
}

function hintBox(hint) {
  const rows = hint.policy.filter(({ probability }) => probability >= 0.0005);
  return el(
    "div",
    { class: "hint" },
    el("p", {}, rows.length ? "With your cards it would play" : `It would ${hint.action.toLowerCase()}`),
    rows.map(({ label, colours, probability, value }) =>
      el(
        "div",
        { class: "mix" },
        el("span", { class: "label" }, label),
        el("span", { class: "fill", style: { background: colours[palette()], width: `${(60 * probability).toFixed(1)}%` } }),
        el("span", {}, `${(100 * probability).toFixed(0)} %${value === null || value === undefined ? "" : `, ${value.toFixed(2)} bb`}`),
      )),
  );
}
