import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** All files below a folder. */
function filesBelow(folder: string): string[] {
  return (readdirSync(folder, { recursive: true }) as string[])
    .map((name) => join(folder, name))
    .filter((path) => lstatSync(path).isFile())
    .sort()
}

/** What must not be found of texts, other than words of kept texts: in several spellings. */
export function tracesOf(texts: readonly string[], kept: readonly string[]): string[] {
  const known = kept.join('\n').toLowerCase()
  const traces = texts.flatMap((text) => {
    const words = text.split(/\s+/)
    const runs = words.flatMap((_, i) => (i + 6 <= words.length ? [words.slice(i, i + 6).join(' ')] : []))
    const single = (text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).filter(
      (word) => Buffer.byteLength(word) >= 4 && !known.includes(word.toLowerCase()),
    )
    return [text, ...runs, ...single]
  })
  const spelt = traces.flatMap((trace) => {
    const inJson = JSON.stringify(trace).slice(1, -1)
    return [trace, trace.toLowerCase(), inJson, JSON.stringify(inJson).slice(1, -1)]
  })
  return [...new Set(spelt)]
}

/** Where traces are found: `file: trace`. Every file is read as a whole. */
export function tracesIn(
  folder: string,
  traces: readonly string[],
  except: readonly string[] = [],
): string[] {
  return filesBelow(folder)
    .filter((path) => !except.includes(path))
    .flatMap((path) => {
      const bytes = readFileSync(path)
      return traces
        .filter((trace) => bytes.includes(trace))
        .map((trace) => `${path.slice(folder.length + 1)}: ${trace}`)
    })
}
