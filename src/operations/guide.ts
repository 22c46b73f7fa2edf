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
      whenNot: 'If an error came with a recovery, follow that.',
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
      method: z.string().max(100).trim().optional().describe('An operation; the overview when left out'),
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
  return {
    text: [...rows, '', isWriter ? RHYTHM : RHYTHM_OF_READER].join('\n'),
    summary: `${table.length} operations.`,
  }
}

function entryText({ name, summary, guide, cost }: Operation, offered: ReadonlySet<string>): string {
  const rows = [
    ['what', summary],
    ['when', offeredAdvice(guide.when, offered)],
    ['instead', offeredAdvice(guide.whenNot, offered)],
    ['cost', COSTS[cost]],
    ['next', offeredAdvice(guide.next, offered)],
    ['example', guide.example],
  ] as const
  const lines = rows.flatMap(([label, text]) => (text === '' ? [] : [`  ${`${label}:`.padEnd(10)} ${text}`]))
  return [`${name}()`, ...lines].join('\n')
}
