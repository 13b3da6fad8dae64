// SPDX-License-Identifier: Apache-2.0
// A batch as jobs of the server: items sent in pieces that fit a request, progress polled, results read page by page.
import { call, callText, Problem } from "./api.js";

const kMaxPieceBytes = 4 << 20;   // of JSON; the server takes 8 MiB
const kMaxPieceItems = 5000;
const kPageLines = 500;
const kEvery = 700;               // milliseconds between polls

const encoder = new TextEncoder();

/// Items in pieces, each small enough for one request.
export function jobPieces(items) {
  const made = [];
  let piece = [];
  let bytes = 0;
  for (const item of items) {
    const size = encoder.encode(JSON.stringify(item)).length + 1;
    if (piece.length > 0 && (piece.length >= kMaxPieceItems || bytes + size > kMaxPieceBytes)) {
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

/// Keeps asking while the server restarts: a job survives that. Gives up after a minute and a half.
async function patient(work, signal) {
  for (let tries = 0; ; ++tries) {
    try {
      return await work();
    } catch (error) {
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

async function runPiece(task, items, options, key, { signal, onLine }) {
  const json = { ...options, items };
  const job = await patient(() => call(task + "/async", { json, signal, headers: { "Idempotency-Key": key } }), signal);
  const id = job.job_id;
  let cursor = 0;
  try {
    for (;;) {
      const view = await patient(() => call("jobs/" + encodeURIComponent(id), { signal }), signal);
      const ended = ["done", "failed", "cancelled"].includes(view.status);
      for (let lines = 1; lines > 0; ) ({ lines, cursor } = await readResults(id, cursor, signal, onLine));
      if (view.status === "failed" || view.status === "cancelled") {
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

/// Runs all items; onLine(answer) for each as it comes.
export async function runJobs(task, items, options, hooks) {
  for (const piece of jobPieces(items)) await runPiece(task, piece, options, freshKey(), hooks);
}
