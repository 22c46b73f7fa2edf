import * as z from 'zod'
import { shortName } from '../block/text.ts'
import { callerOf, mayDo } from '../engine/engine.ts'
import { defineOperation, type Operation } from './operation.ts'
import * as schemas from './schemas.ts'
import { isListed, notListed, offeredAdvice, offeredOf } from './tool-sets.ts'

const COSTS: Readonly<Record<Operation['cost'], string>> = {
  instant: 'instant: one short transaction, no model',
  embedding: 'at most a few embeddings (milliseconds)',
  batch: 'as many embeddings as there are new texts',
}

const RHYTHM = [
  'Rhythm: recall before a task, remember what is worth keeping as it comes, outcome when it is done,',
  'dream at a pause when shouldDream says so: a memory that stays open does it by itself. Curate at rest.',
].join('\n')

const RHYTHM_OF_READER = 'Rhythm: recall before a task. A reader writes nothing.'

/** The one topic that is no operation and needs an explanation. */
const LEARNING = {
  summary: 'How reports teach the memory.',
  text: [
    'learning: outcome says which blocks of a recall were of use; the next recall ranks by it.',
    '  when:     a task is done and you know how it went. Silence costs nothing: being recalled changes no rank',
    '  answer:   what you said or did. What it cites as [n] or by id helped; the rest counts a little as beside',
    '  helped:   it was right and of use',
    '  misled:   it was wrong or out of date: it sinks for all questions and fades faster',
    '  beside:   it was not about this question: it sinks for questions like it, and for no others',
    '  recallId: a report belongs to the question of this recall; if left out, of the latest that showed the block',
    '  mistake:  undo({ operationId }) with that of the answer takes the report back',
    '  trust:    status says how far reports on other questions count here',
    "  example:  await memory.outcome({ recallId: '42', answer: 'Staging listens on 8443 [2].' })",
  ].join('\n'),
}

/**
 * The guide to every operation of a table, derived from their records.
 *
 * @param operations the table, asked when the guide is called, since it contains the guide
 */
export function createGuide(operations: () => readonly Operation[]) {
  return defineOperation({
    name: 'guide',
    summary: 'Explain the operations, or one of them.',
    guide: {
      when: 'You do not know which operation fits, or how to call one.',
      whenNot: 'An error came with a recovery: that says what to do.',
      next: 'The call in the example.',
      example: "const { text } = await memory.guide({ method: 'outcome' })",
    },
    tools: 'agent',
    dashboard: 'never',
    needs: 'reader',
    effect: 'read',
    cost: 'instant',
    idempotent: true,
    input: z.object({
      method: z
        .string()
        .max(100)
        .trim()
        .optional()
        .describe('An operation, or learning; the overview when left out'),
    }),
    output: z.object({ text: z.string(), summary: schemas.summary }),
    positionals: ['method'],
    isOwnProse: true,
    run: async (engine, { method = '' }, context) => {
      const { tools } = context
      const { capability } = callerOf(engine, context)
      const offered = offeredOf(operations(), { capability, tools })
      const isWriter = mayDo({ capability }, 'agent')
      if (method === '') return overview(offered, isWriter)
      const wanted = spelling(method)
      if (isWriter && wanted === 'learning') return LEARNING
      const entry = operations().find(({ name }) => spelling(name) === wanted)
      if (entry !== undefined && tools !== undefined && !isListed(entry, tools))
        throw notListed(entry.name, tools, entry)
      const names = offered.map(({ name }) => name)
      if (entry !== undefined)
        return { text: entryText(entry, new Set(names)), summary: `${entry.name}: ${entry.summary}` }
      const text = `There is no operation "${shortName(method)}". There are: ${names.map((name) => `${name}()`).join(', ')}`
      return { text, summary: `There is no operation "${shortName(method)}".` }
    },
    render: ({ text }) => text,
  })
}

/** recordUse, record_use, record-use and elfmem_record_use are one name. */
function spelling(name: string): string {
  return name
    .toLowerCase()
    .replace(/^(elfmem|memory)[._-]/, '')
    .replace(/[^a-z]/g, '')
}

function overview(table: readonly Operation[], isWriter: boolean) {
  const rows = table.map(({ name, cost, summary }) => `${name}() (${cost}): ${summary}`)
  const end = isWriter ? [RHYTHM, `guide learning: ${LEARNING.summary}`] : [RHYTHM_OF_READER]
  return { text: [...rows, '', ...end].join('\n'), summary: `${table.length} operations.` }
}

function entryText({ name, summary, guide, cost }: Operation, offered: ReadonlySet<string>): string {
  const rows = [
    ['what', summary],
    ['when', offeredAdvice(guide.when, offered)],
    ['when not', offeredAdvice(guide.whenNot, offered)],
    ['cost', COSTS[cost]],
    ['next', offeredAdvice(guide.next, offered)],
    ['example', guide.example],
  ] as const
  const lines = rows.flatMap(([label, text]) => (text === '' ? [] : [`  ${`${label}:`.padEnd(10)} ${text}`]))
  return [`${name}()`, ...lines].join('\n')
}
