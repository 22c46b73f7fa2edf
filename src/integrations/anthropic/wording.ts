/** Lines of a file that are still numbered. */
const LINES_MAX = 999_999
const NUMBER_WIDTH = 6
/** Lines shown around a change, on each side. */
const AROUND = 2
/** The size that a folder is said to have: that of an empty one on most file systems. */
const FOLDER_BYTES = 4_096

/** A file or a folder in a list. */
export interface Listed {
  /** The path below the folder that is listed; that of a folder ends with a slash. */
  readonly path: string
  /** The size of a file in bytes; absent for a folder. */
  readonly bytes?: number
}

/** Returns a folder with what is in it. */
export function listing(path: string, inside: readonly Listed[]): string {
  const lines = inside.map((each) => `${sizeOf(each.bytes)}\t${path}/${each.path}`)
  return [
    `Here're the files and directories up to 2 levels deep in ${path}, excluding hidden items and node_modules:`,
    `${sizeOf()}\t${path}`,
    ...lines,
  ].join('\n')
}

/**
 * Returns a file with the numbers of its lines.
 *
 * @param range first and last line from 1; -1 for the end
 */
export function numberedFile(path: string, text: string, range: unknown): string {
  const lines = text.split('\n')
  if (lines.length > LINES_MAX)
    throw new Error(
      `File ${path} has too many lines (${lines.length}). Maximum is ${LINES_MAX.toLocaleString('en-US')} lines.`,
    )
  const [first, last] = Array.isArray(range) && range.length === 2 ? range.map(Number) : [1, -1]
  const from = Math.max(1, first ?? 1)
  const shown = lines.slice(from - 1, last === -1 ? lines.length : last)
  return `Here's the content of ${path} with line numbers:\n${numbered(shown, from)}`
}

/**
 * Returns the lines around a change.
 *
 * @param line the first that changed, from 1
 */
export function changeShown(text: string, line: number): string {
  const lines = text.split('\n')
  const from = Math.max(0, line - 1 - AROUND)
  return [
    'The memory file has been edited. Here is the snippet showing the change (with line numbers):',
    numbered(lines.slice(from, line + AROUND), from + 1),
  ].join('\n')
}

/**
 * The lines, from 1, in which a text stands; each as often as it stands there, overlapping ones, too. An empty text stands once
 * in each.
 */
export function linesWith(text: string, looked: string): number[] {
  if (looked === '') return text.split('\n').map((_, at) => at + 1)
  const found: number[] = []
  let [line, counted] = [1, 0]
  for (let at = text.indexOf(looked); at >= 0; at = text.indexOf(looked, at + 1)) {
    for (let end = text.indexOf('\n', counted); end >= 0 && end < at; end = text.indexOf('\n', counted)) {
      line += 1
      counted = end + 1
    }
    found.push(line)
  }
  return found
}

function numbered(lines: readonly string[], from: number): string {
  return lines.map((line, at) => `${String(from + at).padStart(NUMBER_WIDTH)}\t${line}`).join('\n')
}

/** Bytes for people: `0B`, `4K`, `1.5M`. */
function sizeOf(bytes = FOLDER_BYTES): string {
  if (bytes === 0) return '0B'
  const unit = Math.floor(Math.log(bytes) / Math.log(1024))
  const size = bytes / 1024 ** unit
  return `${size % 1 === 0 ? size : size.toFixed(1)}${'BKMG'[unit]}`
}
