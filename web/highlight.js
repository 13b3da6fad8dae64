// SPDX-License-Identifier: Apache-2.0
// The text with its values marked: pieces between all ends, each tinted and underlined once for every value it is in.
import { el, fill } from "./dom.js";

const kLaneHeight = 4;  // pixels from one underline to the next
const kMaxLanes = 5;

/// Gives every span a lane, so that overlapping ones have their own underlines: longest first, lowest free lane.
export function assignLanes(spans) {
  const lanes = new Map();
  const placed = [];
  const sorted = [...spans].sort((a, b) => a.start - b.start || b.end - a.end);
  for (const span of sorted) {
    const busy = new Set(placed.filter((other) => other.start < span.end && span.start < other.end).map((other) => lanes.get(other)));
    let lane = 0;
    while (busy.has(lane) && lane < kMaxLanes - 1) ++lane;
    lanes.set(span, lane);
    // Spans that end before this one begins can meet none that follow.
    for (let i = placed.length - 1; i >= 0; --i) if (placed[i].end <= span.start) placed.splice(i, 1);
    placed.push(span);
  }
  return lanes;
}

/// Pieces of the text in order: {start, end, spans}.
export function pieces(length, spans) {
  const ends = [...new Set([0, length, ...spans.flatMap((span) => [span.start, span.end])])].filter((at) => at >= 0 && at <= length).sort((a, b) => a - b);
  const sorted = [...spans].sort((a, b) => a.start - b.start);
  const made = [];
  let open = [];
  let next = 0;
  for (let i = 0; i + 1 < ends.length; ++i) {
    open = open.filter((span) => span.end > ends[i]);
    while (next < sorted.length && sorted[next].start <= ends[i]) open.push(sorted[next++]);
    made.push({ start: ends[i], end: ends[i + 1], spans: [...open] });
  }
  return made;
}

function underline(node, spans, lanes, colour) {
  const lines = spans.map((span) => ({ lane: lanes.get(span), colour: "rgb(var(--f" + (colour(span) % 10) + "))", dashed: colour(span) >= 10 }));
  node.style.backgroundImage = lines
    .map((line) => (line.dashed ? "repeating-linear-gradient(90deg, " + line.colour + " 0 5px, transparent 5px 8px)" : "linear-gradient(" + line.colour + ", " + line.colour + ")"))
    .join(", ");
  node.style.backgroundSize = lines.map(() => "100% 2px").join(", ");
  node.style.backgroundPosition = lines.map((line) => "0 calc(100% - " + line.lane * kLaneHeight + "px)").join(", ");
  node.style.paddingBottom = Math.max(...lines.map((line) => line.lane)) * kLaneHeight + 3 + "px";
}

/// Draws `text` into `root`. colour(span) is the number of its field; tag(span) its name.
export function drawMarked(root, text, spans, { colour, tag }) {
  const lanes = assignLanes(spans);
  const nodes = pieces(text.length, spans).map((piece) => {
    const words = text.slice(piece.start, piece.end);
    if (piece.spans.length === 0) return document.createTextNode(words);
    const top = piece.spans.reduce((best, span) => (span.end - span.start < best.end - best.start ? span : best));
    const ending = piece.spans.filter((span) => span.end === piece.end);
    const node = el("mark", {
      class: "f" + (colour(top) % 10) + (piece.spans.every((span) => span.state !== "found") ? " sure" : ""),
      "data-ids": piece.spans.map((span) => span.id).join(" "),
      "data-tag": ending.length > 0 ? ending.map(tag).join(" · ") : null,
    }, words);
    underline(node, piece.spans, lanes, colour);
    return node;
  });
  fill(root, ...nodes);
}

/// Ids of the values that a node of the marked text is in.
export function idsAt(node) {
  const mark = node && node.closest ? node.closest("mark") : null;
  return mark ? mark.dataset.ids.split(" ").map(Number) : [];
}

/// Sets or clears a class on all pieces of a value; returns the first of them.
export function classOf(root, id, name, on) {
  let first = null;
  for (const mark of root.querySelectorAll("mark")) {
    if (!mark.dataset.ids.split(" ").includes(String(id))) continue;
    mark.classList.toggle(name, on);
    first = first || mark;
  }
  return first;
}

/// The selection within `root` as places in its text, or null.
export function selectedSpan(root) {
  const selection = window.getSelection();
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  if (!root.contains(range.startContainer) || !root.contains(range.endContainer)) return null;
  const before = document.createRange();
  before.selectNodeContents(root);
  before.setEnd(range.startContainer, range.startOffset);
  const start = before.toString().length;
  return { start, end: start + range.toString().length, box: range.getBoundingClientRect() };
}
