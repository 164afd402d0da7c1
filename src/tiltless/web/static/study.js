// The study page: blueprints and solved spots to look at, new spots to solve.
import { get, remove } from "./api.js";
import { chart } from "./chart.js";
import { el, fill, sentence } from "./dom.js";
import { isOffline, watch } from "./events.js";
import { explorer } from "./explorer.js";
import { grid, legend } from "./grid.js";
import { spotEditor } from "./spot_editor.js";

const ABOUT = { hundred: "heads-up, 100 big blinds", "two-hundred": "heads-up, 200 big blinds" };

export async function studyPage(page, [kind, name], go) {
  if (kind === "new") return spotEditor(page, go);
  if (kind === "blueprint" && name) return explorer(page, `/blueprints/${name}`, { title: `Blueprint ${name}`, note: ABOUT[name] }, go);
  if (kind === "spot" && name) return spotPage(page, name, go);
  return home(page);
}

async function home(page) {
  const [blueprints, spots] = await Promise.all([get("/blueprints"), get("/spots")]);
  fill(
    page,
    el("section", { class: "message" },
      el("h1", {}, "Study"),
      el("p", {}, "Look at what the blueprint plays with every hand, street by street, or solve a spot after the flop exactly."),
      el("h2", {}, "Blueprints"),
      el("ul", { class: "tables" }, blueprints.map((each) => el("li", {}, el("a", { href: `/study/blueprint/${each}` }, each), el("span", { class: "faint" }, ` ${ABOUT[each] || ""}`))))),
    el("section", { class: "message" },
      el("h2", {}, "Solved spots"),
      spots.length ? el("ul", { class: "tables" }, spots.map(row)) : el("p", { class: "faint" }, "None yet."),
      el("a", { class: "go", href: "/study/new" }, "Solve a new spot")),
  );
  return null;
}

/** "exploitable for 0.31 % of the pot" */
function quality({ curve: points, early }) {
  const last = points[points.length - 1];
  return last ? `exploitable for ${last[2].toPrecision(2)} % of the pot${early ? ", stopped early" : ""}` : "";
}

function row(spot) {
  const state = spot.state === "done" ? quality(spot) : spot.state;
  const item = el(
    "li",
    {},
    el("a", { href: `/study/spot/${spot.id}` }, spot.name),
    el("span", { class: "faint" }, ` ${state}${spot.locks.length ? `, ${spot.locks.length} locked` : ""} `),
    el("button", { type: "button", class: "quiet", "aria-label": `Delete ${spot.name}`, onclick: async ({ currentTarget }) => {
      if (currentTarget.dataset.asked) {
        await remove(`/spots/${spot.id}`);
        item.remove();
      }
      currentTarget.dataset.asked = "yes";
      currentTarget.textContent = "Really delete it?";
      currentTarget.removeAttribute("aria-label");
    } }, "Delete"),
  );
  return item;
}

/** A spot: its curve while it is solved, then the explorer. */
async function spotPage(page, id, go) {
  const spot = await get(`/spots/${id}`);
  const state = { ...spot, curve: [...spot.curve] };
  let leave = null;
  let left = false;
  let opening = false; // two messages may say that it is done
  const open = async () => {
    if (opening) return;
    opening = true;
    try {
      const made = await explorer(page, `/spots/${id}`, { title: state.name, note: quality(state), spot: state }, go);
      if (left) made();
      else leave = made;
    } finally {
      opening = false;
    }
  };
  if (state.state === "done") {
    await open();
    return () => {
      left = true;
      leave?.();
    };
  }
  const holder = el("div");
  const show = solvingPage(page, state, holder);
  const draw = () => show(state);
  let grids = 0;
  const drawGrid = async (count) => {
    if (!count || count <= grids) return;
    grids = count;
    const { player, actions, classes } = await get(`/spots/${id}/grid`);
    if (left || leave) return;
    const box = el("div");
    grid(box, { actions, weight: classes.weight, strategy: classes.strategy, name: "The first decision so far" }, null);
    fill(holder, el("h2", {}, `${player.toUpperCase()}'s first decision so far`), box, legend(actions, actions.map(({ frequency }) => frequency)));
  };
  draw();
  const heard = async ({ kind, data }) => {
    if (kind === "resync" || !data) Object.assign(state, await get(`/spots/${id}`).catch(goneIfUnknown));
    else {
      const known = state.curve[state.curve.length - 1];
      Object.assign(state, { state: data.state, error: data.error });
      if (data.last && (!known || data.last[1] > known[1])) state.curve.push(data.last);
    }
    if (left || leave) return;
    if (state.state === "done") await open();
    else {
      draw();
      await drawGrid(data?.grids);
    }
  };
  const stop = watch(`spot:${id}`, heard);
  const again = () => isOffline() || heard({ kind: "resync" });
  document.addEventListener("connection", again);
  return () => {
    left = true;
    document.removeEventListener("connection", again);
    stop();
    leave?.();
  };
}

const GONE = { state: "failed", error: "the server was restarted, which ends solving; solve the spot again" };
const goneIfUnknown = (problem) => {
  if (problem.status !== 404) throw problem; // too many requests, say: the next message asks again
  return GONE;
};
const WORDS = { waiting: "Waiting for its turn…", solving: "Solving…", cancelled: "Cancelled; nothing was kept.", failed: "That did not work." };

/** The page of a spot that is being solved; made once, so that its buttons stay under the finger. */
function solvingPage(page, { id, spot, until }, holder) {
  const end = (how) => async ({ currentTarget }) => {
    currentTarget.disabled = true;
    await remove(`/spots/${id}/solving${how}`);
  };
  const [title, said, curve] = [el("h1"), el("p", { role: "status" }), el("div")];
  const keep = el("button", { type: "button", class: "main", onclick: end("?keep=true") }, "Stop and keep");
  const bar = el("div", { class: "bar-row" }, keep, el("button", { type: "button", onclick: end("") }, "Cancel"));
  const draft = () => sessionStorage.setItem("draft", JSON.stringify({ ...spot, until }));
  const change = el("a", { class: "go", href: "/study/new", onclick: draft }, "Change the spot");
  fill(page, el("section", { class: "message wide" }, title, said, curve, bar, change, holder));
  return (state) => {
    const last = state.curve[state.curve.length - 1];
    const busy = state.state === "waiting" || state.state === "solving";
    const megabytes = state.cost ? `${state.cost.nodes.toLocaleString("en")} nodes, ${Math.ceil(state.cost.bytes / 1e6)} MB.` : "";
    title.textContent = state.name;
    said.textContent = last && busy
      ? `Exploitable for ${last[2].toPrecision(3)} % of the pot after ${last[1].toLocaleString("en")} iterations, ${last[0].toFixed(1)} s; it goes on to ${state.until} %.`
      : `${WORDS[state.state]} ${state.error && sentence(state.error)} ${megabytes}`;
    fill(curve, chart(state.curve.map(([seconds, , percent]) => [seconds, percent]), {
      name: "Exploitability, % of the pot", log: true, target: until, x: (seconds) => `${seconds.toFixed(1)} s`, y: (percent) => `${Number(percent.toPrecision(2))} %`,
      empty: "The curve begins after the first iterations.",
    }));
    keep.hidden = !last;
    bar.hidden = !busy;
    change.hidden = busy;
  };
}
