// SPDX-License-Identifier: Apache-2.0
// The words of a .docx and the rows of an .xlsx, from their XML parts.
import { openZip, BadZip } from "./zip_reader.js";

const kMaxRows = 200000;
const kMaxColumns = 2000;

async function part(zip, name) {
  const bytes = await zip.read(name);
  if (!bytes) return null;
  const text = new TextDecoder().decode(bytes);
  // No office program writes a document type; entities could only do harm.
  if (text.includes("<!DOCTYPE") || text.includes("<!ENTITY")) throw new BadZip("zip.damaged");
  const xml = new DOMParser().parseFromString(text, "application/xml");
  if (xml.getElementsByTagName("parsererror").length > 0) throw new BadZip("zip.damaged");
  return xml;
}

/// The text of a paragraph: runs, tabs and line breaks; deleted text and fallbacks are not read.
function inlineText(node) {
  let text = "";
  for (const child of node.children) {
    const name = child.localName;
    if (name === "t") text += child.textContent;
    else if (name === "tab") text += "\t";
    else if (name === "br" || name === "cr") text += "\n";
    else if (name === "noBreakHyphen") text += "-";
    else if (name !== "Fallback" && name !== "del" && name !== "pPr" && name !== "rPr") text += inlineText(child);
  }
  return text;
}

function blockLines(node, lines) {
  for (const child of node.children) {
    if (child.localName === "p") lines.push(inlineText(child));
    else if (child.localName === "tr") lines.push([...child.children].filter((cell) => cell.localName === "tc").map(cellText).join("\t"));
    else if (child.localName !== "Fallback") blockLines(child, lines);
  }
}

function cellText(cell) {
  const lines = [];
  blockLines(cell, lines);
  return lines.join(" ").trim();
}

export async function readDocx(bytes) {
  const zip = openZip(bytes);
  const xml = await part(zip, "word/document.xml");
  if (!xml) throw new BadZip("zip.notdocx");
  const lines = [];
  blockLines(xml.documentElement, lines);
  return lines.join("\n").replace(/\n{3,}/g, "\n\n").trim();
}

function isDateFormat(id, codes) {
  if ((id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)) return true;
  const code = (codes.get(id) || "").replace(/\[[^\]]*\]|"[^"]*"|\\./g, "");
  return /[ymdhs]/i.test(code);
}

/// For each cell style whether it shows a date.
function dateStyles(xml) {
  if (!xml) return [];
  const codes = new Map([...xml.getElementsByTagName("numFmt")].map((f) => [Number(f.getAttribute("numFmtId")), f.getAttribute("formatCode") || ""]));
  const formats = xml.getElementsByTagName("cellXfs")[0];
  return formats ? [...formats.children].map((f) => isDateFormat(Number(f.getAttribute("numFmtId")), codes)) : [];
}

/// A serial day number as the date it shows. Excel's day 60, the 29 February 1900, never was.
function serialDate(serial, from1904) {
  const days = from1904 ? serial + 1462 : serial < 60 ? serial + 1 : serial;
  const iso = new Date(Math.round((days - 25569) * 86400) * 1000).toISOString();
  if (serial < 1) return iso.slice(11, 16);
  return Number.isInteger(serial) ? iso.slice(0, 10) : iso.slice(0, 16).replace("T", " ");
}

function columnOf(place, otherwise) {
  const letters = /^[A-Z]+/.exec(place || "");
  if (!letters) return otherwise;
  let column = 0;
  for (const letter of letters[0]) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

function childText(cell, name) {
  for (const child of cell.children) if (child.localName === name) return child.textContent;
  return "";
}

/// Strings of <si> and <is>: the text without reading aids (rPh).
function richText(node) {
  let text = "";
  for (const child of node.children) {
    if (child.localName === "t") text += child.textContent;
    else if (child.localName === "r") text += childText(child, "t");
  }
  return text;
}

function xlsxCell(cell, shared, dates, from1904) {
  const kind = cell.getAttribute("t") || "n";
  if (kind === "inlineStr") return cell.children.length > 0 ? richText(cell.children[0]) : "";
  const value = childText(cell, "v");
  if (kind === "s") return shared[Number(value)] || "";
  if (kind === "b") return value === "1" ? "TRUE" : "FALSE";
  if (kind === "n" && value !== "" && dates[Number(cell.getAttribute("s"))]) return serialDate(Number(value), from1904);
  return value;
}

function sheetRows(xml, shared, dates, from1904) {
  const rows = [];
  for (const row of xml.getElementsByTagName("row")) {
    if (rows.length >= kMaxRows) return { rows, more: true };
    const cells = [];
    for (const cell of row.children) {
      const column = columnOf(cell.getAttribute("r"), cells.length);
      if (column >= kMaxColumns) break;
      while (cells.length < column) cells.push("");
      cells[column] = xlsxCell(cell, shared, dates, from1904);
    }
    if (cells.some((cell) => cell !== "")) rows.push(cells);
  }
  return { rows, more: false };
}

/// Paths of the sheets in the order of the workbook.
function sheetPaths(workbook, relations) {
  const targets = new Map([...relations.getElementsByTagName("Relationship")].map((r) => [r.getAttribute("Id"), r.getAttribute("Target") || ""]));
  return [...workbook.getElementsByTagName("sheet")].map((sheet) => {
    const id = [...sheet.attributes].find((a) => a.localName === "id" && a.prefix);
    const target = targets.get(id && id.value) || "";
    return target.startsWith("/") ? target.slice(1) : "xl/" + target;
  });
}

/// Rows of the first sheet that has any: {rows, more, sheets}.
export async function readXlsx(bytes) {
  const zip = openZip(bytes);
  const workbook = await part(zip, "xl/workbook.xml");
  const relations = await part(zip, "xl/_rels/workbook.xml.rels");
  if (!workbook || !relations) throw new BadZip("zip.notxlsx");
  const strings = await part(zip, "xl/sharedStrings.xml");
  const shared = strings ? [...strings.documentElement.children].map(richText) : [];
  const dates = dateStyles(await part(zip, "xl/styles.xml"));
  const properties = workbook.getElementsByTagName("workbookPr")[0];
  const from1904 = properties ? ["1", "true"].includes(properties.getAttribute("date1904")) : false;
  const paths = sheetPaths(workbook, relations);
  for (const path of paths) {
    const sheet = await part(zip, path);
    const read = sheet ? sheetRows(sheet, shared, dates, from1904) : { rows: [] };
    if (read.rows.length > 0) return { ...read, sheets: paths.length };
  }
  return { rows: [], more: false, sheets: paths.length };
}
