import { escapedJson } from '../../domain/safety/visible.ts'
import { ElfmemError } from '../../errors.ts'
import type { RecordHead, StoreRecord } from '../../ports/store/maintenance.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { isOwner } from '../guard/owner-only.ts'
import { agentName, mustFit, oneAtATime, roomForExport } from './agent-files.ts'
import { noteCopyElsewhere } from './copies-elsewhere.ts'
import { filesOf, plainName, timeName } from './files-of.ts'
import { EXPORT_FORMAT, EXPORT_VERSION } from './import-line.ts'

export interface ExportResult {
  /** Where it went; absent when it was piped. */
  readonly path?: string
  readonly bytes: number
  readonly blocks: number
  readonly records: number
}

/** Where to: a name in the memory's own folder, or a path; `-` is the caller's pipe. */
export interface ExportInput {
  readonly name?: string | undefined
  readonly path?: string | undefined
}

/** Writes everything the memory holds, one JSON value a line, of one state and always in the same order. */
export async function exportMemory(
  engine: Engine,
  context: CallContext,
  { name, path }: ExportInput,
): Promise<ExportResult> {
  filesOf(engine)
  if (name !== undefined && path !== undefined)
    throw new ElfmemError('INVALID_INPUT', 'An export goes to a name or to a path.', {
      recovery: 'Drop one of the two.',
    })
  const given = name ?? `${timeName(engine)}.jsonl`
  if (!isOwner(engine, context)) return oneAtATime(engine, () => agentsExport(engine, context, given))
  const done = await exportTo(engine, context, { target: path ?? exportPath(engine, given) })
  if (path !== undefined && path !== '-') await noteCopyElsewhere(engine, path)
  return done
}

/** An export by an agent: it is marked as one in its name, and agents have only so many and so much. */
async function agentsExport(engine: Engine, context: CallContext, name: string): Promise<ExportResult> {
  const room = await roomForExport(engine, exportFolder(engine))
  return exportTo(engine, context, { target: `${exportFolder(engine)}/${agentName(plainName(name))}`, room })
}

interface Target {
  readonly target: string
  /** Bytes it may have. */
  readonly room?: number
}

async function exportTo(
  engine: Engine,
  context: CallContext,
  { target, room }: Target,
): Promise<ExportResult> {
  return filesOf(engine).readRecords(async (head, records) => {
    const all = linesOf(head, records, context)
    const lines = room === undefined ? all : within(engine, all, room)
    const bytes = target === '-' ? await pipe(lines, context) : await engine.texts.write(target, lines)
    return {
      ...(target === '-' ? {} : { path: target }),
      bytes,
      blocks: head.counts.blocks ?? 0,
      records: totalOf(head.counts),
    }
  })
}

/** A name in the folder that exports go to and imports come from. */
export function exportPath({ store }: Pick<Engine, 'store'>, name: string): string {
  return `${exportFolder({ store })}/${plainName(name)}`
}

/** The folder that exports go to and imports come from. */
export function exportFolder({ store }: Pick<Engine, 'store'>): string {
  return `${store.location}.exports`
}

/** The same lines; throws `LIMIT_EXCEEDED` where they have more bytes than there is room for. */
async function* within(engine: Engine, lines: AsyncIterable<string>, room: number): AsyncGenerator<string> {
  let bytes = 0
  for await (const line of lines) {
    bytes += Buffer.byteLength(line) + 1
    mustFit(engine, 'export', bytes, room)
    yield line
  }
}

/** How many there are of all kinds. */
export function totalOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, each) => sum + each, 0)
}

async function* linesOf(
  head: RecordHead,
  records: AsyncIterable<StoreRecord>,
  { signal, progress }: CallContext,
): AsyncGenerator<string> {
  yield escapedJson(JSON.stringify({ format: EXPORT_FORMAT, version: EXPORT_VERSION, ...head }))
  const total = totalOf(head.counts)
  let done = 0
  for await (const { kind, row } of records) {
    if (signal?.aborted)
      throw new ElfmemError('CANCELLED', 'The export was cancelled.', {
        recovery: 'Call it again; no file was left.',
      })
    yield escapedJson(JSON.stringify({ table: kind, ...row }))
    done += 1
    if (done % 1_000 === 0) progress?.({ stage: 'exporting', done, total })
  }
}

async function pipe(lines: AsyncIterable<string>, { pipe: given }: CallContext): Promise<number> {
  if (given === undefined)
    throw new ElfmemError('INVALID_INPUT', 'There is no standard output here.', { recovery: 'Name a file.' })
  let characters = 0
  for await (const line of lines) {
    given.write(`${line}\n`)
    characters += line.length + 1
  }
  return characters
}
