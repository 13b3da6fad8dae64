// SPDX-License-Identifier: Apache-2.0
// A file that a clerk opens or drops: what it is by its content first and its name second, and its words or rows.
import { call, Problem } from "./api.js";
import { parseCsv } from "./csv.js";
import { decodeText } from "./encodings.js";
import { t } from "./i18n.js";
import { readDocx, readXlsx } from "./office_reader.js";
import { BadZip } from "./zip_reader.js";

const kMaxFileBytes = 64 << 20;
const kMaxRows = 200000;

function refuse(key, values) {
  throw new Problem("words", { message: t(key, values) });
}

function extension(name) {
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot + 1).toLowerCase();
}

function startsWith(bytes, ...values) {
  return values.every((value, i) => bytes[i] === value);
}

/// Lines of JSON to rows: the text, and a column for each other field of the first objects.
function jsonRows(text) {
  const objects = [];
  let bad = 0;
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === "" || objects.length >= kMaxRows) continue;
    let value = null;
    try {
      value = JSON.parse(line);
    } catch (error) {
      ++bad;
    }
    if (typeof value === "string") objects.push({ text: value });
    else if (value && typeof value === "object" && !Array.isArray(value)) objects.push(value);
  }
  const names = [];
  for (const object of objects.slice(0, 100)) for (const name of Object.keys(object)) if (!names.includes(name)) names.push(name);
  const cell = (value) => (typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value));
  return { rows: [names, ...objects.map((object) => names.map((name) => cell(object[name])))], bad };
}

async function pdfText(file) {
  try {
    const answer = await call("page/pdf-text", { method: "POST", body: file, type: "application/pdf" });
    if (!answer.text || answer.text.trim() === "") refuse("file.scan", { pages: answer.pages || "?" });
    return answer.text;
  } catch (error) {
    if (error.kind === "refused" && (error.status === 404 || error.status === 501)) refuse("file.nopdf");
    if (error.kind === "refused" && error.status === 422) refuse("file.badpdf");
    if (error.kind === "refused" && error.status === 413) refuse("file.largepdf");
    throw error;
  }
}

async function officeFile(name, bytes) {
  try {
    if (extension(name) === "docx") return { kind: "text", text: await readDocx(bytes), encoding: "docx" };
    const read = await readXlsx(bytes);
    return { kind: "table", rows: read.rows, more: read.more, encoding: "xlsx" };
  } catch (error) {
    if (error instanceof BadZip) refuse(error.message);
    throw error;
  }
}

function textFile(name, bytes) {
  const decoded = decodeText(bytes);
  if (!decoded) refuse("file.encoding");
  const { text, encoding } = decoded;
  if (text.includes("\0")) refuse("file.binary");
  const kind = extension(name);
  if (kind === "csv" || kind === "tsv") {
    const read = parseCsv(text, kMaxRows, kind === "tsv" ? "\t" : undefined);
    return { kind: "table", rows: read.rows, more: read.more, encoding };
  }
  if (kind === "jsonl" || kind === "ndjson") {
    const { rows, bad } = jsonRows(text);
    if (rows.length > 1) return { kind: "table", rows, bad, encoding };
  }
  return { kind: "text", text, encoding };
}

/// {name, kind: "text", text, encoding} or {name, kind: "table", rows (the first is the header), more, encoding}. Problems are in words.
export async function openFile(file) {
  if (file.size > kMaxFileBytes) refuse("file.large", { limit: kMaxFileBytes >> 20 });
  if (file.size === 0) refuse("file.empty");
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (startsWith(bytes, 0x25, 0x50, 0x44, 0x46)) return { name: file.name, kind: "text", text: await pdfText(file), encoding: "pdf" };
  if (startsWith(bytes, 0xd0, 0xcf, 0x11, 0xe0)) refuse("file.oldoffice");
  if (startsWith(bytes, 0x50, 0x4b, 3, 4)) {
    if (!["docx", "xlsx"].includes(extension(file.name))) refuse("file.zip");
    return { name: file.name, ...(await officeFile(file.name, bytes)) };
  }
  return { name: file.name, ...textFile(file.name, bytes) };
}

/// A table as one text: a line a row, cells set apart by tabs.
export function tableText(rows) {
  return rows.map((row) => row.join("\t")).join("\n");
}
