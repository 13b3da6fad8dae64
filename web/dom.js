// SPDX-License-Identifier: Apache-2.0
// Small helpers for the document. Text goes in as text nodes only, so nothing a user gives can become markup.

export const $ = (id) => document.getElementById(id);

/// el("button", {class: "small", onclick: f, "aria-label": "…"}, "text", child, …): an element. Null children are left out.
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled") node[name] = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined).map(childNode));
  return node;
}

function childNode(child) {
  return child instanceof Node ? child : document.createTextNode(String(child));
}

/// Replaces what stands in `node`.
export function fill(node, ...children) {
  node.textContent = "";
  node.append(...children.filter((child) => child !== null && child !== undefined).map(childNode));
  return node;
}

export function download(name, bytes, type) {
  const address = URL.createObjectURL(new Blob([bytes], { type }));
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/// Over plain http from another machine there is no clipboard API: then a hidden text box and the old command.
export async function copyText(text) {
  if (navigator.clipboard && window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch (error) {
      // Forbidden by the browser: try the old way.
    }
  }
  const box = el("textarea", { class: "sr", readonly: true, "aria-hidden": "true" });
  const before = document.activeElement;
  (document.querySelector("dialog[open]") || document.body).append(box);
  box.value = text;
  box.select();
  let copied = false;
  try {
    copied = document.execCommand("copy");
  } catch (error) {
    copied = false;
  }
  box.remove();
  if (before && before.focus) before.focus();
  return copied;
}

let toastTimer = 0;
export function toast(text) {
  const node = $("toast");
  node.textContent = text;
  node.classList.add("shown");
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => node.classList.remove("shown"), 3200);
}

/// Arrow keys, Home and End within a role=tablist; `choose(tab)` is called for the new tab.
export function tabList(list, choose) {
  const tabs = () => [...list.querySelectorAll('[role="tab"]')].filter((tab) => !tab.hidden);
  list.addEventListener("click", (event) => {
    const tab = event.target.closest('[role="tab"]');
    if (tab) choose(tab);
  });
  list.addEventListener("keydown", (event) => {
    const all = tabs();
    const at = all.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1 + all.length, Home: 0, End: all.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    const tab = all[to % all.length];
    tab.focus();
    choose(tab);
  });
}

/// Marks `chosen` among the tabs of its list and shows its panel alone.
export function showTab(chosen) {
  for (const tab of chosen.parentNode.querySelectorAll('[role="tab"]')) {
    const on = tab === chosen;
    tab.setAttribute("aria-selected", String(on));
    tab.tabIndex = on ? 0 : -1;
    $(tab.getAttribute("aria-controls")).hidden = !on;
  }
}

/// What the browser keeps for this origin; without storage nothing is kept and nothing fails.
export const store = {
  get(area, key, otherwise) {
    try {
      const text = area().getItem("seqgpt." + key);
      return text === null ? otherwise : JSON.parse(text);
    } catch (error) {
      return otherwise;
    }
  },
  set(area, key, value) {
    try {
      area().setItem("seqgpt." + key, JSON.stringify(value));
      return true;
    } catch (error) {
      return false;
    }
  },
  remove(area, key) {
    try {
      area().removeItem("seqgpt." + key);
    } catch (error) {
      // Nothing was kept.
    }
  },
};
export const forever = () => window.localStorage;
export const session = () => window.sessionStorage;
