// The paragraph that a question is about, with the places of its answers. Paragraphs are unpacked by the block.
const paragraphs = new Map();
const FEWEST_LETTERS = 3;

async function contextOf(at) {
  const place = data.contexts[at];
  if (!hasValue(place)) return null;
  const block = Math.floor(place / data.contextBlock);
  if (!paragraphs.has(block)) paragraphs.set(block, unpack(`contexts-${block}`));
  const [words, marks] = (await paragraphs.get(block))[place % data.contextBlock];
  return { words, marks: marks[at] || [] };
}

function contextPart(at, { words, marks }) {
  const placed = marks.length ? placesIn(words, marks) : placesOf(words, wanted(at));
  const note = marks.length ? "answers marked" : placed.length ? "words of a reference marked" : "no answer marked";
  const place = el(
    "div",
    { class: "context", tabindex: 0, role: "region", "aria-label": `Context, ${note}` },
    markedAt(words, placed),
  );
  return el("div", { class: "about" }, el("p", { class: "quiet" }, `context · ${note}`), place);
}

// Marks count whole characters, strings of the browser their halves.
function placesIn(words, marks) {
  const letters = Array.from(words);
  const length = (from, to) => letters.slice(from, to).join("").length;
  return marks.map(([start, size]) => [length(0, start), length(start, start + size)]);
}

// Where the gold tells no place: references that stand in the paragraph as whole words.
function placesOf(words, references) {
  const isLetter = (letter) => letter !== undefined && /[\p{L}\p{N}]/u.test(letter);
  const found = [];
  for (const reference of references.filter((each) => each.trim().length >= FEWEST_LETTERS)) {
    for (let at = words.indexOf(reference); at >= 0; at = words.indexOf(reference, at + reference.length)) {
      const end = at + reference.length;
      if (!isLetter(words[at - 1]) && !isLetter(words[end])) found.push([at, reference.length]);
    }
  }
  return found.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
}

function markedAt(words, places) {
  const parts = [];
  let from = 0;
  for (const [start, length] of places) {
    const begin = Math.max(from, start),
      end = start + length;
    if (end <= from) continue;
    parts.push(words.slice(from, begin), el("mark", { class: "gold" }, words.slice(begin, end)));
    from = end;
  }
  return [...parts, words.slice(from)];
}

function showFirstMark() {
  const place = document.querySelector("#detail .context"),
    mark = place && place.querySelector("mark");
  if (mark) place.scrollTop = mark.offsetTop - place.offsetTop - place.clientHeight / 3;
}
