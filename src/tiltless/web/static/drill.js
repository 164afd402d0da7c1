// Drills: a hand is dealt at a node, the answer is graded, the next one comes.
import { get, post } from "./api.js";
import { faces, spoken } from "./cards.js";
import { el, fill, toast } from "./dom.js";
import { ev, grid, legend, palette, percent } from "./grid.js";
import { inField, listen } from "./keys.js";

const GRADES = { best: "Best", good: "Good", inaccuracy: "Inaccurate", mistake: "Mistake", blunder: "Blunder" };
const BLINDS = { oop: "in the big blind", ip: "on the button" };
const NAMES = { oop: "out of position", ip: "in position" };

export async function drillPage(page, [kind, name], go) {
  if ((kind === "spot" || kind === "blueprint") && name) return drill(page, kind, name, go);
  const [blueprints, spots] = await Promise.all([get("/blueprints"), get("/spots")]);
  const solved = spots.filter(({ state }) => state === "done");
  fill(
    page,
    el("section", { class: "message" },
      el("h1", {}, "Drill"),
      el("p", {}, "Hands are dealt, you choose, and each answer is graded: by what it costs in big blinds. Turns and rivers of a blueprint are solved while you think, and earlier decisions are played out; where that does not go, what counts is how often the blueprint does the same."),
      el("h2", {}, "The first decision of a hand"),
      el("ul", { class: "tables" }, blueprints.map((each) => el("li", {}, el("a", { href: `/drill/blueprint/${each}` }, `On the button, blueprint ${each}`)))),
      el("h2", {}, "Solved spots"),
      solved.length ? el("ul", { class: "tables" }, solved.map((spot) => el("li", {}, el("a", { href: `/drill/spot/${spot.id}` }, spot.name)))) : el("p", { class: "faint" }, "None yet."),
      el("p", {}, "Every other decision: open it in ", el("a", { href: "/study" }, "Study"), " and choose ", el("b", {}, "Drill this decision"), ".")),
  );
  return null;
}

async function drill(page, kind, name, go) {
  const asked = new URLSearchParams(location.search);
  const [line, board] = [asked.get("line") || "", asked.get("board") || ""];
  const close = asked.get("hands") === "close";
  const begin = () => post("/drills", { kind, name, line, board, close });
  const first = await begin();
  const state = { data: first, question: first.question, result: null, busy: false };
  const ask = el("section", { class: "panel ask" });
  const side = el("section", { class: "panel", "aria-label": "Score" });
  const after = el("section", { class: "panel graded" });
  const say = el("p", { class: "spoken", role: "status" });
  const query = (changes) => new URLSearchParams(Object.entries({ line, board, hands: close ? "close" : "", ...changes }).filter(([, value]) => value));
  const options = el("div", { class: "links" },
    el("a", { href: `/study/${kind}/${name}?${query({ hands: "" })}` }, "See this decision in Study"),
    el("a", { href: `/drill/${kind}/${name}?${query({ hands: close ? "" : "close" })}` }, close ? "All hands" : "Close decisions only"),
    board && kind === "blueprint" ? el("a", { href: `/drill/${kind}/${name}?${query({ board: "" })}` }, "Other boards each time") : null,
    el("a", { href: "/drill" }, "Other drills"));
  fill(page, el("h1", { class: "spoken" }, "Drill"), el("div", { class: "drill" }, el("div", { class: "left" }, ask, after), side), say);

  const draw = () => {
    drawQuestion(ask, state, answer, next);
    drawScore(side, state.data, options);
    drawGraded(after, state);
  };
  const answer = async (word) => {
    if (state.busy || state.result) return;
    state.busy = true;
    try {
      const found = await post(`/drills/${state.data.id}/answers`, { seq: state.data.seq, word });
      state.result = found.answer;
      state.data = found;
      say.textContent = spokenGrade(found.answer, state.question);
    } catch (problem) {
      if (problem.status === 404) { // the server was started again
        state.data = await begin();
        state.question = state.data.question;
        toast("the drill began again");
      } else if (problem.status === 409 && problem.body.drill) {
        state.data = problem.body.drill;
        state.question = state.data.question;
      } else toast(problem.message);
    }
    state.busy = false;
    draw();
  };
  const next = () => {
    if (!state.result) return;
    state.result = null;
    state.question = state.data.question;
    say.textContent = spokenQuestion(state.question);
    draw();
  };
  const deaf = listen([["1 … 9", "answer"], ["F", "fold"], ["C", "check or call"], ["N", "next hand, or Enter"]], (event, key) => {
    if (event.repeat || inField(event, ", .grid")) return false;
    const chosen = /^[1-9]$/.test(key) ? state.question.actions[key - 1] : short(state.question.actions, key);
    if (state.result && (key === "n" || (key === "enter" && !event.target.closest("a, button")))) next();
    else if (!state.result && chosen) answer(chosen.word);
    else return false;
    return true;
  });
  draw();
  say.textContent = spokenQuestion(state.question);
  return deaf;
}

