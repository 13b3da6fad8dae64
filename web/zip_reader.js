// SPDX-License-Identifier: Apache-2.0
// Reads entries of a zip file (docx, xlsx) with every size bounded before memory is taken: a zip bomb is refused.

const kMaxEntries = 10000;
const kMaxDirectoryBytes = 4 << 20;
/// Most bytes that one entry may unpack to.
export const kMaxEntryBytes = 64 << 20;
/// Most bytes that all entries read from one file may unpack to.
export const kMaxUnpackedBytes = 128 << 20;

export class BadZip extends Error {}

/// The end record: searched backwards over the longest comment there may be.
function findEnd(view) {
  const last = view.byteLength - 22;
  for (let at = last; at >= 0 && at >= last - 65535; --at) if (view.getUint32(at, true) === 0x06054b50) return at;
  throw new BadZip("zip.none");
}

function readDirectory(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  const count = view.getUint16(end + 10, true);
  const size = view.getUint32(end + 12, true);
  let at = view.getUint32(end + 16, true);
  if (count > kMaxEntries || size > kMaxDirectoryBytes || at + size > end) throw new BadZip("zip.damaged");
  const stop = at + size;
  const entries = new Map();
  for (let i = 0; i < count; ++i) {
    if (at + 46 > stop || view.getUint32(at, true) !== 0x02014b50) throw new BadZip("zip.damaged");
    const nameBytes = view.getUint16(at + 28, true);
    const next = at + 46 + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (next > stop) throw new BadZip("zip.damaged");
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameBytes));
    entries.set(name, {
      flags: view.getUint16(at + 8, true),
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      header: view.getUint32(at + 42, true),
    });
    at = next;
  }
  return entries;
}

function packedBytes(bytes, entry) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (entry.header + 30 > bytes.length || view.getUint32(entry.header, true) !== 0x04034b50) throw new BadZip("zip.damaged");
  const from = entry.header + 30 + view.getUint16(entry.header + 26, true) + view.getUint16(entry.header + 28, true);
  if (from + entry.packed > bytes.length) throw new BadZip("zip.damaged");
  return bytes.subarray(from, from + entry.packed);
}

/// Raw deflate as a gzip member: the only form that DecompressionStream knew at first. The directory's checksum and
/// size become the trailer, so that the browser checks both.
function asGzip(packed, entry) {
  const out = new Uint8Array(packed.length + 18);
  out.set([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
  out.set(packed, 10);
  const trailer = new DataView(out.buffer, packed.length + 10);
  trailer.setUint32(0, entry.crc, true);
  trailer.setUint32(4, entry.size, true);
  return out;
}

/// Unpacks at most entry.size bytes: a directory that lies about the size is found out before memory is gone.
async function inflate(packed, entry) {
  const reader = new Blob([asGzip(packed, entry)]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const out = new Uint8Array(entry.size);
  let at = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (at + value.length > out.length) {
        await reader.cancel();
        throw new BadZip("zip.bomb");
      }
      out.set(value, at);
      at += value.length;
    }
  } catch (error) {
    throw error instanceof BadZip ? error : new BadZip("zip.damaged");
  }
  if (at !== out.length) throw new BadZip("zip.damaged");
  return out;
}

/// An opened file: names() and read(name) (bytes, or null where there is no such entry).
export function openZip(bytes) {
  const entries = readDirectory(bytes);
  let budget = kMaxUnpackedBytes;
  return {
    names: () => [...entries.keys()],
    async read(name) {
      const entry = entries.get(name);
      if (!entry) return null;
      if (entry.flags & 1) throw new BadZip("zip.locked");
      if (entry.size > kMaxEntryBytes || entry.size > budget) throw new BadZip("zip.bomb");
      budget -= entry.size;
      const packed = packedBytes(bytes, entry);
      if (entry.method === 0 && entry.packed === entry.size) return packed;
      if (entry.method === 8) return inflate(packed, entry);
      throw new BadZip("zip.damaged");
    },
  };
}
