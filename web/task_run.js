// SPDX-License-Identifier: Apache-2.0
// One run at a time: a repeated click does nothing, cancel aborts, errors become words with a button to try again.
import { fill } from "./dom.js";
import { t } from "./i18n.js";
import { problemBlock } from "./problem.js";
import { pollSoon } from "./status.js";

const kMostPatience = 600000;  // milliseconds

/// Milliseconds for one request: a long text takes its time, each beam as much again, and one who waits can cancel.
export function patience(text, beams = 1) {
  return Math.min(kMostPatience, (30000 + 20 * text.length) * beams);
}

export class TaskRun {
  /// Elements: the button that starts, the one that cancels, the live line, the place of errors.
  constructor({ start, cancel, live, error }) {
    Object.assign(this, { start, cancel, live, error, controller: null });
    cancel.addEventListener("click", () => this.controller && this.controller.abort());
  }

  running() {
    return this.controller !== null;
  }

  /// Runs `work(signal)`; `done(answer, seconds)` with its answer. `again` starts anew after an error.
  async run(work, done, again) {
    if (this.controller) return;
    this.controller = new AbortController();
    this.start.disabled = true;
    this.start.setAttribute("aria-busy", "true");
    this.cancel.hidden = false;
    fill(this.error);
    this.live.textContent = t("run.started");
    const began = performance.now();
    try {
      const answer = await work(this.controller.signal);
      this.live.textContent = "";
      done(answer, (performance.now() - began) / 1000);
      pollSoon();
    } catch (error) {
      this.live.textContent = error.name === "AbortError" ? t("run.cancelled") : "";
      if (error.name !== "AbortError") {
        fill(this.error, problemBlock(error, again));
        pollSoon();
      }
    } finally {
      this.controller = null;
      this.start.disabled = false;
      this.start.removeAttribute("aria-busy");
      const focused = document.activeElement === this.cancel;
      this.cancel.hidden = true;
      if (focused) this.start.focus();
    }
  }

  /// Something that the user must mend before there is a request.
  refuse(key, values) {
    fill(this.error, problemBlock({ kind: "words", message: t(key, values) }));
  }
}
