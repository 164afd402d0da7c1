// Pages and addresses.
import { ApiError, AwayError } from "./api.js";
import { el, fill, sentence, toast } from "./dom.js";
import { isOffline, watch } from "./events.js";
import { showKeys } from "./keys.js";

/** Pages are loaded when they are opened: the first visit stays small. */
const PAGES = {
  play: ["Play", async () => (await import("./play.js")).playPage],
  study: ["Study", async () => (await import("./study.js")).studyPage],
  drill: ["Drill", async () => (await import("./drill.js")).drillPage],
  train: ["Training", async () => (await import("./train.js")).trainPage],
  arena: ["Arena", async () => (await import("./arena.js")).arenaPage],
};

/** Go to an address without loading the page again. */
export function go(path) {
  history.pushState(null, "", path);
  scrollTo(0, 0);
  document.getElementById("page").focus({ preventScroll: true });
  show();
}

let leave = null;
let shown = 0;
let failed = false; // because the server was away

async function show() {
  const [, name = "play", ...rest] = location.pathname.split("/");
  const place = name in PAGES ? name : "play";
  const [title, load] = PAGES[place];
  document.title = `${title} · tiltless`;
  fill(
    document.getElementById("pages"),
    Object.entries(PAGES).map(([key, [label]]) =>
      el("a", { href: `/${key}`, "aria-current": key === place ? "page" : null }, label)),
  );
  if (leave) leave();
  leave = null;
  const turn = ++shown;
  failed = false;
  const box = el("div"); // a page that answers too late draws where nobody looks
  fill(document.getElementById("page"), box);
  fill(box, el("h1", { class: "spoken" }, title));
  try {
    const page = await load();
    if (turn !== shown) return;
    const left = await page(box, rest, go);
    if (turn === shown) leave = left;
    else if (left) left();
  } catch (problem) {
    if (turn !== shown) return;
    failed = problem instanceof AwayError || (isOffline() && !(problem instanceof ApiError));
    fill(box, el("section", { class: "message" },
      el("h1", {}, failed ? "The server does not answer" : "That did not work"),
      el("p", {}, failed ? ["Start it again in a terminal, ", el("code", {}, "tiltless web"), ", and this page comes back by itself."] : sentence(problem.message)),
      failed ? null : el("p", {}, el("a", { href: `/${place}` }, `Back to ${title}`))));
  }
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='/']");
  if (!link || link.hasAttribute("download") || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(link.getAttribute("href"));
});
addEventListener("popstate", show);
document.addEventListener("connection", () => {
  if (failed && !isOffline()) location.reload();
});
addEventListener("unhandledrejection", (event) => toast(event.reason?.message || String(event.reason)));

const colours = document.getElementById("palette");
colours.value = localStorage.getItem("palette") || "usual";
colours.addEventListener("change", () => {
  localStorage.setItem("palette", colours.value);
  show();
});
document.getElementById("show-keys").addEventListener("click", showKeys);
const theme = document.getElementById("theme");
function setTheme(name) {
  document.documentElement.dataset.theme = name;
  theme.textContent = name === "dark" ? "Light" : "Dark";
  theme.setAttribute("aria-label", `${theme.textContent} theme`);
  localStorage.setItem("theme", name);
}
setTheme(localStorage.getItem("theme") || (matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark"));
theme.addEventListener("click", () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
show();
watch("server:", ({ data }) => {
  const box = document.getElementById("compiling");
  box.textContent = data.length ? `Getting ready: ${data.join(", ")}…` : "";
});