const short = (actions, key) => actions.find(({ kind }) => (key === "f" && kind === "fold") || (key === "c" && (kind === "call" || kind === "check")));

function drawQuestion(box, { question, result, busy }, answer, next) {
  const inBlinds = (chips) => `${Number((chips / question.big_blind).toFixed(1))} bb`;
  const said = question.strip.map((step) => (step.kind === "card" ? el("span", {}, faces(step.cards, true)) : el("span", { class: "said" }, `${step.player.toUpperCase()} ${step.choices[step.taken].label.toLowerCase()}`)));
  const has = [question.made, question.draw === "no draw" ? "" : question.draw].filter(Boolean).join(", ");
  const deal = el("button", { type: "button", class: "main", onclick: next }, "Next hand (N)");
  fill(
    box,
    said.length ? el("p", { class: "story" }, said) : null,
    question.board.length ? el("div", { class: "cards board" }, faces(question.board)) : null,
    el("p", {}, `Pot ${question.pot} (${inBlinds(question.pot)})${question.to_call ? `, ${question.to_call} to call` : ""}. You are ${question.street === "preflop" ? BLINDS[question.player] : NAMES[question.player]}.`),
    el("div", { class: "own" }, faces(question.cards), has ? el("span", {}, has) : null),
    el("div", { class: "answers", role: "group", "aria-label": "Your answer" }, question.actions.map(({ label, word, colours }, n) =>
      el("button", { type: "button", class: "answer", "data-word": word, disabled: busy || Boolean(result), "aria-keyshortcuts": n + 1, style: { "border-left-color": colours[palette()] }, onclick: () => answer(word) }, `${label} `, el("small", {}, n + 1)))),
    result ? deal : null,
  );
  if (result) deal.focus({ preventScroll: true });
}

function drawScore(box, { score }, options) {
  const right = score.grades.best + score.grades.good;
  const cost = score.cost === null ? null : [["Cost", `${score.cost.toFixed(2)} bb`], ["Each answer", score.valued ? `${(score.cost / score.valued).toFixed(3)} bb` : "–"]];
  const facts = [["Answers", score.answers], ["Best or good", score.answers ? percent(right / score.answers) : "–"], ["In a row", score.streak], ...(cost || [])];
  const shown = Object.entries(GRADES).filter(([grade]) => grade !== "blunder" || score.cost !== null);
  fill(
    box,
    el("h2", {}, "Score"),
    el("dl", { class: "facts" }, facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, String(value))))),
    el("ul", { class: "grades" }, shown.map(([grade, word]) => el("li", {}, el("span", { class: `grade ${grade}` }, word), el("span", { class: "count" }, String(score.grades[grade]))))),
    options,
    el("p", { class: "faint" }, "Keys: 1 to 9 answer, F folds, C checks or calls, N or Enter deals the next hand."),
  );
}

function drawGraded(box, { result, question }) {
  box.hidden = !result;
  if (!result) return;
  const { actions } = question;
  const holder = el("div");
  const best = actions.find(({ word }) => word === result.best);
  const taken = actions.find(({ word }) => word === result.word);
  const words = result.cost === null
    ? `The blueprint does it ${percent(result.share)} of the time${taken === best ? "" : `; most often it chooses ${best.label.toLowerCase()}`}.`
    : result.cost < 0.0005 ? "No action is better." : `${taken.label} costs ${result.cost.toFixed(2)}${result.margin ? ` ± ${result.margin.toFixed(2)}` : ""} bb${result.cost <= result.margin ? ", which may be chance" : `; ${result.margin ? "better is" : "the best is"} ${best.label.toLowerCase()}`}.`;
  fill(
    box,
    el("h2", {}, el("span", { class: `grade ${result.grade}` }, GRADES[result.grade]), " ", words),
    legend(actions, result.mix, null, (n) => [
      result.values ? ev(result.values[n], result.margins[n], actions[n] === best) : null,
      actions[n] === taken ? el("span", { class: "taken" }, "your answer") : null,
    ]),
    result.note ? el("p", { class: "faint" }, `No values: ${result.note}.`) : null,
    result.margins?.some((margin) => margin > 0) ? el("p", { class: "faint" }, "Played out: ± is the 95 % interval, and the grade is that of the lower end of the cost.") : null,
    holder,
    el("p", { class: "faint" }, "Colours: what each hand does here. Height: how much of it is in the range."),
  );
  grid(holder, { actions, weight: result.classes.weight, strategy: result.classes.strategy, selected: question.class, name: "What every hand does here" }, null);
}

const spokenQuestion = (question) => `Your hand: ${question.cards.map(spoken).join(", ")}${question.board.length ? `, board ${question.board.map(spoken).join(", ")}` : ""}, pot ${question.pot}. ${question.actions.map(({ label }, n) => `${n + 1}: ${label}`).join(", ")}.`;
const spokenGrade = (result, question) => `${GRADES[result.grade]}. ${result.cost === null ? `${percent(result.share)} of the time` : `Cost ${result.cost.toFixed(2)} big blinds`}. Best: ${question.actions.find(({ word }) => word === result.best).label}.`;
