// SPDX-License-Identifier: Apache-2.0
// CSV both ways: reading with quotes and either separator, writing cells that no spreadsheet runs or spoils.

const kMaxColumns = 2000;

/// The separator that the first line uses most, outside quotes.
function separatorOf(text) {
  const counts = { ",": 0, "\t": 0, ";": 0 };
  let quoted = false;
  for (let i = 0; i < text.length && i < 65536; ++i) {
    const c = text[i];
    if (c === '"') quoted = !quoted;
    else if (c === "\n" && !quoted) break;
    else if (!quoted && c in counts) ++counts[c];
  }
  return Object.keys(counts).reduce((best, c) => (counts[c] > counts[best] ? c : best), ",");
}

/// Rows of cells; blank rows are left out. At most `maxRows`; `more` says whether there were others.
export function parseCsv(text, maxRows = Infinity, separator = separatorOf(text)) {
  const rows = [];
  let row = [];
  let cell = "";
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const endCell = () => {
    if (row.length < kMaxColumns) row.push(cell);
    cell = "";
  };
  const endRow = () => {
    endCell();
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  };
  while (at < text.length && rows.length < maxRows) {
    if (text[at] === '"' && cell === "") {
      for (++at; at < text.length; ++at) {
        const quote = text.indexOf('"', at);
        cell += text.slice(at, quote < 0 ? text.length : quote);
        at = quote < 0 ? text.length : quote + 1;
        if (text[at] !== '"') break;
        cell += '"';
      }
      continue;
    }
    const c = text[at++];
    if (c === separator) endCell();
    else if (c === "\n") endRow();
    else if (c === "\r" && text[at] === "\n") continue;
    else cell += c;
  }
  if (rows.length < maxRows && (cell !== "" || row.length > 0)) endRow();
  return { rows, more: at < text.length };
}

/// The same rule as the command line's CSV (docs/batch.md): an apostrophe before what would be run or spoilt.
export function guardedCell(value) {
  const runs = /^[\s\u00a0\u3000]*[=+\-@\t\r\n＝＋－＠]/.test(value) || value.startsWith("'");
  const whole = /^\d*/.exec(value)[0];
  const spoilt =
    whole.length > 11 || /^0\d+(\.\d*)?$/.test(value) || (/^\d+\.\d*$/.test(value) && value.length > 11) || /^\d+(\.\d*)?[eE][+-]?\d+$/.test(value);
  return (runs || spoilt ? "'" : "") + value;
}

function quoted(value) {
  return /[,"\r\n;\t]|^ | $/.test(value) ? '"' + value.replace(/"/g, '""') + '"' : value;
}

/// A file for Excel and WPS: byte order mark, CRLF, RFC 4180. `rows` are lists of strings and numbers.
export function writeCsv(rows) {
  const line = (row) => row.map((cell) => quoted(typeof cell === "number" ? String(cell) : guardedCell(cell))).join(",");
  return "\ufeff" + rows.map((row) => line(row) + "\r\n").join("");
}
