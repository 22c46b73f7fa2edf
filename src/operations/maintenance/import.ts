import * as z from 'zod'
import { count } from '../../block/text.ts'
import { exportPath, recordsIn } from '../../care/files-of.ts'
import {
  asNew,
  forLine,
  ImportSecrets,
  type LineRules,
  mustBeComplete,
  readHead,
  readLine,
  totalOf,
} from '../../care/import-lines.ts'
import { setItemTagsOf } from '../../care/items.ts'
import { refreshTerms } from '../../engine/embedding.ts'
import { actorOf, type CallContext, type Engine, nextTurn } from '../../engine/engine.ts'
import { ElfmemError } from '../../errors.ts'
import { type RedactedSecrets, redactedSentence } from '../../intake/check-input.ts'
import { markReports } from '../../outcome/outcome.ts'
import { logOperation } from '../../store/log.ts'
import type { StoreRecord, TakenRecords, Transaction } from '../../store/transaction.ts'
import { defineOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences } from '../wording.ts'

/** A vector of 4,096 dimensions is 22 kB of base64; nothing of ours is near this. */
const MAX_LINE_BYTES = 4 << 20

/** Lines between two turns of the others, who may read meanwhile: some 20 ms. */
const LINES_BETWEEN = 200

const input = z.object({
  path: schemas.path.optional().describe('A file that export wrote; on the command line - is standard input'),
  name: schemas.fileName.optional().describe('A file in the folder of exports beside the memory'),
  trusted: z
    .boolean()
    .default(false)
    .describe('It is your own: take it as it is, not only its words, and with what says who the agent is'),
})

/** `memory.import`, whose name is a word of the language. */
export const importOperation = defineOperation({
  name: 'import',
  summary:
    'Import an export: everything into an empty memory, else what is new. If it is not trusted, only its words.',
  guide: {
    when: 'To move a memory, or to add what another memory knows.',
    whenNot: 'To undo something use restoreBackup(). For a document use learnDocument().',
    next: 'dream() when blocks wait in the inbox. status() says how much there is.',
    example: "await memory.import({ name: 'memory.jsonl' })",
  },
  tools: 'all',
  dashboard: 'never',
  needs: 'agent',
  effect: 'write',
  isLasting: true,
  makesMemory: true,
  cost: 'batch',
  idempotent: true,
  refuses: ['NOT_FOUND', 'OUT_OF_SCOPE', 'STORE_TOO_NEW'],
  input,
  output: z.object({
    whole: z.boolean().describe('The memory was empty and is now what was exported'),
    blocksAdded: z.int(),
    blocksKnown: z.int().describe('Blocks whose ids were there; they stay as they are'),
    asInbox: z
      .boolean()
      .describe('The new blocks wait for a dream: as words alone, or for vectors of this model'),
    taken: z.record(z.string(), z.int()).describe('Records taken in, by table'),
    left: z.record(z.string(), z.int()).describe('Records left out, by table'),
    visible: schemas.visible,
    tagsDropped: z.int().describe('Tags that only a trusted import brings'),
    redacted: schemas.redacted.optional(),
    summary: schemas.summary,
  }),
  positionals: ['path'],
  local: { path: 'input' },
  ownerOnly: { trusted: [true] },
  run: async (engine, input, context) => {
    const result = await importMemory(engine, context, input)
    const { whole, taken, left, known, asInbox, tagsDropped, redacted } = result
    return {
      whole,
      blocksAdded: taken.blocks ?? 0,
      blocksKnown: known,
      asInbox,
      taken,
      left,
      visible: true as const,
      tagsDropped,
      ...(redacted.length > 0 ? { redacted } : {}),
      summary: sentences(summaryOf(result, input), redactedSentence(redacted)),
    }
  },
})

function summaryOf(
  { whole, taken, known, asInbox, tagsDropped }: ImportResult,
  { trusted }: ImportInput,
): string {
  const added = count(taken.blocks ?? 0, 'block')
  if (whole) return `The memory is what was exported: ${added}.`
  const counts = `${added} added, ${known} known already.`
  if (taken.blocks === undefined) return counts
  return sentences(
    counts,
    asInbox && 'They wait in the inbox: call dream.',
    tagsDropped > 0 && `${count(tagsDropped, 'tag')} left out that only a trusted import brings.`,
    trusted
      ? 'The log and the settings of the other memory were left out.'
      : 'Only words were taken; a trusted import into an empty memory takes your own export whole.',
  )
}

type ImportInput = z.output<typeof input>

interface ImportResult extends TakenRecords {
  /** Blocks whose ids were there. */
  readonly known: number
  /** Tags that only a trusted import may bring. */
  readonly tagsDropped: number
  readonly redacted: readonly RedactedSecrets[]
}

/** Takes an export in, all of it or nothing: every line is checked before the one transaction that writes them begins. */
async function importMemory(
  engine: Engine,
  context: CallContext,
  { name, path, trusted }: ImportInput,
): Promise<ImportResult> {
  const store = recordsIn(engine)
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
    const taken = await store.take(head, withoutSecrets(records, secrets), {
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

/** Every line, checked by itself, and their number. */
async function* recordsOf(
  lines: AsyncIterable<string>,
  rules: LineRules,
  context: CallContext,
): AsyncGenerator<StoreRecord> {
  const { head } = rules
  const total = totalOf(head.counts)
  const seen: Record<string, number> = {}
  let line = 1
  for await (const text of lines) {
    line += 1
    mustGoOn(context)
    const record = readLine(text, line, rules)
    seen[record.kind] = (seen[record.kind] ?? 0) + 1
    yield record
    if (line % LINES_BETWEEN === 0) await nextTurn()
    if (line % 1_000 === 0) context.progress?.({ stage: 'importing', done: line, total })
  }
  mustBeComplete(head, seen, line)
}

/** Yields the living blocks of somebody else's export, reduced to their words. */
async function* wordsOf(
  records: AsyncIterable<StoreRecord>,
  rules: LineRules,
  tally: Tally,
): AsyncGenerator<StoreRecord> {
  for await (const record of records) {
    if (record.kind === 'blocks' && record.row.status !== 'archived') {
      const { row, dropped } = await forLine(record.line ?? 0, () => asNew(record.row, rules))
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
  if (path === undefined) return engine.texts.read(exportPath(engine, name ?? ''), MAX_LINE_BYTES)
  if (path !== '-') return engine.texts.read(path, MAX_LINE_BYTES)
  if (pipe === undefined)
    throw new ElfmemError('INVALID_INPUT', 'There is no standard input here.', { recovery: 'Name a file.' })
  return split(pipe.read())
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

/** Logs what was added to a memory. One that became what was exported has that log, and nothing needs no entry. */
async function note(
  engine: Engine,
  context: CallContext,
  tx: Transaction,
  taken: TakenRecords,
): Promise<void> {
  await markReports(tx, engine.ids.random())
  await setItemTagsOf(engine, tx, taken.textsOfItems)
  if (taken.whole || totalOf(taken.taken) === 0) return
  const moment = engine.session.moment((await tx.state()).clock)
  const blocks = taken.taken.blocks ?? 0
  await logOperation(tx, {
    operation: 'import',
    at: moment.at,
    hours: moment.hours,
    actor: actorOf(engine, context),
    blockIds: [],
    summary: `imported ${count(blocks, 'block')} and ${count(totalOf(taken.taken) - blocks, 'record')} about them`,
  })
}
