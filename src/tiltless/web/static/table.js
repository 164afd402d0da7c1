// A table: seats, board, log, actions. state -> draw(state).
import { get, post } from "./api.js";
import { actionBar } from "./action_bar.js";
import { back, face, faces, spoken } from "./cards.js";
import { el, fill, toast } from "./dom.js";
import { isOffline, watch } from "./events.js";

export async function openTable(page, id, go) {
  const state = { id, data: await get(`/tables/${id}`), busy: false, slow: false, asking: false, hint: null, newest: 0, go };
  const stage = el("div", { class: "table" });
  const bar = el("div", { class: "bar", role: "group", "aria-label": "Your action", tabindex: -1 });
  const log = el("ol", { class: "log", "aria-label": "What happened" });
  const side = el("aside", { class: "side" });
  const say = el("p", { class: "spoken", role: "status" });
  fill(page, el("h1", { class: "spoken" }, "Table"), el("div", { class: "room" }, el("div", { class: "left" }, stage, bar), side), say);

  const draw = () => {
    const { data } = state;
    drawStage(stage, data, state.busy);
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
  const onKey = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.repeat && !event.key.startsWith("Arrow")) return; // a key held down answers one question
    if (event.target.closest("input, select, textarea") && event.key !== "Escape" && event.key !== "Enter") return;
    if (keys && keys(event)) event.preventDefault();
  };
  document.addEventListener("keydown", onKey);
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
    document.removeEventListener("keydown", onKey);
    document.removeEventListener("connection", draw);
    stop();
  };
}

function drawStage(stage, data, busy) {
  const view = data.table;
  const seats = view.seats.map((seat, number) => {
    const turn = number === view.actor && !view.over;
    const shown = seat.cards ? seat.cards.map((card) => face(card)) : seat.live ? Array.from({ length: view.hole_cards }, back) : [];
    const away = (number - view.seat + view.seats.length) % view.seats.length;
    return el(
      "div",
      { class: `seat at${away} of${view.seats.length}${turn ? " turn" : ""}${seat.live ? "" : " folded"}` },
      el("div", { class: "cards" }, shown),
      el("div", { class: "plate" }, el("span", { class: "name" }, seat.name), el("span", { class: "stack" }, chips(seat.stack, view))),
      seat.bet ? el("div", { class: "bet" }, chips(seat.bet, view)) : null,
      number === view.button ? el("span", { class: "button", role: "img", "aria-label": "dealer button" }, "D") : null,
      view.over && seat.payoff !== null ? el("div", { class: `payoff ${seat.payoff > 0 ? "won" : seat.payoff < 0 ? "lost" : ""}` }, signed(seat.payoff / view.big_blind)) : null,
    );
  });
  const middle = el(
    "div",
    { class: "middle" },
    el("div", { class: "cards board" }, view.board.map((card) => face(card)), Array.from({ length: Math.max(5 - view.board.length, 0) }, () => el("span", { class: "card slot", "aria-hidden": "true" }))),
    el("div", { class: "pot" }, `Pot ${chips(view.pot, view)}`),
    el("div", { class: "made" }, busy ? "thinking…" : view.made ? `You have ${view.made}` : ""),
  );
  fill(stage, middle, seats);
  stage.setAttribute("data-seats", view.seats.length);
}

function sideBar(data) {
  const { result } = data;
  const last = data.table.over ? data.hand : data.hand - 1;
  return el(
    "div",
    { class: "score" },
    el("div", { class: `won ${result.won > 0 ? "up" : result.won < 0 ? "down" : ""}` }, `${signed(result.won)}`),
    el("div", { class: "faint" }, result.hands ? result.text : "Your result appears here."),
    data.notes.map((note) => el("p", { class: "note" }, note)),
    el("div", { class: "links" }, el("a", { href: `/api/tables/${data.id}/hands.phh`, download: "" }, "Hands as PHH"), last && data.names.length === 2 ? el("a", { href: `/play/${data.id}/${last}` }, "Review of the last hand") : null, el("a", { href: "/play" }, "Other tables")),
  );
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
