import type { Engine } from '../engine/engine.ts'
import { ElfmemError } from '../errors.ts'
import { COPIES_ELSEWHERE } from '../history/erase.ts'
import { overLimit } from '../intake/check-input.ts'
import type { ScopeCounts, StoreFiles } from '../store/database.ts'
import { readMeta, saveMeta } from '../store/log.ts'
import type { Store } from '../store/transaction.ts'

/** Pattern of a file name in a folder of ours; matches no path. */
const PLAIN_NAME = /^[\w][\w.-]{0,119}$/

/** Returns the file of the memory; throws `OUT_OF_SCOPE` in a view of one scope, `STORE_FAILED` without a file. */
export function filesOf(engine: Engine): StoreFiles {
  mustBeWhole(engine)
  if (engine.store.files !== undefined) return engine.store.files
  throw new ElfmemError('STORE_FAILED', 'This memory is in no file, and ends with whatever opened it.', {
    recovery: 'Open a memory in a file to keep it.',
  })
}

/** Returns everything the memory holds, as records; throws `OUT_OF_SCOPE` in a view of one scope. */
export function recordsIn(engine: Engine): NonNullable<Store['records']> {
  mustBeWhole(engine)
  return engine.store.records as NonNullable<Store['records']>
}

function mustBeWhole({ scope, store, isAbsent }: Engine): void {
  if (scope !== undefined)
    throw new ElfmemError('OUT_OF_SCOPE', `This memory sees the scope ${scope} only; the whole holds more.`, {
      recovery: 'Call it on the whole memory, opened without a scope.',
      details: { scope },
    })
  if (isAbsent)
    throw new ElfmemError('NOT_FOUND', `There is no memory at ${store.location} yet.`, {
      recovery: 'Name another one, or remember something first.',
    })
}

/** A name that stays in its folder; throws `INVALID_INPUT`. */
export function plainName(given: string): string {
  if (PLAIN_NAME.test(given)) return given
  throw new ElfmemError('INVALID_INPUT', 'A name has letters, digits, dots, dashes and underscores only.', {
    recovery: 'Give the name as it was told; a path is for path.',
  })
}

/** A time as a file name has it. */
export function timeName(engine: Engine): string {
  return atNow(engine).replaceAll(/[:.]/g, '-')
}

/** ISO-8601 UTC. */
export function atNow({ clock }: Pick<Engine, 'clock'>): string {
  return new Date(clock.now()).toISOString()
}

/** A name in the folder that exports go to and imports come from. */
export function exportPath({ store }: Pick<Engine, 'store'>, name: string): string {
  return `${exportFolder({ store })}/${plainName(name)}`
}

/** The folder that exports go to and imports come from. */
export function exportFolder({ store }: Pick<Engine, 'store'>): string {
  return `${store.location}.exports`
}

/**
 * Remembers where a backup or an export went that is not beside the memory, so that an erasing can name it. Once it is
 * there: one that failed left nothing.
 */
export async function noteCopyElsewhere({ store }: Pick<Engine, 'store'>, path: string): Promise<void> {
  await store.write(
    async (tx) => {
      const kept = JSON.parse((await readMeta(tx, COPIES_ELSEWHERE)) ?? '[]') as string[]
      const others = kept.filter((each) => each !== path)
      await saveMeta(tx, COPIES_ELSEWHERE, JSON.stringify([...others, path].slice(-200)))
    },
    { durable: false },
  )
}

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

/** Bytes an agent's export may have yet; throws `LIMIT_EXCEEDED` when agents have ten, since an export is never removed. */
export async function roomForExport(engine: Engine, folder: string): Promise<number> {
  const { agentFileBytes } = engine.settings.store
  const files = (await engine.texts.list(folder)).filter(({ name }) => isAgents(name))
  const limit = 10
  if (files.length >= limit)
    throw overLimit({
      what: `${folder}`,
      found: files.length,
      limit,
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

/** Where a memory lies, and what lies beside it. */
export interface MemoryPlace {
  /** Bytes of its file; absent where there is none, or for a memory of one scope. */
  readonly bytes?: number
  readonly backupFolder?: string
  /** Names of the backups in that folder, newest first. */
  readonly backups: readonly string[]
  /** At most 50, those with most blocks first. */
  readonly scopes: readonly ScopeCounts[]
}

/** Reads where a memory lies. */
export async function readPlace({ store, scope }: Pick<Engine, 'store' | 'scope'>): Promise<MemoryPlace> {
  const scopes = scope === undefined ? await store.read((tx) => tx.queries.scopes(50)) : []
  const { files } = store
  if (files === undefined) return { backups: [], scopes }
  const [bytes, backups] = await Promise.all([files.bytes(), files.backups()])
  return { bytes, backupFolder: files.folder, backups, scopes }
}
