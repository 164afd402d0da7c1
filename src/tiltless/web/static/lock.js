// Lock a node: fix what a player does there with every hand, and solve the rest again.
import { post } from "./api.js";
import { el, toast } from "./dom.js";

export function lockBox(node, about, go) {
  const shares = node.actions.map(({ frequency }) => Math.round(100 * frequency));
  shares[shares.indexOf(Math.max(...shares))] += 100 - shares.reduce((sum, share) => sum + share, 0); // what rounding left
  const inputs = node.actions.map(({ label }, n) => el("input", { type: "number", min: 0, max: 100, step: 1, value: shares[n], "aria-label": `${label}, percent` }));
  const button = el("button", { type: "button", onclick: solve }, "Lock and solve again");
  async function solve() {
    const total = inputs.reduce((sum, input) => sum + Number(input.value), 0);
    if (total !== 100) {
      toast(`these sum to ${total} %; write percentages that sum to 100 %`);
      return;
    }
    button.disabled = true;
    const lock = `${node.line}: ${node.actions.map(({ word }, n) => `${word} ${inputs[n].value}%`).join(", ")}`;
    const { board, oop, ip, pot, stack, bets, big_blind, rake } = node.spot;
    try {
      const locks = [...(about.spot.locks || []).filter((each) => !each.startsWith(`${node.line}:`)), lock];
      const name = `${about.title.replace(/, locked.*$/, "")}, locked ${locks.length}`;
      const made = await post("/spots", { board, oop, ip, pot, stack, bets, big_blind, rake, locks, name, until: about.spot.until || 0.5 });
      go(`/study/spot/${made.id}`);
    } catch (problem) {
      toast(problem.message);
      button.disabled = false;
    }
  }
  return el(
    "details",
    { class: "panel locking" },
    el("summary", {}, "Lock this node"),
    el("p", { class: "faint" }, "What the player does here with every hand; the solver finds the best answer to it."),
    node.actions.map(({ label }, n) => el("label", { class: "lock" }, el("span", {}, label), inputs[n], "%")),
    button,
  );
}
