// Elements of the page, and the data inside of it. Every text of the data reaches the page through text nodes:
// nothing is ever parsed as HTML.
const $ = (id) => document.getElementById(id);
const el = (tag, attributes, ...children) => filled(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
  filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
const hasValue = (value) => value !== null && value !== undefined && value !== false;

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (hasValue(value)) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter(hasValue));
  return node;
}

function table(name, head, rows) {
  for (const cell of head) cell.setAttribute("scope", "col");
  return el("table", { "aria-label": name }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows));
}

const rowHead = (attributes, ...children) => el("th", { scope: "row", ...attributes }, ...children);

function choice(id, label, options, onchange) {
  const offered = options.map(([value, name]) => el("option", { value }, name));
  return el("label", {}, label, el("select", { id, onchange }, offered));
}

function heading(title, note, ...more) {
  return el("div", { class: "heading" }, el("h2", {}, title), el("p", { class: "quiet" }, note), ...more);
}

// A place that scrolls sideways can be reached by keys, and shows at its edge that there is more.
function scroller(name, attributes, ...children) {
  const region = { tabindex: 0, role: "region", "aria-label": name, onscroll: () => cue(place) };
  const place = el("div", { ...region, ...attributes, class: `scroll ${attributes.class || ""}` }, ...children);
  sizes.observe(place);
  return el("div", { class: "scroller" }, place, el("span", { class: "cue", "aria-hidden": "true" }, "more →"));
}

const sizes = new ResizeObserver((seen) => seen.forEach(({ target }) => cue(target)));

function cue(place) {
  const isMore = place.scrollLeft + place.clientWidth < place.scrollWidth - 2;
  place.parentNode.classList.toggle("more", isMore);
}

async function unpack(id) {
  const packed = Uint8Array.from(atob($(id).textContent), (letter) => letter.charCodeAt(0));
  const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(plain).json();
}
