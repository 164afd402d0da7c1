// The review of a finished hand: each decision, what the strategy does there, and what it cost.
import { AwayError, get } from "./api.js";
import { faces } from "./cards.js";
import { el, fill, sentence } from "./dom.js";
import { CLASSES, ev, fixed, grid, legend, percent } from "./grid.js";
import { inField, listen } from "./keys.js";
import { signed } from "./table.js";

const WORDS = { best: "best", good: "good", inaccuracy: "inaccurate", mistake: "mistake", blunder: "blunder" };
const POLL = 300; // ms

export async function openReview(page, id, hand) {
  const [table, whole] = await Promise.all([get(`/tables/${id}`), get(`/tables/${id}/hands/${hand}`)]);
  const state = { rows: [], cost: null, done: false, at: null, hand: null, error: "" };
  const list = el("ol", { class: "decisions", "aria-label": "Decisions" });
  const detail = el("section", { class: "detail", "aria-live": "polite" });
  const status = el("p", { class: "faint", role: "status" });
  const won = whole.seats[whole.seat].payoff / whole.big_blind;
  const last = table.table.over ? table.hand : table.hand - 1;
  fill(
    page,
    el("div", { class: "review-head" },
      el("h1", {}, `Hand ${hand}`),
      el("span", { class: `won ${won > 0 ? "up" : won < 0 ? "down" : ""}` }, signed(won)),
      faces(whole.seats[whole.seat].cards || [], true),
      whole.board.length ? el("span", {}, "on ", faces(whole.board, true)) : null,
      el("span", { class: "grow" }),
      hand > 1 ? el("a", { href: `/play/${id}/${hand - 1}` }, "Hand before") : null,
      hand < last ? el("a", { href: `/play/${id}/${hand + 1}` }, "Hand after") : null,
      el("a", { href: `/play/${id}` }, "Back to the table")),
    status,
    el("div", { class: "review" }, list, detail),
  );

  const draw = () => {
    fill(list, state.rows.map((row, n) => el("li", {}, decision(row, n, whole, state.at === n, pick))));
    status.textContent = state.error || (state.done ? totals(state) : "Solving…");
    if (state.at !== null) drawDetail(detail, state.rows[state.at], state, draw);
  };
  const pick = (n) => {
    state.at = n;
    state.hand = state.rows[n].class;
    draw();
    list.children[n]?.querySelector("button").focus({ preventScroll: true });
  };
  const deaf = listen([["← →", "through the decisions"]], (event, key) => {
    const step = { arrowleft: -1, arrowright: 1 }[key];
    if (!step || inField(event, ", .grid") || !state.rows.length) return false;
    pick(Math.min(Math.max((state.at ?? 0) + step, 0), state.rows.length - 1));
    return true;
  });
  let left = false;
  const poll = async () => {
    while (!left && !state.done && !state.error) {
      try {
        const found = await get(`/tables/${id}/hands/${hand}/review`);
        state.rows = found.rows;
        state.cost = found.cost;
        state.done = found.done;
      } catch (problem) {
        if (!(problem instanceof AwayError)) state.error = sentence(problem.message); // it will be back
      }
      if (left) return;
      if (state.at === null) {
        const first = state.rows.findIndex(({ mine }) => mine);
        if (first >= 0) {
          state.at = first;
          state.hand = state.rows[first].class;
        }
      }
      draw();
      if (!state.done) await new Promise((done) => setTimeout(done, POLL));
    }
  };
  poll();
  return () => {
    left = true;
    deaf();
  };
}

const amount = ({ cost, margin }) => `${fixed(cost)}${margin ? ` ± ${margin.toFixed(2)}` : ""}`;

/** What the hand cost, in all and by street, and why some of it has no value. */
function totals({ rows, cost }) {
  const streets = cost.streets.map((each) => `${each.street} ${amount(each)}`).join(", ");
  const whole = cost.decisions ? [`Your choices cost ${amount(cost)} bb${cost.streets.length > 1 ? `: ${streets}` : ` (${cost.streets[0].street})`}.`] : [];
  const silent = rows.filter((row) => row.mine && row.note);
  const notes = [...new Set(silent.map(({ note }) => note))].map((note) => {
    const where = [...new Set(silent.filter((row) => row.note === note).map(({ street }) => street))];
    return `No values ${where.map((street) => `${street === "preflop" ? "" : "on the "}${street}`).join(" and ")}: ${note}.`;
  });
  return [...whole, ...notes].join(" ") || "You made no decision in this hand.";
}

