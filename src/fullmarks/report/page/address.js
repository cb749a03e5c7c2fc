// The view in the address: filters, order and the opened example. A link opens the same view, and Back the one before.
// What is read from an address may be anything: only what this page offers is taken.
let section = "";
let opened = null;
let waiting = null;

// Two values of a column may look alike; all but the first then have their number beside them.
function labelKey(column, code) {
  const names = data.slices[column].values.map(labelOf);
  return names.indexOf(names[code]) === code ? names[code] : `${names[code]} #${code}`;
}

function queryOf(view) {
  const first = firstView(),
    query = new URLSearchParams();
  const add = (name, value, usual, shown) => value !== usual && query.set(name, shown);
  add("words", view.words, first.words, view.words);
  add("show", view.outcome, first.outcome, view.outcome);
  add("sort", view.order, first.order, view.order);
  add("score", view.score, first.score, data.scores[view.score]);
  add("system", view.system, first.system, systems[view.system].name);
  for (const [column, code] of Object.entries(view.slices)) {
    query.set(`in.${data.slices[column].column}`, labelKey(column, code));
  }
  if (view.range) query.set("bar", ["score", "system", "kind", "bin"].map((name) => view.range[name]).join(","));
  return query;
}

function viewAddress() {
  const query = queryOf(state);
  if (opened !== null) query.set("id", opened);
  const asked = query.toString();
  return (section || asked ? `#${section || "examples"}` : "") + (asked ? `?${asked}` : "");
}

// Typing and walking through the list replace the entry, after a while: browsers count how often that is done.
function noteView(isNew) {
  const address = viewAddress();
  if (isNew) {
    writeWaiting();
    writeAddress("pushState", { opened: opened !== null }, address);
  } else {
    clearTimeout(waiting && waiting.timer);
    waiting = { address, timer: setTimeout(writeWaiting, 300) };
  }
}

function writeWaiting() {
  if (!waiting) return;
  clearTimeout(waiting.timer);
  writeAddress("replaceState", history.state, waiting.address);
  waiting = null;
}

function writeAddress(way, entry, address) {
  if (way === "pushState" && address === location.hash) return;
  try {
    history[way](entry, "", address);
  } catch {
    // A page inside of another document may have no address of its own: it then works without one.
  }
}

function wishOf(query) {
  const wish = { words: query.get("words") || "", slices: {} };
  const offers = (options, key) => offered(options).some(([known]) => known === key);
  if (offers(OUTCOMES, query.get("show"))) wish.outcome = query.get("show");
  if (offers(ORDERS, query.get("sort"))) wish.order = query.get("sort");
  const score = data.scores.indexOf(query.get("score")),
    system = systems.findIndex(({ name }) => name === query.get("system"));
  if (score >= 0) wish.score = score;
  if (system >= 0) wish.system = system;
  data.slices.forEach(({ column, values }, at) => {
    const code = values.findIndex((_, each) => labelKey(at, each) === query.get(`in.${column}`));
    if (query.has(`in.${column}`) && code >= 0) wish.slices[at] = code;
  });
  wish.range = rangeOf((query.get("bar") || "").split(","));
  return wish;
}

function rangeOf([score, system, kind, bin]) {
  const isPlace = (place, length) => /^\d{1,4}$/.test(place) && Number(place) < length;
  const isBar = isPlace(score, data.scores.length) && isPlace(system, systems.length) && isPlace(bin, BINS);
  if (!isBar || !KINDS.includes(kind)) return null;
  return { score: Number(score), system: Number(system), kind, bin: Number(bin) };
}

// Filters that are already set stay as they are, and with them the place in the list.
function showAddress() {
  const [place, ...asked] = location.hash.slice(1).split("?");
  const query = new URLSearchParams(asked.join("?")),
    wish = wishOf(query);
  clearTimeout(waiting && waiting.timer);
  waiting = null;
  section = $("main").querySelector(`:scope > section[id="${CSS.escape(place)}"]`) ? place : "";
  if (!("words" in state) || String(queryOf({ ...firstView(), ...wish })) !== String(queryOf(state))) show(wish);
  const at = examples.ids.findIndex((id) => text(id) === query.get("id"));
  const row = query.has("id") ? view.indexOf(at) : -1;
  opened = row < 0 ? null : query.get("id");
  if (row >= 0) {
    choose(row);
    openDetail();
  } else {
    uncover();
    if (!narrow.matches && selected > 0) choose(0);
  }
}
