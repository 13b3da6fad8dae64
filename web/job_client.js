// SPDX-License-Identifier: Apache-2.0
// A batch as jobs of the server: items sent in pieces that fit a request, progress polled, results read page by page. A server
// that keeps no jobs gets the items in small requests, one after another.
import { call, callText, Problem } from "./api.js";

const kMaxPieceBytes = 4 << 20;   // of JSON; the server takes 8 MiB
const kMaxPieceItems = 1000;      // as many as the server takes in one job
const kMaxBatchItems = 16;        // of a request without jobs: small, so that progress is seen
const kMaxBatchBytes = 256 << 10;
const kBatchTimeout = 120000;     // milliseconds for one such request
const kPageLines = 500;
const kEvery = 700;               // milliseconds between polls

const encoder = new TextEncoder();

/// Items in pieces, each small enough for one request.
export function jobPieces(items, mostItems = kMaxPieceItems, mostBytes = kMaxPieceBytes) {
  const made = [];
  let piece = [];
  let bytes = 0;
  for (const item of items) {
    const size = encoder.encode(JSON.stringify(item)).length + 1;
    if (piece.length > 0 && (piece.length >= mostItems || bytes + size > mostBytes)) {
      made.push(piece);
      piece = [];
      bytes = 0;
    }
    piece.push(item);
    bytes += size;
  }
  if (piece.length > 0) made.push(piece);
  return made;
}

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new DOMException("cancelled", "AbortError"));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
}

/// The server was started without a place for jobs.
function keepsNoJobs(error) {
  return error.kind === "refused" && (error.status === 404 || (error.status === 503 && error.type === "unavailable"));
}

/// Keeps asking while the server restarts: a job survives that. Gives up after a minute and a half.
async function patient(work, signal) {
  for (let tries = 0; ; ++tries) {
    try {
      return await work();
    } catch (error) {
      if (keepsNoJobs(error)) throw error;
      const passing = error.kind === "offline" || error.kind === "broken" || (error.kind === "refused" && [429, 502, 503, 504].includes(error.status));
      if (!passing || tries >= 30) throw error;
      await pause(Math.max(error.retryAfter * 1000, Math.min(500 * (tries + 1), 4000)), signal);
    }
  }
}

/// Reads the lines that are new; returns the cursor after them.
async function readResults(id, cursor, signal, onLine) {
  const { text, headers } = await patient(() => callText("jobs/" + encodeURIComponent(id) + "/results?cursor=" + encodeURIComponent(cursor) + "&limit=" + kPageLines, { accept: "application/x-ndjson", signal }), signal);
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  for (const line of lines) onLine(JSON.parse(line));
  return { lines: lines.length, cursor: headers.get("X-Next-Cursor") || Number(cursor) + lines.length };
}

/// Reads a job to its end.
async function followJob(id, { signal, onLine }) {
  let cursor = 0;
  try {
    for (;;) {
      const view = await patient(() => call("jobs/" + encodeURIComponent(id), { signal }), signal);
      const ended = ["done", "failed", "cancelled"].includes(view.status);
      for (let lines = 1; lines > 0; ) ({ lines, cursor } = await readResults(id, cursor, signal, onLine));
      // A failed job whose items have each said why has nothing to add.
      if (view.status === "cancelled" || (view.status === "failed" && cursor === 0)) {
        const inner = view.error || {};
        throw new Problem("refused", { status: inner.code || 500, message: inner.message || view.status, type: inner.type || "" });
      }
      if (ended) break;
      await pause(kEvery, signal);
    }
  } finally {
    // Whether read to the end or cancelled: nothing of it need stay on the server.
    call("jobs/" + encodeURIComponent(id), { method: "DELETE" }).catch(() => {});
  }
}

/// A word that no other submission has, without crypto.randomUUID, which plain http lacks.
function freshKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function runWithoutJobs(task, items, options, { signal, onLine }) {
  for (const piece of jobPieces(items, kMaxBatchItems, kMaxBatchBytes)) {
    const json = { ...options, items: piece, timeout_ms: kBatchTimeout };
    const { results } = await patient(() => call(task + "/batch", { json, signal }), signal);
    results.forEach((result, i) => onLine({ ...result, id: piece[i].id }));
  }
}

/// Runs all items; onLine(answer) for each as it comes.
export async function runJobs(task, items, options, hooks) {
  for (const piece of jobPieces(items)) {
    const json = { ...options, items: piece };
    const headers = { "Idempotency-Key": freshKey() };
    let job = null;
    try {
      job = await patient(() => call(task + "/async", { json, signal: hooks.signal, headers }), hooks.signal);
    } catch (error) {
      if (!keepsNoJobs(error)) throw error;
    }
    if (job) await followJob(job.job_id, hooks);
    else await runWithoutJobs(task, piece, options, hooks);
  }
}
