import * as z from 'zod'
import { defined, preview } from '../../block/text.ts'
import { momentWords } from '../../block/validity.ts'
import { ElfmemError } from '../../errors.ts'
import { readChanged, readLog } from '../../history/journal.ts'
import { instantOf } from '../../intake/check-input.ts'
import { blocksById } from '../../store/blocks.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { instant } from '../schemas.ts'
import { section, sentences, shortId } from '../wording.ts'

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
    .describe('What was edited, connected, reported and restored is known only from then on'),
  summary: schemas.summary,
})

/** Lists what changed from `from` until before `to`, at most `limit` of each kind. */
export const diff = defineScopedOperation({
  name: 'diff',
  summary: 'Show what changed in the memory between two times.',
  guide: {
    when: 'You come back and want to know what was learned, superseded, ended, edited, connected, reported, forgotten and restored meanwhile.',
    whenNot:
      'For what was true at one time use recall() with asOf. For every single act and its number use history().',
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
      const log = await readLog(tx, { from, to, limit: input.limit })
      const found = { ...(await readChanged(tx, from, to)), ...log }
      const ids = DATED.flatMap((kind) => found[kind].slice(0, input.limit).map(({ id }) => id))
      const blocks = await blocksById(tx, [...new Set(ids)])
      const told = (kind: (typeof DATED)[number]) =>
        found[kind].slice(0, input.limit).flatMap(({ id, ...rest }) => {
          const words = blocks.get(id)?.content
          return words === undefined ? [] : [{ id, preview: preview(words, PREVIEW), ...rest }]
        })
      const longer = LISTS.filter((kind) => found[kind].length > input.limit)
      const answer = {
        ...{ from, to, learned: told('learned'), superseded: told('superseded'), ended: told('ended') },
        ...{ edited: told('edited'), forgotten: told('forgotten'), reported: told('reported') },
        ...{ restored: told('restored'), connected: found.connected.slice(0, input.limit) },
        others: found.others.slice(0, input.limit),
        ...defined({ cut: longer.length > 0 ? longer : undefined, logSince: log.since }),
      }
      return { ...answer, summary: summaryOf(answer) }
    })
  },
  render: (answer) => [answer.summary, ...LISTS.flatMap((kind) => linesOf(kind, answer))].join('\n'),
})

type Answer = z.output<typeof output>

const DATED = ['learned', 'superseded', 'ended', 'edited', 'forgotten', 'reported', 'restored'] as const

const WORDS = {
  ...{ learned: 'learned', superseded: 'superseded', ended: 'ended', edited: 'edited' },
  ...{ forgotten: 'forgotten or faded', connected: 'connected', reported: 'reported on' },
  ...{ restored: 'restored', others: 'other acts' },
} as const

type List = keyof typeof WORDS
const LISTS = Object.keys(WORDS) as List[]

function summaryOf(answer: Omit<Answer, 'summary'>): string {
  const numbers = LISTS.filter((kind) => answer[kind].length > 0).map(
    (kind) => `${answer[kind].length} ${WORDS[kind]}`,
  )
  const between = `From ${momentWords(answer.from)} to ${momentWords(answer.to)}:`
  return sentences(
    numbers.length === 0 ? `${between} nothing changed.` : `${between} ${numbers.join(', ')}.`,
    answer.cut !== undefined && `There are more ${answer.cut.join(', ')}: raise limit.`,
    answer.logSince !== undefined &&
      `What was edited, connected, reported and restored is known from ${momentWords(answer.logSince)} on.`,
  )
}

/** Returns the lines of a terminal about one list. */
function linesOf(kind: List, answer: Answer): string[] {
  const rows = answer[kind].map((each): readonly string[] => {
    const at = momentWords(each.at)
    if ('relation' in each) return [at, `${shortId(each.from)} ${each.relation} ${shortId(each.to)}`]
    if ('operation' in each) return [at, `${each.id} ${each.operation}: ${each.summary}`]
    return [at, shortId(each.id), each.preview + (each.by === undefined ? '' : `  (by ${shortId(each.by)})`)]
  })
  return section(`${WORDS[kind]}:`, rows)
}
