// The play page: choose opponents, then a table.
import { get, post, remove } from "./api.js";
import { el, fill, toast } from "./dom.js";
import { openReview } from "./review.js";
import { openTable } from "./table.js";

const GROUPS = { Strong: ["blueprint", "search", "six"], Simple: ["rules", "monte-carlo", "fish", "uniform", "all-in", "fold"] };
const WORDS = { // what a player wants to know; the rest is described as in the terminal
  blueprint: "trained by self-play, answers at once",
  search: "the strongest: thinks for two seconds on turn and river",
  six: "trained for three to six seats",
  "monte-carlo": "deals the hand out many times, then decides",
};

export async function playPage(page, [id, hand], go) {
  if (id && /^[0-9]+$/.test(hand || "")) return openReview(page, id, Number(hand));
  if (id) return openTable(page, id, go);
  const [about, tables] = await Promise.all([get("/about"), get("/tables")]);
  const { agents } = about;
  const opponent = el("select", { name: "opponent" });
  const stack = el("select", { name: "stack" }, [20, 50, 100, 200].map((size) => el("option", { value: size, selected: size === 100 }, `${size} big blinds`)));
  const blinds = el("select", { name: "blinds" }, ["1/2", "5/10", "10/20", "50/100", "1/3"].map((pair) => el("option", { value: pair }, pair.replace("/", " / "))));
  const seats = el("select", { name: "seats" }, [2, 3, 4, 5, 6].map((count) => el("option", { value: count }, count === 2 ? "heads-up" : `${count} seats`)));
  const offer = () => {
    const there = agents.filter((agent) => agent.seats.includes(Number(seats.value)));
    const chosen = there.some(({ name }) => name === opponent.value) ? opponent.value : "blueprint";
    const known = Object.values(GROUPS).flat();
    const groups = [...Object.entries(GROUPS), ["Others", there.map(({ name }) => name).filter((name) => !known.includes(name))]];
    fill(opponent, groups.map(([label, names]) => el("optgroup", { label }, names.flatMap((name) => there.filter((agent) => agent.name === name)).map((agent) =>
      el("option", { value: agent.name, selected: agent.name === chosen }, `${agent.name}: ${WORDS[agent.name] || agent.about}`)))));
  };
  seats.addEventListener("change", offer);
  offer();
  const start = el("button", { type: "submit", class: "main" }, "Sit down");
  const form = el(
    "form",
    {
      class: "choices",
      onsubmit: async (event) => {
        event.preventDefault();
        start.disabled = true;
        start.textContent = "Dealing…";
        try {
          const opponents = Array(Number(seats.value) - 1).fill(opponent.value);
          const made = await post("/tables", { opponents, stack: Number(stack.value), blinds: blinds.value.split("/").map(Number) });
          go(`/play/${made.id}`);
        } catch (problem) {
          toast(problem.message);
          start.disabled = false;
          start.textContent = "Sit down";
        }
      },
    },
    el("label", {}, "Opponent", opponent),
    el("div", { class: "pair" }, el("label", {}, "Stacks", stack), el("label", {}, "Blinds, chips", blinds)),
    el("label", {}, "Table", seats),
    start,
  );
  const list = el("ul", { class: "tables" }, tables.map((table) => row(table)));
  fill(
    page,
    el("section", { class: "message" }, el("h1", {}, "Play no-limit hold'em"), el("p", {}, "Stacks are reset for every hand. Cards come from this machine's randomness; nothing leaves it."), form),
    tables.length ? el("section", { class: "message" }, el("h2", {}, "Your tables"), list) : null,
  );
  opponent.focus();
  return null;
}

function row(table) {
  const [first, ...others] = table.opponents;
  const names = others.length && others.every((name) => name === first) ? `${table.opponents.length} × ${first}` : table.opponents.join(", ");
  const item = el(
    "li",
    {},
    el("a", { href: `/play/${table.id}` }, `${names}, ${table.stack.replace("bb", " big blinds")}, blinds ${table.blinds.join(" / ")}`),
    el("span", { class: "faint" }, ` ${table.changed} UTC `),
    el("button", { type: "button", class: "quiet", "aria-label": `Delete the table of ${table.changed}`, onclick: async ({ currentTarget }) => {
      if (currentTarget.dataset.asked) {
        await remove(`/tables/${table.id}`);
        item.remove();
      }
      currentTarget.dataset.asked = "yes";
      currentTarget.textContent = "Really delete it and its hands?";
      currentTarget.removeAttribute("aria-label");
    } }, "Delete"),
  );
  return item;
}
