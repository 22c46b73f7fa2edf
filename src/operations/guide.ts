import * as z from 'zod'
import { shortName } from '../block/text.ts'
import { callerOf, mayDo } from '../engine/engine.ts'
import { defineOperation, type Operation } from './operation.ts'
import * as schemas from './schemas.ts'
import { aliasOf } from './schemas.ts'
import { isListed, notListed, type Offer, offeredAdvice, offeredOf, withOwnersCommands } from './tool-sets.ts'

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
    run: async (engine, { method }, context) => {
      const { tools } = context
      const listed = operations().filter((each) => tools === undefined || isListed(each, tools))
      const wanted = spelling(method ?? '')
      const other = operations().find(({ name }) => spelling(name) === wanted)
      if (other !== undefined && tools !== undefined && !listed.includes(other))
        throw notListed(other.name, tools, other)
      const { capability } = callerOf(engine, context)
      const mayCall = offeredOf(listed, { capability })
      const offer = {
        known: new Set(operations().map(({ name }) => name)),
        offered: new Set(mayCall.map(({ name }) => name)),
      }
      // Whoever only looks has no use for what writes; an agent asks the owner for what is the owner's.
      const isWriter = mayDo({ capability }, 'agent')
      const { text, summary } = answer(isWriter ? listed : mayCall, method, { ...offer, isWriter })
      return { text: withOwnersCommands(text, offer), summary }
    },
    render: ({ text }) => text,
  })
}

function answer(
  table: readonly Operation[],
  method: string | undefined,
  offer: Offer & { readonly isWriter: boolean },
): { text: string; summary: string } {
  if (!method) return { text: overview(table, offer), summary: `${table.length} operations.` }
  const wanted = spelling(method)
  const entry = table.find(({ name }) => spelling(name) === wanted)
  if (entry) return { text: entryText(entry, offer), summary: `${entry.name}: ${entry.summary}` }
  if (offer.isWriter && wanted === 'learning') return LEARNING
  const others = [...offer.offered]
  return {
    text: `There is no operation "${shortName(method)}". There are:\n  ${others.map((name) => `${name}()`).join(', ')}`,
    summary: `There is no operation "${shortName(method)}"; ${others.length} others are named.`,
  }
}

/** recordUse, record_use, record-use and elfmem_record_use are one name. */
function spelling(name: string): string {
  return name
    .toLowerCase()
    .replace(/^(elfmem|memory)[._-]/, '')
    .replace(/[^a-z]/g, '')
}

function overview(table: readonly Operation[], { isWriter }: { readonly isWriter: boolean }): string {
  const rows = table.map(({ name, cost, summary }) => `${name}() (${cost}): ${summary}`)
  if (!isWriter) return [...rows, '', RHYTHM_OF_READER].join('\n')
  return [...rows, '', RHYTHM, `guide learning: ${LEARNING.summary}`].join('\n')
}

function entryText({ name, summary, guide, cost, input, output }: Operation, offer: Offer): string {
  const rows = [
    ['what', summary],
    ['when', offeredAdvice(guide.when, offer)],
    ['when not', offeredAdvice(guide.whenNot, offer)],
    ['takes', keys(input)],
    ['cost', COSTS[cost]],
    ['returns', keys(output)],
    ['next', offeredAdvice(guide.next, offer)],
  ] as const
  const lines = rows
    .filter(([, text]) => text !== '')
    .map(([label, text]) => `  ${`${label}:`.padEnd(10)} ${text}`)
  return [`${name}()`, ...lines, '  example:', `    ${guide.example}`].join('\n')
}

/** The keys of an object schema; `?` marks those that may be left out. */
function keys(schema: z.ZodType): string {
  if (!(schema instanceof z.ZodObject)) return 'see the reference'
  const names = Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>)
    .filter(([, value]) => aliasOf(value) === undefined)
    .map(([name, value]) => (value.safeParse(undefined).success ? `${name}?` : name))
  return names.length === 0 ? 'nothing' : names.join(', ')
}
