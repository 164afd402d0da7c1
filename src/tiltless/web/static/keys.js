// Keys of a page: one listener, a list of them behind "?", and a switch for those who want none.
import { el, fill } from "./dom.js";

let list = [];

/** Whether keys are on; some people speak to their browser, and every word would press some. */
const on = () => localStorage.getItem("keys") !== "off";

/**
 * Listen to the keys of a page; returns a function that stops it.
 * @param {Array<[string, string]>} names what the list behind "?" says: keys, what they do
 * @param {(event: KeyboardEvent, key: string) => boolean} handle says whether it was one of them
 */
export function listen(names, handle) {
  list = names;
  const heard = (event) => {
    if (!on() || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]")) return;
    if (handle(event, event.key.toLowerCase())) event.preventDefault();
  };
  document.addEventListener("keydown", heard);
  return () => {
    document.removeEventListener("keydown", heard);
    if (list === names) list = [];
  };
}

/** Whether somebody is writing or choosing in a field. */
export const inField = (event, more = "") => Boolean(event.target.closest(`input, select, textarea${more}`));

/** The list of keys, and the switch. */
export function showKeys() {
  const dialog = document.getElementById("keys");
  const choice = el("input", { type: "checkbox", checked: on(), onchange: ({ currentTarget }) => localStorage.setItem("keys", currentTarget.checked ? "on" : "off") });
  fill(
    dialog,
    el("h2", { id: "keys-title" }, "Keys"),
    el("dl", {}, [...list, ["?", "this list"]].map(([keys, what]) => el("div", {}, el("dt", {}, keys.split(" ").map((key) => el("kbd", {}, key))), el("dd", {}, what)))),
    el("label", { class: "switch" }, choice, "Keys are on"),
    el("button", { type: "button", class: "main", onclick: () => dialog.close() }, "Close"),
  );
  dialog.showModal();
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "?" || inField(event) || !on() || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  showKeys();
});
