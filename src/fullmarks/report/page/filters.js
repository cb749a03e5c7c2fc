// Which examples are shown, and in which order.
const state = {};
let view = [];
let selected = -1;
let searchable = null;

// What is shown at first: of several systems the examples that changed most.
function firstView() {
  const system = several() && data.baseline === 0 ? 1 : 0;
  const order = several() ? "change" : "input";
  return { words: "", order, outcome: "all", range: null, score: data.main, system, slices: {} };
}

const changeOf = (system, score, at) =>
  gain(minus(examples.scores[system][score][at], examples.scores[data.baseline][score][at]), score);
const outcomeOf = (gained) => (!hasValue(gained) ? null : gained > 0 ? "fixed" : gained < 0 ? "broken" : "same");
const scoreOf = (system, at) => examples.scores[system][state.score][at];
const ours = (at) => scoreOf(state.system, at);
const change = (at) => changeOf(state.system, state.score, at);
const marks = (at) => (data.lessIsBetter[state.score] ? null : ours(at));
const OUTCOMES = {
  all: ["all examples", () => true],
  fixed: ["fixed: better", (at) => outcomeOf(change(at)) === "fixed"],
  broken: ["broken: worse", (at) => outcomeOf(change(at)) === "broken"],
  same: ["same score", (at) => outcomeOf(change(at)) === "same"],
  full: ["full marks", (at) => marks(at) >= 1],
  partial: ["partial marks", (at) => marks(at) > 0 && marks(at) < 1],
  none: ["no marks", (at) => hasValue(marks(at)) && marks(at) <= 0],
  unanswered: ["without prediction", (at) => examples.unanswered[state.system].has(at)],
};
const ORDERS = {
  change: ["largest change", (at) => (hasValue(change(at)) ? -Math.abs(change(at)) : null)],
  input: ["order of the file", null],
  low: ["lowest score", ours],
  high: ["highest score", (at) => minus(0, ours(at))],
  gain: ["largest gain", (at) => minus(0, change(at))],
  loss: ["largest loss", change],
};
const PAIRED = ["fixed", "broken", "same", "change", "gain", "loss"];

function offered(options) {
  const keys = Object.keys(options).filter((key) => several() || !PAIRED.includes(key));
  return keys.map((key) => [key, options[key][0]]);
}

function filterControls() {
  const set = (name, cast) => (event) => {
    state[name] = cast(event.target.value);
    update();
    noteView(name !== "words");
  };
  const search = el("input", {
    id: "search",
    type: "search",
    placeholder: "words in questions, answers, ids",
    autocomplete: "off",
    spellcheck: "false",
    oninput: set("words", String),
  });
  const names = (list) => list.map((name, at) => [at, name]);
  const slices = data.slices.map(({ column, values }, at) => {
    const options = values.map((value, code) => [code, `${labelOf(value)} (${count(value.n)})`]);
    return choice(`filter-${at}`, column, [["", "any"], ...options], ({ target }) => {
      if (target.value === "") delete state.slices[at];
      else state.slices[at] = Number(target.value);
      update();
      noteView(true);
    });
  });
  return [
    el("label", { class: "search" }, "Search", search),
    choice("outcome", "Show", offered(OUTCOMES), set("outcome", String)),
    choice("order", "Sort", offered(ORDERS), set("order", String)),
    data.scores.length > 1 ? choice("score", "Score", names(data.scores), set("score", Number)) : null,
    several() ? choice("system", "System", names(systems.map(({ name }) => name)), set("system", Number)) : null,
    ...slices,
  ];
}

const searchWords = () => state.words.toLowerCase().split(/\s+/).filter(Boolean);

function textsOf(at) {
  const columns = Object.values(examples.columns).map((column) => column[at]);
  const answers = examples.predictions.map((predictions) => predictions[at]);
  return [examples.ids[at], ...columns, ...examples.references[at], ...answers].map(text).join("\n").toLowerCase();
}

function prepareSearch() {
  searchable ??= examples.ids.map((_, at) => textsOf(at));
}

function fits() {
  const words = searchWords(),
    keep = OUTCOMES[state.outcome][1],
    inBar = state.range ? barTest(state.range) : () => true;
  if (words.length) prepareSearch();
  const codes = Object.entries(state.slices).map(([column, code]) => [data.slices[column].codes, code]);
  return (at) =>
    keep(at) &&
    codes.every(([column, code]) => [column[at]].flat().includes(code)) &&
    inBar(at) &&
    words.every((word) => searchable[at].includes(word));
}

function update() {
  view = examples.ids.map((_, at) => at).filter(fits());
  const rank = ORDERS[state.order][1];
  if (rank) {
    // Examples without a value come last: two of them differ by NaN, and stay in the order of the file.
    const ranks = new Map(view.map((at) => [at, rank(at) ?? Infinity]));
    view.sort((a, b) => ranks.get(a) - ranks.get(b) || a - b);
  }
  opened = null;
  drawChips();
  resizeList();
  choose(0);
}

function drawChips() {
  const chip = (label, wish) => {
    const clear = () => {
      explore({ ...state, ...wish }, false);
      $("search").focus({ preventScroll: true });
    };
    return el("button", { type: "button", "aria-label": `Remove filter: ${label}`, onclick: clear }, `${label} ×`);
  };
  const chips = Object.entries(state.slices).map(([column, code]) => {
    const { [column]: _, ...slices } = state.slices;
    return chip(`${data.slices[column].column}: ${labelOf(data.slices[column].values[code])}`, { slices });
  });
  if (state.outcome !== "all") chips.push(chip(OUTCOMES[state.outcome][0], { outcome: "all" }));
  if (state.range) {
    const [name, span] = barWords(state.range);
    chips.push(chip(`${name} ${data.scores[state.range.score]} ${span}`, { range: null }));
  }
  if (state.words) chips.push(chip(`“${state.words}”`, { words: "" }));
  const found = `${view.length < data.n ? `${count(view.length)} of ` : ""}${countExamples(data.n)}`;
  $("chips").replaceChildren(el("span", { class: "quiet", id: "found" }, found), ...chips);
}

// Show what is wished for and nothing else: wishes left out go back to their first values.
function show(wish) {
  Object.assign(state, firstView(), wish, { slices: { ...wish.slices } });
  $("search").value = state.words;
  for (const name of ["outcome", "order", "score", "system"]) if ($(name)) $(name).value = state[name];
  data.slices.forEach((_, column) => {
    $(`filter-${column}`).value = state.slices[column] ?? "";
  });
  update();
}

function explore(wish, go = true) {
  show(wish);
  section = "examples";
  noteView(true);
  if (!go) return;
  $("examples").scrollIntoView();
  $("list").focus({ preventScroll: true });
}
