import type { Engine } from '../engine/engine.ts'
import { overLimit } from '../intake/check-input.ts'

/** Before the ending of a name: an agent made the file. */
const MARK = '.agent'

/** A name in the folder of exports as an agent has it. */
export function agentName(name: string): string {
  if (name.includes(`${MARK}.`) || name.endsWith(MARK)) return name
  const ending = /\.\w+$/.exec(name)?.[0] ?? ''
  return `${name.slice(0, name.length - ending.length)}${MARK}${ending}`
}

/** True for a finished file that an agent made. */
function isAgents(name: string): boolean {
  return agentName(name) === name && !/\.part-\d+$/.test(name)
}

/** One after the other, so that what is counted is still so when the file is made. */
export function oneAtATime<T>(
  { agentFiles }: Pick<Engine, 'agentFiles'>,
  work: () => Promise<T>,
): Promise<T> {
  const done = agentFiles.queue.then(work)
  agentFiles.queue = done.catch(() => undefined)
  return done
}

/** Exports that agents may have in the folder; one more is refused, since an export is never removed. */
const EXPORTS = 10

/** Bytes an agent's export may have yet; throws `LIMIT_EXCEEDED` when agents have as many exports as they may. */
export async function roomForExport(engine: Engine, folder: string): Promise<number> {
  const { agentFileBytes } = engine.settings.store
  const files = (await engine.texts.list(folder)).filter(({ name }) => isAgents(name))
  if (files.length >= EXPORTS)
    throw overLimit({
      what: `${folder}`,
      found: files.length,
      limit: EXPORTS,
      unit: 'exports of agents',
      recovery: 'The owner deletes those that are not needed, or exports to a path: elfmem export FILE.',
    })
  return Math.max(0, agentFileBytes - files.reduce((sum, { bytes }) => sum + bytes, 0))
}

/** Throws `LIMIT_EXCEEDED` when a file of an agent has more bytes than agents may have. */
export function mustFit(engine: Pick<Engine, 'settings'>, what: string, bytes: number, room: number): void {
  if (bytes <= room) return
  throw overLimit({
    what,
    found: bytes,
    limit: room,
    unit: 'bytes',
    setting: 'store.agent_file_bytes',
    recovery: `The owner does it on the command line (elfmem ${what}), or raises the limit of ${engine.settings.store.agentFileBytes} bytes.`,
  })
}
