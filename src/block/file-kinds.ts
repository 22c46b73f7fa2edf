/** How a file that is no text begins, and what it is. */
const SIGNATURES: readonly (readonly [string, string])[] = [
  ['PK\u0003\u0004', 'a ZIP archive'],
  ['\u001f\u008b', 'a gzip archive'],
  // Read as UTF-8.
  ['\u001f\ufffd', 'a gzip archive'],
  ['7\u007f\u0006', 'the write-ahead log of a database, not the database'],
  ['elfmemix', 'the packed index of a memory, not the memory'],
]

/** The same for texts. */
const BEGINNINGS: readonly (readonly [RegExp, string])[] = [
  [/^\{"format":"elfmem-export"/, 'an export of elfmem; elfmem import takes it in'],
  [/^\s*[[{]/, 'a JSON file'],
  [/^---\r?\n/, 'a Markdown file'],
  [/^#{1,6} /, 'a Markdown file'],
]

/** Names a file by how it begins, read as Latin-1 or UTF-8; undefined if nothing is known of it. */
export function nameOfBeginning(text: string): string | undefined {
  const signed = SIGNATURES.find(([signature]) => text.startsWith(signature))
  return signed?.[1] ?? BEGINNINGS.find(([pattern]) => pattern.test(text))?.[1]
}
