// Build a spot: board, ranges painted or typed, chips, sizes; what it takes before it is solved.
import { get, post } from "./api.js";
import { CARDS, cardPicker } from "./card_picker.js";
import { faces } from "./cards.js";
import { el, fill, sentence, toast } from "./dom.js";
import { CLASSES, grid } from "./grid.js";

const START = {
  board: "Ks7d2c4h", oop: "22+,A2s+,K9s+,Q9s+,J9s+,T8s+,97s+,87s,76s,65s,AJo+,KQo", ip: "22+,A2s+,K8s+,Q9s+,J9s+,T9s,98s,87s,ATo+,KJo+",
  pot: 20, stack: 90, bets: "50%, 100%, a / 100%, a", until: 0.5, big_blind: 2,
};
const MENUS = { "50%, 100%, a / 100%, a": "half, pot, all-in", "33%, 75%, 150% / 100%, a": "third, three quarters, overbet", "75%, a": "three quarters, all-in" };

export async function spotEditor(page, go) {
  const asked = new URLSearchParams(location.search);
  const draft = JSON.parse(sessionStorage.getItem("draft") || "null");
  const state = { ...START, ...draft };
  const [from] = /^blueprints\/[\w-]+$/.exec(asked.get("from")) || []; // an address may come from anybody
  if (from) {
    const found = await get(`/${from}/spot?${new URLSearchParams({ line: asked.get("line") || "", board: asked.get("board") || "" })}`);
    Object.assign(state, found);
    history.replaceState(null, "", location.pathname); // what is changed from here on is in the draft
  }
  const cost = el("p", { role: "status", class: "cost" });
  const start = el("button", { type: "button", class: "main", onclick: solve }, "Solve");
  const gone = new AbortController();
  let fits = false;
  let turn = 0;
  const body = () => ({
    board: state.board, oop: state.oop, ip: state.ip, pot: Number(state.pot), stack: Number(state.stack), bets: state.bets, big_blind: Number(state.big_blind),
  });
  const changed = async () => {
    sessionStorage.setItem("draft", JSON.stringify({ ...body(), until: state.until }));
    const mine = ++turn;
    fits = false;
    start.disabled = true;
    const problem = wrong(state);
    cost.textContent = problem || "Counting…";
    if (problem) return;
    await new Promise((done) => setTimeout(done, 250));
    if (mine !== turn) return;
    try {
      const found = await post("/spots/estimate", body());
      if (mine !== turn) return;
      fits = true;
      cost.textContent = `${found.nodes.toLocaleString("en")} nodes on ${found.boards.toLocaleString("en")} boards, ${(found.bytes / 1e6).toFixed(found.bytes < 1e7 ? 1 : 0)} MB of ${Math.round(found.limit / 1e6).toLocaleString("en")} MB.`;
    } catch (problem) {
      if (mine === turn) cost.textContent = sentence(problem.message);
    }
    start.disabled = !fits;
  };
  async function solve() {
    start.disabled = true;
    try {
      const made = await post("/spots", { ...body(), until: percent(state) });
      go(`/study/spot/${made.id}`);
    } catch (problem) {
      toast(problem.message);
      start.disabled = false;
    }
  }
  const field = (name, label, more = {}) => el("label", {}, label, el("input", {
    name, value: state[name], inputmode: "numeric", ...more,
    oninput: ({ currentTarget }) => {
      state[name] = currentTarget.value;
      changed();
    },
  }));
  const board = el("div", { class: "board-choice" });
  const drawBoard = () => {
    const cards = state.board.match(/../g) || [];
    const held = board.contains(document.activeElement) ? document.activeElement.dataset.card : null;
    fill(
      board,
      el("h2", {}, "Board"),
      el("p", {}, cards.length ? faces(cards) : "Choose 3 to 5 cards."),
      cardPicker({ picked: cards, dead: cards.length >= 5 ? CARDS.filter((card) => !cards.includes(card)) : [] }, (card) => {
        state.board = (cards.includes(card) ? cards.filter((each) => each !== card) : [...cards, card]).join("");
        drawBoard();
        changed();
      }),
    );
    if (held) board.querySelector(`[data-card="${held}"]`)?.focus();
  };
  const menus = el("select", { "aria-label": "Usual sizes", onchange: ({ currentTarget }) => {
    if (!currentTarget.value) return;
    state.bets = bets.querySelector("input").value = currentTarget.value;
    changed();
  } }, el("option", { value: "" }, "usual sizes…"), Object.entries(MENUS).map(([text, name]) => el("option", { value: text }, name)));
  const bets = field("bets", "Sizes: bets / raises", { inputmode: "text" });
  drawBoard();
  fill(
    page,
    el("div", { class: "editor" },
      el("h1", {}, "Solve a spot"),
      el("div", { class: "two" },
        el("section", { class: "panel" }, board),
        el("section", { class: "panel choices" },
          el("h2", {}, "Chips and sizes"),
          el("div", { class: "pair" }, field("pot", "Pot"), field("stack", "Stack behind")),
          el("div", { class: "pair" }, field("big_blind", "Smallest bet"), field("until", "Stop at exploitability, % of the pot", { inputmode: "decimal" })),
          bets, menus,
          el("p", { class: "faint" }, "Sizes are percent of the pot; a is all-in. Raises come after the slash."),
          cost, start)),
      el("div", { class: "two" }, rangeEditor("oop", "out of position, acts first", state, changed, gone.signal), rangeEditor("ip", "in position, acts last", state, changed, gone.signal))),
  );
  changed();
  return () => {
    turn += 1;
    gone.abort();
  };
}