function decision(row, n, whole, current, pick) {
  const who = row.mine ? "You" : whole.seats[row.seat].name;
  const verdict = row.cost !== null
    ? row.cost < 0.005 ? "nothing lost" : `−${amount(row)} bb`
    : row.probability !== null ? `blueprint ${percent(row.probability)}` : "";
  const grade = !row.mine || !row.grade ? null
    : row.unclear && row.cost >= 0.005 ? el("span", { class: "grade unclear" }, "unclear")
      : el("span", { class: `grade ${row.grade}` }, WORDS[row.grade]);
  return el(
    "button",
    { type: "button", class: `decision${row.mine ? " mine" : ""}`, "aria-pressed": current ? "true" : "false", onclick: () => pick(n) },
    el("span", { class: "street" }, row.street),
    el("span", { class: "did" }, `${who}: ${row.action}`),
    el("span", { class: "verdict" }, verdict, grade ? [" ", grade] : null),
  );
}

function drawDetail(box, row, state, draw) {
  const { actions } = row;
  const n = CLASSES.indexOf(state.hand);
  const own = row.cards.length && state.hand === row.class;
  const shares = own ? actions.map(({ probability }) => probability ?? 0) : n >= 0 ? row.grid.strategy[n] : null;
  const best = Math.max(...actions.map(({ value }) => value ?? -Infinity));
  const holder = el("div");
  const bb = (chips) => `${chips} chips, ${Number((chips / row.big_blind).toFixed(1))} bb`;
  fill(
    box,
    el("div", { class: "where" },
      el("h2", {}, `${row.street[0].toUpperCase()}${row.street.slice(1)}`), row.board.length ? faces(row.board, true) : null,
      el("span", { class: "faint" }, `pot ${bb(row.pot)}`)),
    el("div", { class: "mine-box" },
      el("h3", {}, own ? (row.mine ? "With your hand" : "With its hand") : state.hand ? `With ${state.hand}` : "With every hand", own ? faces(row.cards, true) : null),
      shares ? legend(actions, shares, null, (at) => value(row, at, own, best)) : el("p", { class: "faint" }, "Its cards were not shown. Choose a hand in the grid."),
      own && row.cost !== null ? el("p", {}, costWords(row)) : null,
      own && row.cost === null && row.probability !== null ? el("p", {}, `The blueprint does the same ${percent(row.probability)} of the time.`) : null,
      own && row.mine && n >= 0 && row.grid.weight[n] < 0.005 * Math.max(...row.grid.weight) ? el("p", { class: "faint" }, "The blueprint hardly ever comes here with this hand, so the grid does not show it.") : null,
      el("p", { class: "faint" }, row.solved
        ? `Solved exactly from the start of the ${row.street}, with the ranges that the blueprint gives both players; exploitable for ${row.exploitability} % of the pot.`
        : actions.some(({ value }) => value !== null)
          ? "Each action was played out tens of thousands of times against the range that the blueprint gives the opponent, and both went on like the blueprint. ± is the 95 % interval; the grade is that of the lower end of the cost."
          : `The blueprint's strategy${row.note ? `, without values: ${row.note}` : ""}.`)),
    holder,
    el("p", { class: "faint" }, "Colours: what the hand does. Height: how much of it is still in the range."),
  );
  grid(holder, { actions, weight: row.grid.weight, strategy: row.grid.strategy, selected: state.hand, name: "What every hand does here" }, (hand) => {
    state.hand = state.hand === hand ? row.class : hand;
    draw();
  });
}

function costWords(row) {
  if (row.cost < 0.005) return `${row.action} was the best choice, or as good as the best.`;
  const words = `${row.action} cost ${amount(row)} bb against ${row.best === null ? "the best play" : row.best.toLowerCase()}`;
  return row.unclear ? `${words}, which may be chance.` : `${words}.`;
}

function value(row, at, own, best) {
  const action = row.actions[at];
  return [
    own && action.value !== null ? ev(action.value, action.margin, action.value === best) : null,
    own && action.taken ? el("span", { class: "taken" }, row.mine ? "your choice" : "its choice") : null,
  ];
}
