import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns texts and their longer words that no kept text has, each as it is and in lower case. */
export function tracesOf(texts: readonly string[], kept: readonly string[]): string[] {
  const known = kept.join('\n').toLowerCase()
  const words = texts.flatMap((text) => text.match(/[\p{L}\p{M}\p{N}]{4,}/gu) ?? [])
  const own = words.filter((word) => !known.includes(word.toLowerCase()))
  return [...new Set([...texts, ...own].flatMap((trace) => [trace, trace.toLowerCase()]))]
}

/** Returns where traces are found below a folder, as `file: trace`. Every file is read as a whole. */
export function tracesIn(
  folder: string,
  traces: readonly string[],
  except: readonly string[] = [],
): string[] {
  return (readdirSync(folder, { recursive: true }) as string[]).sort().flatMap((name) => {
    const path = join(folder, name)
    if (except.includes(path) || !lstatSync(path).isFile()) return []
    const bytes = readFileSync(path)
    return traces.filter((trace) => bytes.includes(trace)).map((trace) => `${name}: ${trace}`)
  })
}
