// A table: seats, board, log, actions. state -> draw(state).
import { get, post } from "./api.js";
import { actionBar } from "./action_bar.js";
import { back, face, faces, spoken } from "./cards.js";
import { el, fill, sentence, toast } from "./dom.js";
import { isOffline, watch } from "./events.js";
import { inField, listen } from "./keys.js";

const KEYS = [
  ["F", "fold"], ["C", "check or call"], ["1 2 3 4 5", "choose a size, then Enter"], ["R", "type the amount"], ["↑ ↓", "a big blind more or less"],
  ["Enter", "bet or raise what is chosen"], ["A", "all-in, then Enter twice"], ["H", "hint"], ["N", "next hand"], ["V", "review of the hand"],
];

export async function openTable(page, id, go) {
  const state = { id, data: await get(`/tables/${id}`), busy: false, slow: false, asking: false, hint: null, newest: 0, seen: null, go };
  const stage = el("div", { class: "table" });
  const bar = el("div", { class: "bar", role: "group", "aria-label": "Your action", tabindex: -1 });
  const log = el("ol", { class: "log", "aria-label": "What happened" });
  const side = el("aside", { class: "side" });
  const say = el("p", { class: "spoken", role: "status" });
  fill(page, el("h1", { class: "spoken" }, "Table"), el("div", { class: "room" }, el("div", { class: "left" }, stage, bar), side), say);

  const draw = () => {
    const { data } = state;
    drawStage(stage, data, state.busy, state.seen);
    state.seen = { hand: data.hand, board: data.table.board.length, lines: data.table.log.length };
    fill(side, sideBar(data), log);
    fill(log, data.table.log.map(logLine));
    log.scrollTop = log.scrollHeight;
    const held = bar.contains(document.activeElement);
    keys = actionBar(bar, state, { act, next, hint, review, offline: isOffline() });
    if (held && !bar.contains(document.activeElement)) bar.focus({ preventScroll: true });
    const words = state.busy ? "" : spokenState(data);
    if (say.textContent !== words) say.textContent = words;
  };
  const refresh = async () => {
    state.data = await get(`/tables/${id}`);
    state.hint = null;
    draw();
  };
  const send = async (path, body) => {
    if (state.busy || isOffline()) return;
    state.busy = true;
    state.slow = false;
    state.hint = null;
    draw();
    try {
      state.data = await post(`/tables/${id}${path}`, { seq: state.data.seq, ...body });
    } catch (problem) {
      if (problem.status === 409 && problem.body.table) state.data = problem.body.table;
      else toast(problem.message);
    }
    state.busy = false;
    draw();
    if (state.newest > state.data.seq) await refresh(); // another tab acted meanwhile
  };
  const act = (action, to) => send("/actions", to === undefined ? { action } : { action, to });
  const next = () => send("/next", {});
  const review = () => go(`/play/${id}/${state.data.hand}`);
  const hint = async () => {
    if (state.asking || isOffline()) return;
    state.asking = true;
    const { seq } = state.data;
    try {
      const found = await get(`/tables/${id}/hint`);
      if (state.busy || state.data.seq !== seq) return; // too late
      state.hint = found;
      draw();
    } finally {
      state.asking = false;
    }
  };

  let keys = null;
  const deaf = listen(KEYS, (event) => {
    if (event.repeat && !event.key.startsWith("Arrow")) return false; // a key held down answers one question
    if (inField(event) && event.key !== "Escape" && event.key !== "Enter") return false;
    return Boolean(keys && keys(event));
  });
  document.addEventListener("connection", draw);
  const stop = watch(`table:${id}`, async (event) => {
    if (event.kind === "thinking") {
      state.slow = Boolean(event.data?.slow);
      if (state.busy && state.slow) draw();
      return;
    }
    if (event.data) state.newest = event.data.seq;
    if (!state.busy && (event.kind === "resync" || state.newest !== state.data.seq)) await refresh();
  });
  draw();
  return () => {
    deaf();
    document.removeEventListener("connection", draw);
    stop();
  };
}

