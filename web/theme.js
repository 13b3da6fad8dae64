// SPDX-License-Identifier: Apache-2.0
// Puts the chosen colours on the document before the first paint; without a choice the system's are taken.
(function () {
  var root = document.documentElement;
  try {
    var theme = JSON.parse(localStorage.getItem("seqgpt.theme"));
    if (theme === "light" || theme === "dark") root.setAttribute("data-theme", theme);
    if (localStorage.getItem("seqgpt.language") === "\"en\"") root.lang = "en";
  } catch (error) {
    // Storage is forbidden here: the page works, it only forgets.
  }
})();
