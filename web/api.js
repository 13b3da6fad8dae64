// SPDX-License-Identifier: Apache-2.0
// The way to the server: requests, event streams, errors as Problems.
import { apiKey, keyOfAnotherTab, setApiKey } from "./key.js";

/// What went wrong, as data; problem.js has the words. kind: "offline" (no connection), "broken" (the answer broke off),
/// "refused" (the server answered with an error).
export class Problem extends Error {
  constructor(kind, fields = {}) {
    super(fields.message || kind);
    this.kind = kind;
    Object.assign(this, { status: 0, type: "", param: "", retryAfter: 0, trace: "" }, fields);
  }
}

let askForKey = async () => null;
let asking = null;

/// `ask(again)` shows the key dialog and resolves to a key or null.
export function setKeyDialog(ask) {
  askForKey = ask;
}
/// One dialog however many requests are refused at once.
function askOnce(again) {
  if (!asking) {
    asking = askForKey(again).finally(() => {
      asking = null;
    });
  }
  return asking;
}

async function fetchOnce(path, { method = "GET", body, accept = "application/json", signal, type = "application/json", headers: more = {} } = {}) {
  const headers = { Accept: accept, ...more };
  if (body !== undefined) headers["Content-Type"] = type;
  const key = apiKey();
  if (key) headers.Authorization = "Bearer " + key;
  try {
    return await fetch(path, { method, headers, body, signal, cache: "no-store", credentials: "same-origin" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem("offline");
  }
}

async function refusal(response) {
  let inner = {};
  try {
    const body = await response.json();
    inner = body && typeof body.error === "object" && body.error ? body.error : {};
  } catch (error) {
    if (error.name === "AbortError") throw error;
  }
  return new Problem("refused", {
    status: response.status,
    type: String(inner.type || ""),
    message: String(inner.message || response.statusText || ""),
    param: String(inner.param || ""),
    trace: String(inner.trace_id || response.headers.get("X-Request-ID") || ""),
    retryAfter: Number(response.headers.get("Retry-After")) || 0,
  });
}

/// A response with status 2xx. On 401 asks the other tabs for a key, then the user, as often as one is given.
async function fetchOk(path, options) {
  for (;;) {
    const used = apiKey();
    const response = await fetchOnce(path, options);
    if (response.ok) return response;
    if (response.status !== 401 || options.silent) throw await refusal(response);
    if (apiKey() !== used) continue;  // another request has asked meanwhile
    if (await keyOfAnotherTab(used)) continue;
    if (apiKey() !== used) continue;
    const key = await askOnce(used !== "");
    if (!key) throw await refusal(response);
    setApiKey(key);
  }
}

async function whole(reading) {
  try {
    return await reading;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem("broken");
  }
}

/// The JSON of an answer.
export async function call(path, options = {}) {
  const request = { ...options };
  if (request.json !== undefined) {
    request.method = request.method || "POST";
    request.body = JSON.stringify(request.json);
  }
  const response = await fetchOk(path, request);
  return whole(response.json());
}

/// The text of an answer and its headers.
export async function callText(path, options = {}) {
  const response = await fetchOk(path, options);
  return { text: await whole(response.text()), headers: response.headers };
}

/// Splits a stream of server-sent events; feed(text) calls onEvent(name, data) for each whole event.
export function eventParser(onEvent) {
  let rest = "";
  const one = (block) => {
    let name = "message";
    const data = [];
    for (const line of block.split("\n")) {
      const colon = line.indexOf(":");
      if (colon === 0) continue;
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (field === "event") name = value;
      if (field === "data") data.push(value);
    }
    if (data.length > 0) onEvent(name, data.join("\n"));
  };
  return (text) => {
    rest = (rest + text).replace(/\r\n/g, "\n");
    const blocks = rest.split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) one(block);
  };
}

function parsed(data) {
  try {
    return JSON.parse(data);
  } catch (error) {
    throw new Problem("broken");
  }
}

/// POSTs `json` and reads the event stream; onEvent(name, data) for each but the last; resolves to the body of `result`.
export async function stream(path, json, { signal, onEvent }) {
  const response = await fetchOk(path, { method: "POST", body: JSON.stringify(json), accept: "text/event-stream, application/json", signal });
  if (!(response.headers.get("Content-Type") || "").startsWith("text/event-stream")) return whole(response.json());
  let result;
  let failure;
  const feed = eventParser((name, data) => {
    if (name === "result") result = parsed(data);
    else if (name === "error") failure = parsed(data).error || {};
    else onEvent(name, parsed(data));
  });
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  for (;;) {
    const { done, value } = await whole(reader.read());
    if (done) break;
    feed(decoder.decode(value, { stream: true }));
  }
  feed(decoder.decode() + "\n\n");
  if (failure) throw new Problem("refused", { status: failure.code || 500, type: failure.type || "", message: failure.message || "", param: failure.param || "", trace: failure.trace_id || "" });
  if (result === undefined) throw new Problem("broken");
  return result;
}
