import * as z from 'zod'
import { defined, preview } from '../../block/text.ts'
import { momentWords } from '../../block/validity.ts'
import { ElfmemError } from '../../errors.ts'
import { type Changed, type Log, readChanged, readLog } from '../../history/journal.ts'
import { instantOf } from '../../intake/check-input.ts'
import { blocksById } from '../../store/blocks.ts'
import type { ReadTransaction } from '../../store/transaction.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { instant } from '../schemas.ts'
import { sentences, shortId } from '../wording.ts'

const PREVIEW = 80

const changedBlock = z.object({
  id: z.string(),
  preview: z.string().describe('The beginning of its words'),
  at: z.string().describe('When, ISO-8601 UTC'),
  by: z.string().optional().describe('The block that took its place'),
  reason: z.enum(['forgotten', 'decayed']).optional(),
})

const list = (what: string) => z.array(changedBlock).readonly().describe(what)

const output = z.object({
  from: z.string(),
  to: z.string(),
  learned: list('Blocks that came, oldest first'),
  superseded: list('Blocks whose place another took'),
  ended: list('Blocks that ended in between, and that none superseded'),
  edited: list('Blocks that were edited, each once, by the last edit; show() has what they were'),
  forgotten: list('Blocks that were forgotten or faded, and are still away'),
  connected: z
    .array(z.object({ from: z.string(), to: z.string(), relation: z.string(), at: z.string() }))
    .readonly()
    .describe('Connections that somebody made and that still exist'),
  reported: list('Blocks that something was reported about, each once, by the last report'),
  restored: list('Blocks that were brought back'),
  others: z
    .array(z.object({ id: z.int(), operation: z.string(), at: z.string(), summary: z.string() }))
    .readonly()
    .describe('Undos, imports, restored backups and erasing'),
  cut: z
    .array(z.string())
    .readonly()
    .optional()
    .describe('Lists that are longer than limit; their newest are left out'),
  logSince: z
    .string()
    .optional()
    .describe(
      'When what was edited, connected, reported and restored is known only from then on: older entries of the log are gone',
    ),
  summary: schemas.summary,
})

/** Lists what changed from `from` until before `to`, at most `limit` of each kind. */
export const diff = defineScopedOperation({
  name: 'diff',
  summary: 'Show what changed in the memory between two times.',
  guide: {
    when: 'You come back and want to know what was learned, superseded, ended, edited, connected, reported, forgotten and restored meanwhile.',
    whenNot: 'What was true at one time: recall() with asOf. For every single act and its number: history().',
    next: 'show() for one of them. undo(), with a number from history(), takes an act back.',
    example: "await memory.diff({ from: '2026-05-01', to: '2026-06-01' })",
  },
  tools: 'all',
  needs: 'reader',
  effect: 'read',
  cost: 'instant',
  idempotent: true,
  input: z.object({
    from: instant.describe('The beginning: ISO date or date-time, UTC unless it names a zone'),
    to: instant.optional().describe('The end, which is no part of it; now when left out'),
    limit: z.int().min(1).max(1_000).default(50).describe('At most so many of each kind'),
  }),
  output,
  positionals: ['from', 'to'],
  run: async (engine, input) => {
    const from = instantOf(input.from)
    const to = input.to === undefined ? new Date(engine.clock.now() + 1).toISOString() : instantOf(input.to)
    if (from > to)
      throw new ElfmemError('INVALID_INPUT', `The end, ${to}, is before the beginning, ${from}.`, {
        recovery: 'Give the earlier time as from.',
        details: { from, to },
      })
    return engine.store.read(async (tx) => {
      const changed = await readChanged(tx, from, to)
      const log = await readLog(tx, { from, to, limit: input.limit })
      return answerOf(tx, { changed, log, from, to, limit: input.limit })
    })
  },
  render: (answer) => [...LISTS.flatMap((name) => section(name, answer)), answer.summary].join('\n'),
})

type Answer = z.output<typeof output>

interface Found {
  readonly changed: Changed
  readonly log: Log
  readonly from: string
  readonly to: string
  readonly limit: number
}

async function answerOf(tx: ReadTransaction, { changed, log, from, to, limit }: Found): Promise<Answer> {
  const cut: string[] = []
  const first = <T>(name: string, all: readonly T[]): readonly T[] => {
    if (all.length > limit) cut.push(name)
    return all.slice(0, limit)
  }
  const dated = {
    learned: first('learned', changed.learned),
    superseded: first('superseded', changed.superseded),
    ended: first('ended', changed.ended),
    forgotten: first('forgotten', changed.forgotten),
    edited: first('edited', log.edited),
    reported: first('reported', log.reported),
    restored: first('restored', log.restored),
  }
  const ids = [...new Set(Object.values(dated).flatMap((each) => each.map(({ id }) => id)))]
  const blocks = await blocksById(tx, ids)
  const told = (each: Changed['learned']) =>
    each.flatMap(({ id, ...rest }) => {
      const words = blocks.get(id)?.content
      return words === undefined ? [] : [{ id, preview: preview(words, PREVIEW), ...rest }]
    })
  const rest = {
    connected: first('connected', log.connected),
    others: first('others', log.others),
    ...defined({ logSince: log.since }),
  }
  const answer = {
    ...{ from, to, learned: told(dated.learned), superseded: told(dated.superseded) },
    ...{ ended: told(dated.ended), edited: told(dated.edited), forgotten: told(dated.forgotten) },
    ...{ reported: told(dated.reported), restored: told(dated.restored), ...rest },
    ...(cut.length > 0 ? { cut } : {}),
  }
  return { ...answer, summary: summaryOf(answer) }
}

const LISTS = [
  'learned',
  'superseded',
  'ended',
  'edited',
  'forgotten',
  'connected',
  'reported',
  'restored',
  'others',
] as const

function summaryOf(answer: Omit<Answer, 'summary'>): string {
  const numbers = LISTS.flatMap((name) =>
    answer[name].length > 0 ? [`${answer[name].length} ${WORDS[name]}`] : [],
  )
  const between = `From ${momentWords(answer.from)} to ${momentWords(answer.to)}:`
  return sentences(
    numbers.length === 0 ? `${between} nothing changed.` : `${between} ${numbers.join(', ')}.`,
    answer.cut !== undefined && `There are more ${answer.cut.join(', ')}: raise limit.`,
    answer.logSince !== undefined &&
      `What was edited, connected, reported and restored is known from ${momentWords(answer.logSince)} on.`,
  )
}

const WORDS: Readonly<Record<(typeof LISTS)[number], string>> = {
  learned: 'learned',
  superseded: 'superseded',
  ended: 'ended',
  edited: 'edited',
  forgotten: 'forgotten or faded',
  connected: 'connected',
  reported: 'reported on',
  restored: 'restored',
  others: 'other acts',
}

function section(name: (typeof LISTS)[number], answer: Answer): string[] {
  const lines =
    name === 'connected'
      ? answer.connected.map(
          ({ from, to, relation, at }) => `${momentWords(at)}  ${shortId(from)} ${relation} ${shortId(to)}`,
        )
      : name === 'others'
        ? answer.others.map(
            ({ id, operation, at, summary }) => `${momentWords(at)}  ${id} ${operation}: ${summary}`,
          )
        : answer[name].map(
            ({ id, preview: text, at, by }) =>
              `${momentWords(at)}  ${shortId(id)}  ${text}${by === undefined ? '' : `  (by ${shortId(by)})`}`,
          )
  return lines.length === 0 ? [] : [`${WORDS[name]}:`, ...lines.map((line) => `  ${line}`), '']
}
