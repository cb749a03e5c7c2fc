// Keys and theme.
function listKey(event) {
  const page = Math.max(1, Math.floor($("list").clientHeight / rowHeight) - 1);
  const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -data.n, End: data.n };
  if (event.key === "Enter") openExample(selected);
  else if (event.key in moves) {
    event.preventDefault();
    passTo(selected + moves[event.key]);
  }
}

function pageKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || $("help").open) return;
  const typing = event.target.matches("input, select");
  if (event.key === "Escape") leave(typing);
  else if (event.target.id === "search" && /^(ArrowDown|Enter)$/.test(event.key)) $("list").focus();
  else if (typing) return;
  else if (event.key === "j" || event.key === "k") {
    $("list").focus({ preventScroll: true });
    passTo(selected + (event.key === "j" ? 1 : -1));
  } else if (event.key === "t") switchTheme();
  else if (event.key === "?") $("help").showModal();
  else if (event.key === "/") {
    closeDetail();
    $("search").focus();
    $("search").select();
  } else return;
  event.preventDefault();
}

function leave(typing) {
  if (isOpen()) closeDetail();
  else if (state.words) explore({ ...state, words: "" }, false);
  if (typing) $("list").focus();
}

function switchTheme() {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  root.style.colorScheme = (root.style.colorScheme || system) === "dark" ? "light" : "dark";
}
