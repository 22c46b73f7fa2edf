import { snakeCase } from '../../../adapters/project/spelling.ts'
import type { Watched } from '../../../engine/watch.ts'
import { ElfmemError } from '../../../errors.ts'
import { history } from '../../../operations/inspect/history.ts'
import { escapedJson, harmlessLine } from '../../../operations/wording.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK } from '../io.ts'
import { openCliMemory } from '../operation.ts'
import { type Style, styleFor } from '../screen/style.ts'

/** The longest wait of a timer, which is longer than any process lives. */
const LONG_MS = 2 ** 31 - 1

/** Prints what is logged until it is interrupted. */
export async function runWatch({ global, values }: ParsedFlags, io: CliIo): Promise<number> {
  const after = entryNumber(values.after)
  const { memory } = await openCliMemory(history, { ...global, quiet: global.quiet || global.json }, io)
  const style = styleFor(io.stdout, io)
  // Watching keeps no process alive, and this one has nothing else to do.
  const alive = setInterval(() => undefined, LONG_MS)
  try {
    const scope = typeof values.scope === 'string' ? values.scope : undefined
    const entries = memory.watch({ after, scope, signal: io.signal })
    if (!global.quiet && !global.json)
      io.stderr.write(`${style.dim(`Watching ${harmlessLine(memory.location)}; Ctrl-C ends it.`)}\n`)
    for await (const entry of entries)
      io.stdout.write(`${global.json ? jsonLine(entry) : lineOf(entry, style)}\n`)
    return EXIT_OK
  } finally {
    clearInterval(alive)
    await memory.close()
  }
}

function entryNumber(given: unknown): number | undefined {
  if (given === undefined) return undefined
  if (typeof given === 'string' && /^\d{1,15}$/.test(given)) return Number(given)
  throw new ElfmemError('INVALID_INPUT', '--after must be the number of an entry of the log.', {
    recovery: 'Take one that `elfmem history` or `elfmem watch` printed, or leave it out.',
  })
}

function jsonLine(entry: Watched): string {
  const named = Object.entries(entry).map(([name, value]) => [snakeCase(name), value] as const)
  return escapedJson(JSON.stringify(Object.fromEntries(named)))
}

function lineOf(entry: Watched, style: Style): string {
  if ('isStale' in entry) return style.warm(`! Entries were missed; the newest is ${entry.id}.`)
  const { id, at, actor, operation, summary, first } = entry
  const what = harmlessLine(`${id}  ${at.slice(0, 19)}Z  ${actor}  ${operation}: ${summary}`)
  return first === undefined ? what : `${what}  ${style.dim(`“${harmlessLine(first)}”`)}`
}