/** seen: what was drawn before, so that what is new can be marked for a moment. */
function drawStage(stage, data, busy, seen) {
  const view = data.table;
  const before = seen?.hand === data.hand ? seen : { board: seen ? 0 : view.board.length, lines: seen ? 0 : view.log.length };
  const did = lastActions(view);
  const seats = view.seats.map((seat, number) => {
    const turn = number === view.actor && !view.over;
    const shown = seat.cards ? seat.cards.map((card) => face(card)) : seat.live ? Array.from({ length: view.hole_cards }, back) : [];
    const away = (number - view.seat + view.seats.length) % view.seats.length;
    return el(
      "div",
      { class: `seat at${away} of${view.seats.length}${turn ? " turn" : ""}${seat.live ? "" : " folded"}${view.over && seat.payoff > 0 ? " winner" : ""}` },
      el("div", { class: "cards" }, shown),
      el("div", { class: "plate" }, el("span", { class: "name" }, seat.name), el("span", { class: "stack" }, chips(seat.stack, view)),
        number === view.button ? el("span", { class: "button", role: "img", "aria-label": "dealer button" }, "D") : null),
      did[number] || seat.bet ? el("div", { class: `bet${did[number]?.line >= before.lines ? " fresh" : ""}` }, el("span", { class: "did" }, did[number]?.verb), " ", seat.bet ? chips(seat.bet, view) : null) : null,
      view.over && seat.payoff !== null ? el("div", { class: `payoff ${seat.payoff > 0 ? "won" : seat.payoff < 0 ? "lost" : ""}` }, signed(seat.payoff / view.big_blind)) : null,
    );
  });
  const middle = el(
    "div",
    { class: "middle" },
    el("div", { class: "cards board" }, view.board.map((card, n) => {
      const drawn = face(card);
      if (n >= before.board) drawn.classList.add("fresh");
      return drawn;
    }), Array.from({ length: Math.max(5 - view.board.length, 0) }, () => el("span", { class: "card slot", "aria-hidden": "true" }))),
    el("div", { class: "pot" }, `Pot ${chips(view.pot, view)}`),
    el("div", { class: "made" }, busy ? "" : view.over ? el("b", {}, outcome(view)) : view.made ? `You have ${view.made}` : ""),
  );
  fill(stage, middle, seats);
  stage.setAttribute("data-seats", view.seats.length);
}

/** What each seat did last on this street, "raises", and in which line of the log. */
function lastActions(view) {
  const did = view.seats.map(() => null);
  view.log.forEach(({ kind, seat, parts }, line) => {
    if (kind === "street") did.fill(null);
    else if (kind === "action") did[seat] = { line, verb: parts[0].endsWith("all-in") ? "all-in" : parts[0].slice(view.seats[seat].name.length + 1).split(" ")[0] };
  });
  return view.over ? did.fill(null) : did;
}

/** Who won, and with which hand if it was shown: "blueprint wins 40: two pair, aces and nines". */
export function outcome(view) {
  const won = view.log.filter(({ kind }) => kind === "won");
  const hands = won.map(({ seat }) => view.log.findLast((line) => line.kind === "shown" && line.seat === seat)?.parts[2]);
  const as = hands[0] && hands.every((hand) => hand === hands[0]) ? `: ${hands[0]}` : "";
  if (won.length > 2) return `${won.length} players split the pot${as}`;
  if (won.length === 2) return sentence(`${won.map(({ seat }) => view.seats[seat].name).join(" and ")} split the pot${as}`, "");
  return `${sentence(won[0]?.parts[0] ?? "", "")}${as}`;
}

function sideBar(data) {
  const { result } = data;
  const last = data.table.over ? data.hand : data.hand - 1;
  return el(
    "div",
    { class: "score" },
    el("div", { class: `won ${result.won > 0 ? "up" : result.won < 0 ? "down" : ""}` }, `${signed(result.won)}`),
    el("div", { class: "faint" }, result.hands ? rate(result) : "Your result appears here."),
    data.notes.map((note) => el("p", { class: "note" }, note)),
    el("div", { class: "links" }, el("a", { href: `/api/tables/${data.id}/hands.phh`, download: "", title: "the finished hands as a text file that poker programs read" }, "Hands as PHH"), last && data.names.length === 2 ? el("a", { href: `/play/${data.id}/${last}` }, "Review of the last hand") : null, el("a", { href: "/play" }, "Other tables")),
  );
}

/** "in 40 hands, +31.3 bb/100 ± 80.0" */
function rate({ hands, rate: won, margin }) {
  const each = hands > 1 ? `, ${signed(won)}/100${margin === null ? "" : ` ± ${margin.toFixed(1)}`}` : "";
  return `in ${hands.toLocaleString("en")} ${hands === 1 ? "hand" : "hands"}${each}`;
}

function logLine(line) {
  const parts = line.parts.map((part) => (typeof part === "string" ? el("span", {}, part) : part.length ? faces(part, true) : null));
  return el("li", { class: line.kind }, parts.flatMap((part) => (part ? [part, " "] : [])));
}

/** What happened since the person's last action and what is asked now, for screen readers. */
function spokenState(data) {
  const view = data.table;
  const own = view.log.findLastIndex(({ kind, seat }) => kind === "action" && seat === view.seat);
  const news = view.log.slice(own + 1).map((line) => `${spokenLine(line)}. `).join("");
  if (view.over) return `${news}Hand over. ${signed(view.seats[view.seat].payoff / view.big_blind)}.`;
  if (!view.actions) return news;
  const call = view.actions.call ? `${view.actions.call} to call` : "checking is free";
  return `${news}Your turn, ${view.street}, pot ${view.pot}, ${call}.`;
}

function spokenLine({ kind, parts }) {
  const words = parts.map((part) => (typeof part === "string" ? part : part.map(spoken).join(", ")));
  return (kind === "hole" ? ["You have", ...words] : words).filter(Boolean).join(" ");
}

export const chips = (count, view) => `${count} (${Number((count / view.big_blind).toFixed(1))} bb)`;
export const signed = (bb) => `${bb > 0 ? "+" : bb < 0 ? "\u2212" : ""}${Math.abs(bb).toFixed(1)} bb`;
