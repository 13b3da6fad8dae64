// SPDX-License-Identifier: Apache-2.0
// What was asked before: kept only when the user says so, only in this browser, wiped in one step.
import { store, forever } from "./dom.js";

const kMaxEntries = 50;
const kMaxCharacters = 1000000;  // of all texts together: storage is about 5 MB

export function historyOn() {
  return store.get(forever, "history.on", false) === true;
}

export function historyEntries() {
  const kept = store.get(forever, "history", []);
  return Array.isArray(kept) ? kept.filter((entry) => entry && typeof entry.text === "string" && Array.isArray(entry.labels)) : [];
}

export function setHistory(on) {
  if (on) store.set(forever, "history.on", true);
  else forgetAll();
}

/// Wipes the texts and switches the history off.
export function forgetAll() {
  store.remove(forever, "history");
  store.remove(forever, "history.on");
}

export function remember({ text, labels, result }) {
  if (!historyOn()) return;
  const entries = [{ at: Date.now(), text, labels, result }, ...historyEntries().filter((entry) => entry.text !== text)].slice(0, kMaxEntries);
  let characters = 0;
  const kept = entries.filter((entry) => (characters += entry.text.length) <= kMaxCharacters);
  while (kept.length > 0 && !store.set(forever, "history", kept)) kept.pop();
}
