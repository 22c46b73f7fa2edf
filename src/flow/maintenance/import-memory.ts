import { count } from '../../domain/text/count.ts'
import { ElfmemError } from '../../errors.ts'
import type { StoreRecord, TakenRecords } from '../../ports/store/maintenance.ts'
import type { StoreWriter } from '../../ports/store/transaction.ts'
import { refreshTerms } from '../blocks/refresh-terms.ts'
import { actorOf, type CallContext, type Engine } from '../engine/engine.ts'
import { nextTurn } from '../engine/pauses.ts'
import type { RedactedSecrets } from '../guard/guard-input.ts'
import { agentName } from './agent-files.ts'
import { asNew } from './as-new.ts'
import { exportFolder, exportPath, totalOf } from './export-memory.ts'
import { filesOf } from './files-of.ts'
import { badLine, forLine, type LineRules, mustBeComplete, readHead, readLine } from './import-line.ts'
import { ImportSecrets } from './import-secrets.ts'
import { followImport } from './import-story.ts'

/** A vector of 4,096 dimensions is 22 kB of base64; nothing of ours is near this. */
const MAX_LINE_BYTES = 4 << 20

/** Lines between two turns of the others, who may read meanwhile: some 20 ms. */
const LINES_BETWEEN = 200

export interface ImportInput {
  /** In the memory's own folder of exports. */
  readonly name?: string | undefined
  /** A file; `-` is the caller's pipe. */
  readonly path?: string | undefined
  /** It is the owner's: take it as it is, not its words alone. */
  readonly trusted: boolean
}

export interface ImportResult extends TakenRecords {
  /** Blocks whose ids were there. */
  readonly known: number
  /** Tags that only a trusted import may bring. */
  readonly tagsDropped: number
  readonly redacted: readonly RedactedSecrets[]
}

/** Takes an export in, all of it or nothing: every line is checked before the one transaction that writes them begins. */
export async function importMemory(
  engine: Engine,
  context: CallContext,
  { name, path, trusted }: ImportInput,
): Promise<ImportResult> {
  const files = filesOf(engine)
  const given = linesOf(engine, context, { name, path })[Symbol.asyncIterator]()
  const first = await given.next()
  const head = readHead(first.done ? undefined : first.value)
  const { settings } = engine
  const secrets = new ImportSecrets(settings.memory.secrets)
  const tally: Tally = { dropped: 0, passed: {} }
  const rules: LineRules = { settings, head }
  const all = recordsOf({ [Symbol.asyncIterator]: () => given }, rules, context)
  const records = trusted ? all : wordsOf(all, rules, tally)
  try {
    const taken = await files.takeRecords(head, withoutSecrets(records, secrets), {
      asNew: !trusted,
      staged: async (tx) => {
        await secrets.refreshWords(tx, engine)
        mustGoOn(context)
      },
      done: (tx, result) => note(engine, context, tx, result),
    })
    await refreshTerms(engine)
    const known = taken.left.blocks ?? 0
    const left = sums(taken.left, tally.passed)
    return { ...taken, left, known, tagsDropped: tally.dropped, redacted: secrets.redacted }
  } finally {
    await given.return?.()
  }
}

/** Counts of what is left out of a foreign export: identity tags, and by kind all but living blocks. */
interface Tally {
  dropped: number
  readonly passed: Record<string, number>
}

/** Every line, checked by itself and against those before it. */
async function* recordsOf(
  lines: AsyncIterable<string>,
  rules: LineRules,
  context: CallContext,
): AsyncGenerator<StoreRecord> {
  const { head } = rules
  const total = totalOf(head.counts)
  const seen: Record<string, number> = {}
  const story = followImport(head)
  const check = (wrong: string | undefined) => {
    if (wrong !== undefined) throw badLine(line, wrong)
  }
  let line = 1
  for await (const text of lines) {
    line += 1
    mustGoOn(context)
    const record = readLine(text, line, rules)
    check(story.follow(record))
    seen[record.kind] = (seen[record.kind] ?? 0) + 1
    yield record
    if (line % LINES_BETWEEN === 0) await nextTurn()
    if (line % 1_000 === 0) context.progress?.({ stage: 'importing', done: line, total })
  }
  mustBeComplete(head, seen, line)
  check(story.missing())
}

/** Of somebody's export the living blocks alone, as what they say. */
async function* wordsOf(
  records: AsyncIterable<StoreRecord>,
  rules: LineRules,
  tally: Tally,
): AsyncGenerator<StoreRecord> {
  for await (const record of records) {
    if (record.kind === 'blocks' && record.row.status !== 'archived') {
      const { row, dropped } = await forLine(record.line ?? 0, async () => asNew(record.row, rules))
      tally.dropped += dropped
      yield { ...record, row }
    } else tally.passed[record.kind] = (tally.passed[record.kind] ?? 0) + 1
  }
}

async function* withoutSecrets(
  records: AsyncIterable<StoreRecord>,
  secrets: ImportSecrets,
): AsyncGenerator<StoreRecord> {
  for await (const record of records) {
    const kept = await secrets.of(record)
    if (kept !== undefined) yield kept
  }
}

function mustGoOn({ signal }: CallContext): void {
  if (signal?.aborted)
    throw new ElfmemError('CANCELLED', 'The import was cancelled.', {
      recovery: 'Call it again; nothing was taken in.',
    })
}

function linesOf(
  engine: Engine,
  { pipe }: CallContext,
  { name, path }: Omit<ImportInput, 'trusted'>,
): AsyncIterable<string> {
  if ((name === undefined) === (path === undefined))
    throw new ElfmemError('INVALID_INPUT', 'Say which export: by its name or by its path.', {
      recovery: 'Name a file that elfmem exported.',
    })
  if (path === undefined) return ofName(engine, name ?? '')
  if (path !== '-') return engine.texts.read(path, MAX_LINE_BYTES)
  if (pipe === undefined)
    throw new ElfmemError('INVALID_INPUT', 'There is no standard input here.', { recovery: 'Name a file.' })
  return split(pipe.read())
}

/** An export of a name; one that an agent made is found by the name it gave, too. */
async function* ofName(engine: Engine, name: string): AsyncGenerator<string> {
  const known = await engine.texts.list(exportFolder(engine))
  const names = [name, agentName(name)]
  const found = names.find((each) => known.some((file) => file.name === each)) ?? name
  yield* engine.texts.read(exportPath(engine, found), MAX_LINE_BYTES)
}

async function* split(text: Promise<string>): AsyncGenerator<string> {
  const lines = (await text).split('\n')
  if (lines.at(-1) === '') lines.pop()
  yield* lines
}

function sums(one: Readonly<Record<string, number>>, other: Readonly<Record<string, number>>) {
  const added = Object.entries(other).map(([kind, many]) => [kind, (one[kind] ?? 0) + many] as const)
  return { ...one, ...Object.fromEntries(added) }
}

/** A memory that became what was exported has that log; only what was added to another is an entry of its own. */
async function note(
  engine: Engine,
  context: CallContext,
  tx: StoreWriter,
  taken: TakenRecords,
): Promise<void> {
  if (taken.whole) return
  const moment = engine.session.moment(await tx.clock())
  const blocks = taken.taken.blocks ?? 0
  await tx.log({
    operation: 'import',
    at: moment.at,
    hours: moment.hours,
    actor: actorOf(engine, context),
    blockIds: [],
    summary: `imported ${count(blocks, 'block')} and ${count(totalOf(taken.taken) - blocks, 'record')} about them`,
  })
}
