// SPDX-License-Identifier: Apache-2.0
// Bytes of a text file to a string: UTF-8, UTF-16 and GB18030, each strictly; what fits none is refused, never guessed at.

function decoded(bytes, encoding) {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    return null;
  }
}

/// UTF-16 without a mark: of mixed text many bytes at even, or at odd, places are zero (every ASCII character has one).
function looksLikeUtf16(bytes) {
  const looked = Math.min(bytes.length, 4096);
  const zeros = [0, 0];
  for (let i = 0; i < looked; ++i) if (bytes[i] === 0) ++zeros[i % 2];
  if (bytes.length % 2 !== 0 || zeros[0] + zeros[1] < looked / 32) return null;
  return zeros[1] > zeros[0] ? "utf-16le" : "utf-16be";
}

/// {text, encoding}, or null when the bytes are in none of these encodings.
export function decodeText(bytes) {
  const candidates = [];
  if (bytes[0] === 0xff && bytes[1] === 0xfe) candidates.push("utf-16le");
  else if (bytes[0] === 0xfe && bytes[1] === 0xff) candidates.push("utf-16be");
  else {
    const wide = looksLikeUtf16(bytes);
    if (wide) candidates.push(wide);
    candidates.push("utf-8", "gb18030");
  }
  for (const encoding of candidates) {
    const text = decoded(bytes, encoding);
    if (text !== null) return { text, encoding };
  }
  return null;
}
