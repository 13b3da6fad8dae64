// SPDX-License-Identifier: Apache-2.0
// Writes a real .xlsx: a stored zip of small XML parts. Strings are text cells in text format, so nothing is run or rounded.

const kMaxCellCharacters = 32767;  // Excel's own limit; a longer one makes it call the file damaged

let crcTable = null;
function crc32(bytes) {
  if (!crcTable) {
    crcTable = new Uint32Array(256);
    for (let n = 0; n < 256; ++n) {
      let c = n;
      for (let k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
      crcTable[n] = c >>> 0;
    }
  }
  let crc = 0xffffffff;
  for (let i = 0; i < bytes.length; ++i) crc = crcTable[(crc ^ bytes[i]) & 255] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/// What both headers of an entry say, from the version needed to the length of the extra field.
function commonHeader(view, at, name, bytes, crc) {
  view.setUint16(at, 20, true);
  view.setUint16(at + 2, 0x0800, true);  // names are UTF-8
  view.setUint16(at + 8, 0x21, true);    // 1980-01-01: no time reaches a file
  view.setUint32(at + 10, crc, true);
  view.setUint32(at + 14, bytes.length, true);
  view.setUint32(at + 18, bytes.length, true);
  view.setUint16(at + 22, name.length, true);
}

/// A zip without compression of {name: text}.
export function storedZip(files) {
  const encoder = new TextEncoder();
  const parts = [];
  const directory = [];
  let offset = 0;
  let directoryBytes = 0;
  for (const [path, text] of Object.entries(files)) {
    const name = encoder.encode(path);
    const bytes = encoder.encode(text);
    const crc = crc32(bytes);
    const local = new DataView(new ArrayBuffer(30));
    local.setUint32(0, 0x04034b50, true);
    commonHeader(local, 4, name, bytes, crc);
    const central = new DataView(new ArrayBuffer(46));
    central.setUint32(0, 0x02014b50, true);
    central.setUint16(4, 20, true);
    commonHeader(central, 6, name, bytes, crc);
    central.setUint32(42, offset, true);
    parts.push(local.buffer, name, bytes);
    directory.push(central.buffer, name);
    offset += 30 + name.length + bytes.length;
    directoryBytes += 46 + name.length;
  }
  const end = new DataView(new ArrayBuffer(22));
  const count = Object.keys(files).length;
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, count, true);
  end.setUint16(10, count, true);
  end.setUint32(12, directoryBytes, true);
  end.setUint32(16, offset, true);
  return new Blob([...parts, ...directory, end.buffer]);
}

function xmlText(text) {
  return text
    .slice(0, kMaxCellCharacters)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;")
    .replace(/\r/g, "&#13;");
}

function columnName(index) {
  let name = "";
  for (let n = index + 1; n > 0; n = Math.floor((n - 1) / 26)) name = String.fromCharCode(65 + ((n - 1) % 26)) + name;
  return name;
}

const kHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const kMain = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';

function cellXml(cell, column, row, header) {
  if (cell === "" || cell === null || cell === undefined) return "";
  const place = columnName(column) + (row + 1);
  if (typeof cell === "number" && Number.isFinite(cell)) return '<c r="' + place + '"><v>' + cell + "</v></c>";
  return '<c r="' + place + '" s="' + (header ? 2 : 1) + '" t="inlineStr"><is><t xml:space="preserve">' + xmlText(String(cell)) + "</t></is></c>";
}

function width(rows, column) {
  let most = 8;
  for (const row of rows.slice(0, 200)) {
    let units = 2;
    for (const c of String(row[column] === undefined ? "" : row[column]).slice(0, 60)) units += c > "\u2e7f" ? 2 : 1;
    most = Math.max(most, units);
  }
  return Math.min(most, 60);
}

/// rows[0] is the header: bold and frozen.
function sheetXml(rows) {
  const columns = rows[0].map((_, i) => '<col min="' + (i + 1) + '" max="' + (i + 1) + '" width="' + width(rows, i) + '" customWidth="1"/>').join("");
  const lines = rows.map((row, r) => '<row r="' + (r + 1) + '">' + row.map((cell, c) => cellXml(cell, c, r, r === 0)).join("") + "</row>");
  return (
    kHead + "<worksheet " + kMain + '><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
    (columns ? "<cols>" + columns + "</cols>" : "") + "<sheetData>" + lines.join("") + "</sheetData></worksheet>"
  );
}

const kStyles =
  kHead + "<styleSheet " + kMain + '><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
  '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1" applyNumberFormat="1"/>' +
  '<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" quotePrefix="1" applyNumberFormat="1" applyFont="1"/></cellXfs>' +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';

function sheetName(name, index) {
  return xmlText(name.replace(/[\\/?*[\]:]/g, " ").slice(0, 31) || "Sheet" + (index + 1));
}

/// sheets: [{name, rows}], each row a list of strings (text cells) and numbers. Returns a Blob.
export function writeXlsx(sheets) {
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const packages = "http://schemas.openxmlformats.org/package/2006/";
  const type = "application/vnd.openxmlformats-officedocument.spreadsheetml.";
  const relation = (i, kind, target) => '<Relationship Id="rId' + i + '" Type="' + office + "/" + kind + '" Target="' + target + '"/>';
  const files = {
    "[Content_Types].xml":
      kHead + '<Types xmlns="' + packages + 'content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
      '<Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="' + type + 'sheet.main+xml"/>' +
      '<Override PartName="/xl/styles.xml" ContentType="' + type + 'styles+xml"/>' +
      sheets.map((_, i) => '<Override PartName="/xl/worksheets/sheet' + (i + 1) + '.xml" ContentType="' + type + 'worksheet+xml"/>').join("") + "</Types>",
    "_rels/.rels": kHead + '<Relationships xmlns="' + packages + 'relationships">' + relation(1, "officeDocument", "xl/workbook.xml") + "</Relationships>",
    "xl/workbook.xml":
      kHead + "<workbook " + kMain + ' xmlns:r="' + office + '"><sheets>' +
      sheets.map((sheet, i) => '<sheet name="' + sheetName(sheet.name, i) + '" sheetId="' + (i + 1) + '" r:id="rId' + (i + 1) + '"/>').join("") + "</sheets></workbook>",
    "xl/_rels/workbook.xml.rels":
      kHead + '<Relationships xmlns="' + packages + 'relationships">' + sheets.map((_, i) => relation(i + 1, "worksheet", "worksheets/sheet" + (i + 1) + ".xml")).join("") +
      relation(sheets.length + 1, "styles", "styles.xml") + "</Relationships>",
    "xl/styles.xml": kStyles,
  };
  sheets.forEach((sheet, i) => (files["xl/worksheets/sheet" + (i + 1) + ".xml"] = sheetXml(sheet.rows)));
  return storedZip(files);
}
