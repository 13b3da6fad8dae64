// SPDX-License-Identifier: Apache-2.0
// JSON with its keys, strings, numbers and words coloured, as text nodes.
import { el, fill } from "./dom.js";

const kToken = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/g;
const kMaxColoured = 400000;  // characters; a longer one is shown plain, the browser would be busy too long

export function drawJson(root, value) {
  const text = JSON.stringify(value, null, 2);
  if (text.length > kMaxColoured) {
    fill(root, el("pre", { class: "json" }, text));
    return;
  }
  const nodes = [];
  let at = 0;
  for (const match of text.matchAll(kToken)) {
    if (match.index > at) nodes.push(text.slice(at, match.index));
    const kind = match[2] ? "key" : match[1] ? "string" : /^[-\d]/.test(match[0]) ? "number" : "word";
    nodes.push(el("span", { class: "j-" + kind }, match[1] || match[0]));
    if (match[2]) nodes.push(match[2]);
    at = match.index + match[0].length;
  }
  fill(root, el("pre", { class: "json" }, ...nodes, text.slice(at)));
}
