// SPDX-License-Identifier: Apache-2.0
// The language of the page: Chinese first, English by a switch, kept in the browser.
import { store, forever } from "./dom.js";
import { words } from "./words.js";

let language = store.get(forever, "language", "zh") === "en" ? "en" : "zh";
const listeners = [];

export function currentLanguage() {
  return language;
}

/// The words of `key` with {name} filled in from `values`.
export function t(key, values = {}) {
  const pair = words[key];
  const text = pair ? pair[language === "en" ? 1 : 0] : key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

export function hasWords(key) {
  return key in words;
}

/// Calls `listener` whenever the language changes, for what is not marked with data-i18n.
export function onLanguage(listener) {
  listeners.push(listener);
}

/// Puts words into everything below `root` that names a key.
export function translate(root = document) {
  for (const node of root.querySelectorAll("[data-i18n]")) node.textContent = t(node.dataset.i18n);
  for (const node of root.querySelectorAll("[data-i18n-attr]")) {
    for (const pair of node.dataset.i18nAttr.split(";")) {
      const [attribute, key] = pair.split(":");
      node.setAttribute(attribute, t(key));
    }
  }
}

export function setLanguage(next) {
  language = next;
  store.set(forever, "language", next);
  document.documentElement.lang = next === "en" ? "en" : "zh-CN";
  translate();
  for (const listener of listeners) listener();
}
