// SPDX-License-Identifier: Apache-2.0
// The line at the bottom: polls /health and shows model, state, queue, times, memory and GPU.
import { call } from "./api.js";
import { $, el, fill } from "./dom.js";
import { onLanguage, t } from "./i18n.js";

const kEvery = 5000;         // milliseconds between polls while all is well
const kWhileLoading = 1000;
const kLongest = 20000;      // while the server does not answer
const kSamples = 40;

const samples = [];
let timer = 0;
let failures = 0;
let last = null;
let cpu;

const number = (...values) => values.find((value) => typeof value === "number" && Number.isFinite(value));
const at = (object, ...path) => path.reduce((inner, key) => (inner && typeof inner === "object" ? inner[key] : undefined), object);

function milliseconds(value) {
  return value >= 1000 ? (value / 1000).toFixed(1) + " s" : Math.round(value) + " ms";
}
function size(bytes) {
  return bytes >= 1 << 30 ? (bytes / (1 << 30)).toFixed(1) + " GB" : Math.round(bytes / (1 << 20)) + " MB";
}

/// Share of one processor between two answers of /health; more than 100 % when several are busy.
function processorShare(before, now) {
  const seconds = number(at(now, "cpu", "seconds")) - number(at(before, "cpu", "seconds"));
  const elapsed = number(now.uptime_s) - number(at(before, "uptime_s"));
  return elapsed > 0.5 && seconds >= 0 ? (100 * seconds) / elapsed : undefined;
}

/// Two lines over the last polls, on their own scale.
function chart() {
  const width = 84;
  const height = 20;
  const svg = (tag, attributes) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    return node;
  };
  const most = Math.max(1, ...samples.map((sample) => sample.p95));
  const line = (key) => samples.map((sample, i) => ((i * width) / Math.max(1, samples.length - 1)).toFixed(1) + "," + (height - 2 - (sample[key] / most) * (height - 4)).toFixed(1)).join(" ");
  if (samples.length < 2) return null;
  const root = svg("svg", { width, height, viewBox: "0 0 " + width + " " + height, role: "img", "aria-label": t("status.chart") });
  root.append(svg("polyline", { points: line("p50"), class: "spark50" }), svg("polyline", { points: line("p95"), class: "spark95" }));
  return root;
}

function item(label, value) {
  return el("span", {}, label + " ", el("b", {}, value));
}

function latencies(health) {
  const recent = health.latency_ms || {};
  const p50 = number(at(recent, "last_10", "p50"));
  const p95 = number(at(recent, "last_10", "p95"));
  return !at(recent, "last_10", "count") || p50 === undefined || p95 === undefined ? null : { p50, p95 };
}

function gpuItems(health) {
  const gpus = Array.isArray(health.gpus) ? health.gpus : health.gpu ? [health.gpu] : [];
  return gpus.map((gpu, i) => {
    const used = number(gpu.memory_used_bytes);
    const total = number(gpu.memory_total_bytes);
    const parts = [
      number(gpu.utilization) === undefined ? "" : Math.round(gpu.utilization) + "%",
      used === undefined ? "" : size(used) + (total ? "/" + size(total) : ""),
      number(gpu.temperature_c) === undefined ? "" : Math.round(gpu.temperature_c) + " °C"];
    return item("GPU" + (gpus.length > 1 ? " " + i : ""), parts.filter((part) => part !== "").join(" · "));
  });
}

function stateOf(health) {
  const known = { ready: "ready", degraded: "busy", loading: "busy", draining: "busy" }[health.status];
  return el("span", { class: "state " + (known || "busy") }, t(known ? "status." + health.status : "status.unknown"));
}

function loadingBar(health) {
  if (health.status !== "loading") return null;
  const share = number(health.load_progress);
  return el("progress", { max: 1, value: share === undefined ? null : Math.min(1, share), "aria-label": t("status.loading") });
}

function draw() {
  const refresh = el("button", { class: "small", id: "refresh-status", onclick: poll }, t("status.refresh"));
  const had = document.activeElement && document.activeElement.id === "refresh-status";
  if (!last) {
    fill($("status"), el("span", { class: "state gone" }, t(failures > 0 ? "status.gone" : "status.asking")), refresh);
  } else {
    const times = latencies(last);
    const running = number(at(last, "queue", "running"));
    const waiting = number(at(last, "queue", "waiting"));
    const memory = number(at(last, "memory", "rss_bytes"));
    const model = last.model;
    fill($("status"), stateOf(last), loadingBar(last),
      model ? item(t("status.model"), String(model)) : null,
      last.device ? item(t("status.device"), String(last.device)) : null,
      waiting === undefined ? null : item(t("status.queue"), running === undefined ? String(waiting) : t("status.queue.both", { running, waiting })),
      times ? el("span", {}, "P50 ", el("b", {}, milliseconds(times.p50)), "  P95 ", el("b", {}, milliseconds(times.p95)), chart()) : null,
      cpu === undefined ? null : item("CPU", Math.round(cpu) + "%"),
      memory === undefined ? null : item(t("status.memory"), size(memory)),
      ...gpuItems(last), refresh);
  }
  if (had) refresh.focus();
}

async function poll() {
  clearTimeout(timer);
  try {
    const before = last;
    last = await call("health", { silent: true });
    cpu = processorShare(before, last);
    failures = 0;
    const times = latencies(last);
    if (times) samples.push(times);
    if (samples.length > kSamples) samples.shift();
  } catch (error) {
    last = null;
    ++failures;
  }
  draw();
  clearTimeout(timer);
  const wait = last ? (last.status === "loading" ? kWhileLoading : kEvery) : Math.min(kLongest, 1000 * 2 ** Math.min(failures, 5));
  timer = setTimeout(poll, document.hidden ? kLongest : wait);
}

/// After an error: look at once how the server is.
export function pollSoon() {
  clearTimeout(timer);
  timer = setTimeout(poll, 100);
}

export function setUpStatus() {
  onLanguage(draw);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) pollSoon();
  });
  draw();
  poll();
}
