// SPDX-License-Identifier: Apache-2.0
// The key: kept for the browser session in each tab, and handed from tab to tab, since a new one begins without.
import { session, store } from "./dom.js";

const kPatience = 400;  // milliseconds that another tab has to answer

// Of this service alone: another one may be served below another path of the same host.
const channel = typeof BroadcastChannel === "function" ? new BroadcastChannel("seqgpt key " + new URL("./", location.href).pathname) : null;
let waiting = [];

export function apiKey() {
  return store.get(session, "key", "");
}

function keep(key) {
  if (key) store.set(session, "key", key);
  else store.remove(session, "key");
}

/// Here and in all open tabs; "" forgets it.
export function setApiKey(key) {
  keep(key);
  if (channel) channel.postMessage({ key });
}

/// The key of another open tab, if it is not the one that was just refused; "" when none has one.
export function keyOfAnotherTab(refused) {
  if (!channel) return Promise.resolve("");
  return new Promise((resolve) => {
    const end = (key) => {
      clearTimeout(timer);
      waiting = waiting.filter((other) => other !== told);
      resolve(key);
    };
    const told = (key) => key !== refused && end(key);
    const timer = setTimeout(() => end(""), kPatience);
    waiting.push(told);
    channel.postMessage({ ask: true });
  });
}

if (channel) {
  channel.addEventListener("message", (event) => {
    const { ask, key } = event.data || {};
    if (ask && apiKey()) channel.postMessage({ key: apiKey() });
    if (ask || typeof key !== "string") return;
    keep(key);
    for (const one of key ? waiting : []) one(key);
  });
}
