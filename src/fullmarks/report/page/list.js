// The list of examples: only the rows in sight exist.
const LINE = 22;
let rowHeight = 0;

const question = (at) => text((examples.columns.question || [])[at]);
const wanted = (at) => [...new Set(examples.references[at].map(text))];
const answerOf = (system, at) => text(examples.predictions[system][at]);

function examplesSection() {
  rowHeight = 17 + LINE * (1 + systems.length + ("question" in examples.columns ? 1 : 0));
  const list = el(
    "div",
    {
      id: "list",
      class: "card list",
      role: "listbox",
      tabindex: 0,
      "aria-label": "Examples",
      onscroll: () => requestAnimationFrame(drawRows),
      onclick: listClick,
      onkeydown: listKey,
    },
    el("div", { id: "height", role: "presentation" }),
    el("div", { id: "rows", class: "rows", role: "presentation" }),
  );
  const detail = el("article", { id: "detail", class: "card detail", tabindex: -1, "aria-label": "Chosen example" });
  const note = several() ? `Gains and losses are against ${systems[data.baseline].name}.` : "";
  return el(
    "section",
    { id: "examples" },
    heading("Examples", note),
    el("div", { class: "filters", role: "search" }, filterControls()),
    el("div", { id: "chips", class: "chips", role: "status" }),
    el("div", { id: "explorer", class: "explorer" }, list, detail),
  );
}

function resizeList() {
  $("list").scrollTop = 0;
  $("height").style.height = `${view.length * rowHeight}px`;
}

function drawRows() {
  const { scrollTop, clientHeight } = $("list");
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - 4);
  const last = Math.min(view.length, first + Math.ceil(clientHeight / rowHeight) + 9);
  const words = searchWords(),
    rows = [];
  for (let place = first; place < last; place += 1) rows.push(row(place, words));
  $("rows").style.transform = `translateY(${first * rowHeight}px)`;
  $("rows").replaceChildren(...(rows.length ? rows : [el("p", { class: "nothing empty" }, "No example fits.")]));
}

function row(place, words) {
  const at = view[place],
    asked = question(at);
  const gold = referencesOf(at, words);
  const said = (system) =>
    el(
      "div",
      { class: "said", title: systems[system].name, ...markOf(system) },
      el("span", { class: "dot" }),
      el("span", { class: "unseen" }, `${systems[system].name}: `),
      badge(scoreOf(system, at), state.score),
      el("span", { class: "cut" }, saidBy(system, at, words)),
    );
  const node = el(
    "div",
    {
      class: "row",
      role: "option",
      id: `row-${at}`,
      "aria-selected": String(place === selected),
      "aria-setsize": view.length,
      "aria-posinset": place + 1,
    },
    el("div", { class: "head" }, asked ? marked(asked, words) : gold),
    asked ? el("div", { class: "gold" }, gold) : null,
    systems.map((_, system) => said(system)),
  );
  node.style.height = `${rowHeight}px`;
  return node;
}

// Rows are drawn anew while the list moves, so a click may end on another element than it began on.
function listClick(event) {
  const row = event.target.closest("[aria-posinset]"),
    list = $("list");
  const height = event.clientY - list.getBoundingClientRect().top - list.clientTop + list.scrollTop;
  const place = row ? row.getAttribute("aria-posinset") - 1 : Math.floor(height / rowHeight);
  if (place < view.length) openExample(place);
}

function badge(value, score, name) {
  const grade = !hasValue(value) || data.lessIsBetter[score] ? "" : value >= 1 ? "full" : value <= 0 ? "none" : "";
  return el("span", { class: `score ${grade}` }, (name ? `${name} ` : "") + scaled(value));
}

function saidBy(system, at, words = []) {
  if (examples.unanswered[system].has(at)) return empty("no prediction");
  return legibly(answerOf(system, at), words);
}

const legibly = (source, words) => (isBlank(source) ? shown(source) : marked(source, words));

// Each reference keeps its own direction of writing.
function referencesOf(at, words = []) {
  const parts = wanted(at).map((reference) => el("bdi", {}, legibly(reference, words)));
  return parts.length ? parts.flatMap((part, place) => (place ? [" · ", part] : [part])) : [empty("no answer")];
}

function marked(source, words) {
  const lower = source.toLowerCase(),
    parts = [];
  if (!words.length || lower.length !== source.length) return [source];
  let from = 0;
  for (;;) {
    const places = words.map((word) => [lower.indexOf(word, from), word.length]).filter(([place]) => place >= 0);
    if (!places.length) return [...parts, source.slice(from)];
    const [start, length] = places.reduce((a, b) => (b[0] < a[0] ? b : a));
    parts.push(source.slice(from, start), el("mark", {}, source.slice(start, start + length)));
    from = start + length;
  }
}

// An example that is opened stands in the address; one that is only passed by replaces the one before it there.
function openExample(place) {
  choose(place);
  if (selected < 0) return;
  opened = text(examples.ids[view[selected]]);
  openDetail();
  noteView(true);
}

function passTo(place) {
  choose(place);
  if (selected < 0 || (narrow.matches && !isOpen())) return;
  opened = text(examples.ids[view[selected]]);
  noteView(false);
}

function choose(place) {
  selected = view.length ? Math.min(Math.max(0, place), view.length - 1) : -1;
  const list = $("list"),
    top = selected * rowHeight;
  if (selected >= 0) {
    list.scrollTop = Math.min(top, Math.max(list.scrollTop, top + rowHeight - list.clientHeight));
    list.setAttribute("aria-activedescendant", `row-${view[selected]}`);
  } else list.removeAttribute("aria-activedescendant");
  drawRows();
  drawDetail();
}
