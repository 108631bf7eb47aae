"use strict";
/* Shows one slide at a time. All text comes from the page's own data and is set as text, never as HTML. */
const SVG = "http://www.w3.org/2000/svg";
const { marks, slides } = JSON.parse(document.getElementById("slides").textContent);
const get = (id) => document.getElementById(id);
let shown = slides.map((_, number) => number);
let place = 0;

function make(name, className, attributes) {
  const node = document.createElementNS(SVG, name);
  node.setAttribute("class", className);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  return node;
}

function drawMark(svg, mark, size) {
  const [left, top, right, bottom] = mark.box;
  const kind = mark.kinds.join(" ");
  const isPoint = left === right && top === bottom;
  for (const layer of ["under", ""]) {
    const shape = isPoint
      ? make("circle", `${kind} ${layer}`, { cx: left - 0.5, cy: top - 0.5, r: size * 0.6 })
      : make("rect", `${kind} ${layer}`, { x: left - 1, y: top - 1, width: Math.max(right - left + 1, 0), height: Math.max(bottom - top + 1, 0) });
    if (!layer && mark.colour) shape.style.setProperty("--mark", mark.colour);
    svg.append(shape);
  }
  if (!mark.label) return;
  const text = make("text", "", { x: Math.max(left, 1) + size * 0.25, y: Math.max(top, 1) + size, "font-size": size });
  text.textContent = mark.label;
  svg.append(text);
}

function listMark(mark) {
  const item = document.createElement("li");
  item.className = mark.kinds.join(" ");
  if (mark.colour) item.style.setProperty("--mark", mark.colour);
  item.textContent = mark.text;
  return item;
}

function showSlide() {
  const slide = slides[shown[place]];
  const drawn = slide ? slide.marks.map((number) => marks[number]) : [];
  const figure = get("picture");
  get("unread").hidden = true;
  figure.querySelectorAll("img, svg").forEach((node) => node.remove());
  get("previous").disabled = !slide || place === 0;
  get("next").disabled = !slide || place === shown.length - 1;
  get("place").textContent = slide ? `${(place + 1).toLocaleString("en")} of ${shown.length.toLocaleString("en")}` : "nothing to show";
  get("name").textContent = slide ? slide.id : "";
  get("head").textContent = slide ? slide.head : "";
  get("marks").replaceChildren(...drawn.filter((mark) => mark.text).map(listMark));
  if (!slide) return;
  const picture = new Image();
  picture.alt = slide.id;
  picture.addEventListener("error", () => (get("unread").hidden = false));
  picture.src = slide.picture;
  figure.append(picture);
  for (const [kind, source] of Object.entries(slide.masks)) {
    const mask = new Image();
    mask.className = `mask ${kind}`;
    mask.alt = "";
    mask.src = source;
    figure.append(mask);
  }
  const svg = make("svg", "", { viewBox: `0 0 ${slide.width} ${slide.height}` });
  for (const mark of drawn) drawMark(svg, mark, Math.max(slide.width, slide.height) / 32);
  figure.append(svg);
  const following = slides[shown[place + 1]];
  if (following) new Image().src = following.picture;
  history.replaceState(null, "", `#${shown[place] + 1}`);
}

function step(to) {
  if (to < 0 || to >= shown.length || to === place) return;
  place = to;
  showSlide();
}

function choose() {
  const kind = get("kind").value;
  const words = get("find").value.trim();
  shown = slides.flatMap((slide, number) => ((!kind || slide.kind === kind) && slide.id.includes(words) ? [number] : []));
  place = 0;
  showSlide();
}

function stepMasks() {
  const names = ["masks-class", "masks-object"];
  const at = names.findIndex((name) => document.body.classList.contains(name));
  document.body.classList.remove(...names);
  if (at < names.length - 1) document.body.classList.add(names[at + 1]);
}

const ACTION_OF_KEY = {
  ArrowLeft: () => step(place - 1),
  ArrowRight: () => step(place + 1),
  Home: () => step(0),
  End: () => step(shown.length - 1),
  b: () => document.body.classList.toggle("no-boxes"),
  l: () => document.body.classList.toggle("no-labels"),
  m: stepMasks,
};

document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
  const action = ACTION_OF_KEY[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (isTyping || event.ctrlKey || event.altKey || event.metaKey || !action) return;
  event.preventDefault();
  action();
});
get("previous").addEventListener("click", () => step(place - 1));
get("next").addEventListener("click", () => step(place + 1));
get("kind").addEventListener("change", choose);
get("find").addEventListener("input", choose);
place = Math.min(Math.max(Number.parseInt(location.hash.slice(1), 10) - 1 || 0, 0), Math.max(slides.length - 1, 0));
showSlide();
document.body.dataset.ready = "true";
