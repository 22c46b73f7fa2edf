/** The folder of all files of the memory tool. */
export const ROOT = '/memories'
/** Lines shown around a change, on each side. */
const AROUND = 2
/** The most lines that a refusal names. */
const NAMED_LINES = 100
/** The size that a folder is said to have: that of an empty one on most file systems. */
const FOLDER_BYTES = 4_096

/** The parts of a path below the root, with `.` and `..` resolved; the root itself has none. */
export type Parts = readonly string[]

/** A file in a list. */
export interface Listed {
  readonly parts: Parts
  readonly bytes: number
}

/** Throws the sentence that a model reads. */
export function refuse(sentence: string): never {
  throw new Error(sentence)
}

/** Returns a folder with what is in it, two levels deep, in the order of the names, hidden names left out. */
export function listing(path: string, inside: readonly Listed[]): string {
  const lines = linesOf(inside, 2).map((each) => `${sizeOf(each.bytes)}\t${path}/${each.path}`)
  return [
    `Here're the files and directories up to 2 levels deep in ${path}, excluding hidden items and node_modules:`,
    `${sizeOf()}\t${path}`,
    ...lines,
  ].join('\n')
}

interface Line {
  /** The path below the folder that is listed; that of a folder ends with a slash. */
  readonly path: string
  /** Absent for a folder. */
  readonly bytes?: number
}

function linesOf(files: readonly Listed[], levels: number): Line[] {
  const byName = Map.groupBy(files, ({ parts }) => parts[0] ?? '')
  const shown = [...byName].filter(([name]) => !name.startsWith('.') && name !== 'node_modules')
  return shown
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, inside]): Line[] => {
      const own = inside.filter(({ parts }) => parts.length === 1).map(({ bytes }) => ({ path: name, bytes }))
      const below = inside.filter(({ parts }) => parts.length > 1)
      if (below.length === 0) return own
      const files = below.map(({ parts, bytes }) => ({ parts: parts.slice(1), bytes }))
      const deeper = levels > 1 ? linesOf(files, levels - 1) : []
      return [
        ...own,
        { path: `${name}/` },
        ...deeper.map((each) => ({ ...each, path: `${name}/${each.path}` })),
      ]
    })
}

/**
 * Returns a file with the numbers of its lines.
 *
 * @param range first and last line from 1; -1 for the end
 */
export function numberedFile(path: string, text: string, range: unknown): string {
  const lines = text.split('\n')
  const [first = 1, last] = Array.isArray(range) && range.length === 2 ? range.map(Number) : [1, -1]
  const from = Math.max(1, first)
  const shown = lines.slice(from - 1, last === -1 ? lines.length : last)
  return `Here's the content of ${path} with line numbers:\n${numbered(shown, from)}`
}

/**
 * Returns the lines around a change.
 *
 * @param line the first that changed, from 1
 */
export function changeShown(text: string, line: number): string {
  const from = Math.max(0, line - 1 - AROUND)
  return [
    'The memory file has been edited. Here is the snippet showing the change (with line numbers):',
    numbered(text.split('\n').slice(from, line + AROUND), from + 1),
  ].join('\n')
}

/** Returns the first hundred places of a text as numbers of lines, from 1. An empty text stands in each line. */
export function linesWith(text: string, looked: string): number[] {
  if (looked === '') return [...text.split('\n').keys()].slice(0, NAMED_LINES).map((at) => at + 1)
  const found: number[] = []
  for (let at = text.indexOf(looked); at >= 0; at = text.indexOf(looked, at + 1)) {
    if (found.length === NAMED_LINES) break
    found.push(text.slice(0, at).split('\n').length)
  }
  return found
}

function numbered(lines: readonly string[], from: number): string {
  return lines.map((line, at) => `${String(from + at).padStart(6)}\t${line}`).join('\n')
}

/** Bytes for people: `0B`, `4K`, `1.5M`. */
function sizeOf(bytes = FOLDER_BYTES): string {
  if (bytes === 0) return '0B'
  const unit = Math.floor(Math.log(bytes) / Math.log(1024))
  const size = bytes / 1024 ** unit
  return `${size % 1 === 0 ? size : size.toFixed(1)}${'BKMG'[unit]}`
}