const percent = ({ until }) => Number(String(until).replace(",", "."));

/** What is wrong with the numbers, if anything. */
function wrong(state) {
  for (const [name, label] of [["pot", "pot"], ["stack", "stack behind"], ["big_blind", "smallest bet"]]) {
    if (!/^\s*0*[1-9][0-9]{0,8}\s*$/.test(state[name])) return `The ${label} is a whole number of chips, 1 or more.`;
  }
  return percent(state) >= 0.01 && percent(state) <= 10 ? "" : "Stop at an exploitability from 0.01 to 10 % of the pot.";
}

function rangeEditor(name, title, state, changed, signal) {
  const text = el("textarea", { rows: 3, "aria-label": `Range of ${name.toUpperCase()}`, spellcheck: "false" });
  const size = el("span", { class: "faint", role: "status" });
  const box = el("div");
  const brush = el("input", { type: "range", min: 5, max: 100, step: 5, value: 100, "aria-label": "Weight of the brush" });
  const top = el("input", { type: "range", min: 0, max: 100, step: 1, value: 0, "aria-label": "Best hands in percent" });
  const [painted, best] = [el("output", {}, "100 %"), el("output", {}, "")];
  brush.addEventListener("input", () => { painted.textContent = `${brush.value} %`; });
  top.addEventListener("input", () => { best.textContent = `${top.value} %`; });
  let weight = Array(169).fill(0);
  text.value = state[name];
  const draw = () => grid(box, { actions: [], weight, strategy: null, absolute: true, name: `Range of ${name.toUpperCase()}` }, null);
  const read = async (body) => {
    try {
      const found = await post("/ranges", body);
      weight = found.weight;
      size.textContent = `${found.combos} combos, ${found.percent} %`;
      state[name] = body.paint || body.top !== undefined ? found.text : body.text;
      if (body.paint || body.top !== undefined) text.value = found.text;
      draw();
      changed();
    } catch (problem) {
      size.textContent = sentence(problem.message);
      state[name] = text.value; // the spot has no other range, and says so
      changed();
    }
  };
  let timer = 0;
  text.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => read({ text: text.value }), 300);
  });
  top.addEventListener("change", () => read({ top: Number(top.value) }));
  // painting: one stroke sets all hands that it touches to what the first one becomes
  let stroke = null;
  const touch = (event) => {
    const cell = document.elementFromPoint(event.clientX, event.clientY)?.closest(".hand");
    if (!stroke || !cell || !box.contains(cell)) return;
    const hand = cell.dataset.hand;
    if (hand in stroke.hands) return;
    stroke.hands[hand] = stroke.to;
    weight[CLASSES.indexOf(hand)] = stroke.to;
    cell.querySelector("i").style.cssText = `background: var(--range); height: ${100 * stroke.to}%`;
  };
  const begin = (hand) => ({ to: weight[CLASSES.indexOf(hand)] > 0 ? 0 : Number(brush.value) / 100, hands: {} });
  box.addEventListener("pointerdown", (event) => {
    const cell = event.target.closest(".hand");
    if (!cell) return;
    stroke = begin(cell.dataset.hand);
    touch(event);
    event.preventDefault();
  });
  box.addEventListener("pointermove", touch);
  addEventListener("pointerup", () => {
    const done = stroke;
    stroke = null;
    if (done) read({ text: text.value, paint: done.hands });
  }, { signal });
  box.addEventListener("keydown", (event) => {
    const cell = event.target.closest(".hand");
    if (!cell || (event.key !== "Enter" && event.key !== " ")) return;
    const { hand } = cell.dataset;
    read({ text: text.value, paint: { [hand]: begin(hand).to } }).then(() => box.querySelector(`[data-hand="${hand}"]`).focus());
    event.preventDefault();
  }, true);
  read({ text: text.value });
  return el(
    "section",
    { class: "panel range" },
    el("h2", {}, `${name.toUpperCase()}: ${title}`),
    text, size, box,
    el("div", { class: "pair" }, el("label", {}, el("span", {}, "Brush ", painted), brush), el("label", {}, el("span", {}, "Best hands ", best), top)),
  );
}
