// On a narrow screen the chosen example covers the page: nothing behind it can be reached, and Back closes it.
const narrow = matchMedia("(max-width: 760px)");
const isOpen = () => $("explorer").classList.contains("open");

function openDetail() {
  if (!narrow.matches || isOpen()) return;
  $("explorer").classList.add("open");
  setInertAround($("detail"), true);
  $("detail").focus();
}

function closeDetail() {
  if (!isOpen()) return;
  uncover();
  opened = null;
  if (history.state && history.state.opened) history.back();
  else noteView(false);
}

function uncover() {
  if (!isOpen()) return;
  $("explorer").classList.remove("open");
  setInertAround($("detail"), false);
  $("list").focus({ preventScroll: true });
}

function setInertAround(node, inert) {
  for (let inside = node; inside !== document.body; inside = inside.parentElement) {
    const others = [...inside.parentElement.children].filter((each) => each !== inside && each.id !== "help");
    for (const each of others) each.inert = inert;
  }
}
