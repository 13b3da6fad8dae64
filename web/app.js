// SPDX-License-Identifier: Apache-2.0
// Puts the page together: tabs, modes, language, colours.
import { Batch } from "./batch.js";
import { setUpClassify } from "./classify.js";
import { $, showTab, store, forever, tabList } from "./dom.js";
import { ExtractTab } from "./extract.js";
import { setUpFreePrompt } from "./free_prompt.js";
import { currentLanguage, onLanguage, setLanguage, t } from "./i18n.js";
import { setUpSettings } from "./settings.js";
import { setUpStatus } from "./status.js";

const kThemes = ["system", "light", "dark"];
const kThemeSigns = { system: "◐", light: "☀", dark: "☾" };

let theme = store.get(forever, "theme", "system");

function showTheme() {
  if (theme === "light" || theme === "dark") document.documentElement.setAttribute("data-theme", theme);
  else document.documentElement.removeAttribute("data-theme");
  $("theme").textContent = kThemeSigns[theme] || kThemeSigns.system;
  $("theme").title = t("theme." + (kThemes.includes(theme) ? theme : "system"));
  $("theme").setAttribute("aria-label", $("theme").title);
}

function showLanguageButton() {
  const english = currentLanguage() === "en";
  $("language").textContent = english ? "中文" : "EN";
  $("language").lang = english ? "zh-CN" : "en";
  $("language").setAttribute("aria-label", english ? "中文，切换到中文" : "EN, switch to English");
  document.title = "seqgpt · " + t("tab.extract");
}

function setMode(batch) {
  $("mode-single").setAttribute("aria-pressed", String(!batch));
  $("mode-batch").setAttribute("aria-pressed", String(batch));
  $("single").hidden = batch;
  $("batch").hidden = !batch;
  $(batch ? "batch-options" : "single-options").append(document.querySelector(".more"));  // one set of options for both
}

function start() {
  const extract = new ExtractTab({
    openBatch: (opened) => {
      setMode(true);
      batch.offerFields(extract.chips.labels);
      batch.take(opened);
    },
    closeReview: () => {
      setMode(true);
      batch.drawTable();
    },
  });
  const batch = new Batch({
    options: () => extract.options(),
    review: (reviews, at) => {
      setMode(false);
      extract.openReviews(reviews, at);
    },
  });
  setUpClassify({
    openBatch: (labels) => {
      showTab($("tab-extract"));
      setMode(true);
      batch.takeClasses(labels);
    },
  });
  setUpFreePrompt();
  setUpSettings({
    useHistory: (entry) => {
      showTab($("tab-extract"));
      setMode(false);
      extract.use(entry);
    },
  });
  tabList(document.querySelector(".tabs"), showTab);
  $("mode-single").addEventListener("click", () => setMode(false));
  $("mode-batch").addEventListener("click", () => {
    setMode(true);
    batch.offerFields(extract.chips.labels);
  });
  $("language").addEventListener("click", () => setLanguage(currentLanguage() === "en" ? "zh" : "en"));
  $("theme").addEventListener("click", () => {
    theme = kThemes[(kThemes.indexOf(theme) + 1) % kThemes.length];
    store.set(forever, "theme", theme);
    showTheme();
  });
  onLanguage(() => {
    showLanguageButton();
    showTheme();
  });
  setLanguage(currentLanguage());
  setUpStatus();
}

start();
