import * as z from 'zod'
import { shortName } from '../domain/text/text.ts'
import { callerOf, mayDo, type Principal } from '../flow/engine/engine.ts'
import { namingOf } from './aliases.ts'
import { defineOperation, type Operation } from './operation.ts'
import { nextFor, withOwnersCommands } from './owners-commands.ts'
import * as schemas from './schemas.ts'

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

type Caller = Pick<Principal, 'capability'>

/** Topics that are no operations and need an explanation, by name. */
const TOPICS: Readonly<Record<string, { readonly summary: string; readonly text: string }>> = {
  learning: {
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
  },
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
      whenNot: 'When an error came with a recovery: that says what to do.',
      next: 'The call in the example.',
      example: "const { text } = await memory.guide({ method: 'outcome' })",
    },
    needs: 'reader',
    effect: 'read',
    cost: 'instant',
    idempotent: true,
    input: z.object({
      method: z.string().trim().optional().describe('An operation, or learning; the overview when left out'),
    }),
    output: z.object({ text: z.string(), summary: schemas.summary }),
    positionals: ['method'],
    isOwnProse: true,
    run: async (engine, { method }, context) => {
      const caller = callerOf(engine, context)
      const { text, summary } = answer(operations(), method, caller)
      return { text: withOwnersCommands(text, operations(), caller), summary }
    },
    render: ({ text }) => text,
  })
}

function answer(
  all: readonly Operation[],
  method: string | undefined,
  caller: Caller,
): { text: string; summary: string } {
  const isAllowed = ({ needs }: Operation) => mayDo(caller, needs)
  // Whoever only looks has no use for what writes; an agent asks the owner for what is the owner's.
  const isWriter = mayDo(caller, 'agent')
  const table = isWriter ? all : all.filter(isAllowed)
  if (!method) return { text: overview(table, isWriter), summary: `${table.length} operations.` }
  const wanted = spelling(method)
  const entry = table.find(({ name }) => spelling(name) === wanted)
  if (entry)
    return {
      text: entryText(entry, nextFor(entry.guide.next, all, caller)),
      summary: `${entry.name}: ${entry.summary}`,
    }
  const topic = isWriter && Object.hasOwn(TOPICS, wanted) ? TOPICS[wanted] : undefined
  if (topic) return topic
  const others = table.filter(isAllowed).map(({ name }) => name)
  return {
    text: `There is no operation "${shortName(method)}". There are:\n  ${others.join(', ')}`,
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

function overview(table: readonly Operation[], isWriter: boolean): string {
  const width = Math.max(...table.map(({ name }) => name.length))
  const rows = table.map(({ name, cost, summary }) => `${name.padEnd(width)}  ${cost.padEnd(9)}  ${summary}`)
  if (!isWriter) return [...rows, '', RHYTHM_OF_READER].join('\n')
  const topics = Object.entries(TOPICS).map(([name, { summary }]) => `guide ${name}: ${summary}`)
  return [...rows, '', RHYTHM, ...topics].join('\n')
}

function entryText(
  { name, summary, guide, cost, input, output }: Operation,
  next: string | undefined,
): string {
  const rows = [
    ['what', summary],
    ['when', guide.when],
    ['when not', guide.whenNot],
    ['takes', keys(input)],
    ['cost', COSTS[cost]],
    ['returns', keys(output)],
    ...(next === undefined ? [] : [['next', next] as const]),
  ] as const
  const lines = rows.map(([label, text]) => `  ${`${label}:`.padEnd(10)} ${text}`)
  return [`memory.${name}()`, ...lines, '  example:', `    ${guide.example}`].join('\n')
}

/** The keys of an object schema; `?` marks those that may be left out. */
function keys(schema: z.ZodType): string {
  if (!(schema instanceof z.ZodObject)) return 'see the reference'
  const names = Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>)
    .filter(([, value]) => namingOf(value).aliasOf === undefined)
    .map(([name, value]) => (value.safeParse(undefined).success ? `${name}?` : name))
  return names.length === 0 ? 'nothing' : names.join(', ')
}
