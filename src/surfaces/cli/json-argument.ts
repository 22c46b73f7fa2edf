import { ElfmemError } from '../../errors.ts'

/** The value of a JSON text; of one that is wrong only the place is told, since the text may be of a file. */
export function parseJson(key: string, text: string, firstLine = 1): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const before = text.slice(0, wrongAt(text)).split('\n')
    const [line, column] = [firstLine + before.length - 1, (before.at(-1) ?? '').length + 1]
    throw new ElfmemError(
      'INVALID_INPUT',
      `${key} is not JSON: what is wrong is in line ${line}, column ${column}.`,
      { recovery: 'Correct the JSON.', details: { line, column } },
    )
  }
}

/** A list may also be given as one JSON value a line; blank lines are left out. */
export function jsonLines(key: string, text: string): unknown[] {
  return text.split('\n').flatMap((line, at) => (line.trim() === '' ? [] : [parseJson(key, line, at + 1)]))
}

/**
 * Where a text stops being the beginning of JSON. Not every message of the engine says it; so the longest beginning is
 * looked for that only lacks its end, by halves.
 */
function wrongAt(text: string): number {
  let [good, bad] = [0, text.length]
  while (good < bad) {
    const middle = Math.ceil((good + bad) / 2)
    if (lacksItsEnd(text.slice(0, middle))) good = middle
    else bad = middle - 1
  }
  return good
}

function lacksItsEnd(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    const { message } = error as Error
    const at = / at position (\d+)/.exec(message)?.[1]
    return at === undefined ? message.includes('end of JSON') : Number(at) >= text.length
  }
}
