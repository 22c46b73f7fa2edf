import { expect, test } from 'vitest'
import { operations } from '../../../src/operations/table.ts'
import { openTestMemory } from '../../helpers/memory.ts'

const QUOTED = 'which port: "staging listens on port"'

const SCOPE = { scope: 'atlas' }

/** Filters of ls and facets. */
const FILTERS = [
  {},
  { words: 'staging', tag: 'ops' },
  { isolated: true },
  { undecided: true },
  { status: 'inbox' },
]

interface Known {
  readonly id: string
  /** A time before all blocks but the first. */
  readonly then: string
}

/** Calls of every operation that looks and changes nothing, one for each of its branches. */
const CALLS: Readonly<Record<string, (known: Known) => readonly object[]>> = {
  recall: ({ id, then }) => [
    ...[QUOTED, 'which port had staging at first', 'what is there', 'ports since March 2026'].flatMap(
      (query) => [
        { query, suggest: true },
        { query, explain: true, limit: 20, tags: ['ops'] },
      ],
    ),
    ...[{ asOf: then }, { knownAt: then }, SCOPE, { minStrength: 0.9 }, { tokenBudget: 60 }].map((more) => ({
      ...{ query: QUOTED, explain: true, ...more },
    })),
    ...['self', 'task', 'attention', 'simulate', 'world', 'short_term'].map((frame) => ({ frame })),
    { frame: 'task', query: QUOTED, reinforce: false },
    { query: QUOTED, ids: true, without: [id] },
  ],
  why: ({ id, then }) =>
    [{}, { frame: 'task', asOf: then }, { knownAt: then }, SCOPE].map((more) => ({
      ...{ query: QUOTED, block: id, ...more },
    })),
  connectByQuery: () => [{ sourceQuery: QUOTED, targetQuery: 'where "tea is poured"', dryRun: true }],
  inbox: () => [{}, { identity: true, pairs: 5, openPairs: 5, pendingJudgement: 5 }, SCOPE],
  decisions: () => [{}, { kind: 'perhaps_newer' }, { kind: 'outdated' }, SCOPE],
  ls: ({ then }) => [...FILTERS, { details: true, count: true }, { asOf: then }, SCOPE],
  overview: ({ then }) => [{}, { about: 'part' }, { about: 'nobody' }, { since: then, until: then }, SCOPE],
  facets: ({ then }) => [...FILTERS, { of: ['name'] }, { asOf: then }, { knownAt: then }, SCOPE],
  show: ({ id, then }) => [{ blockId: id }, { blockId: id, asOf: then }, { blockId: id, knownAt: then }],
  graph: ({ id, then }) => [{}, { blockId: id, depth: 2 }, { columns: true }, { asOf: then }],
  status: () => [{}, { days: 7 }, SCOPE],
  history: ({ id }) => [{}, { blockId: id }, { id: 1 }, { runs: true }, { operation: 'connect' }, SCOPE],
  diff: ({ then }) => [{ from: then }, { from: then, ...SCOPE }],
  guide: () => [{}, { method: 'recall' }],
  doctor: () => [{}],
  undo: () => [{ dryRun: true }],
  reembed: () => [{ dryRun: true }],
}

test('every operation that reads has calls in this walk', () => {
  const reading = operations.filter(({ effect }) => effect === 'read').map(({ name }) => name)
  expect(reading.filter((name) => CALLS[name] === undefined)).toEqual([])
})

test.each(['file', 'memory'] as const)(
  'every operation that reads a %s ends while the others run',
  async (kind) => {
    const { memory, clock, learn } = await openTestMemory({ kind })
    const [id = '', other = ''] = await learn('Staging listens on port 4210.', 'Staging listened on port 80.')
    const then = new Date(clock.now()).toISOString()
    clock.advance({ hours: 2 })
    await learn(...Array.from({ length: 24 }, (_, n) => `Staging has a part a${n} with a port.`))
    await memory.connect({ source: id, target: other, relation: 'contradicts', note: 'since "the move"' })
    await memory.outcome({ helped: [id], misled: [other] })
    await memory.remember({ content: 'The port of staging is open.', tags: ['ops'], derivedFrom: [id] })
    await memory.remember({ content: 'Tea is poured at four.', scope: 'atlas' })
    const call = memory as unknown as Record<string, (input: object) => Promise<{ summary: string }>>
    const begun = Object.entries(CALLS).flatMap(([name, inputs]) =>
      inputs({ id, then }).map(async (input) => ({ name, input, end: await endOf(call[name]?.(input)) })),
    )
    const ended = await Promise.all(begun)
    expect(ended.filter(({ end }) => end !== 'answered')).toEqual([])
  },
)

async function endOf(call: Promise<{ readonly summary: string }> | undefined): Promise<string> {
  try {
    return typeof (await call)?.summary === 'string' ? 'answered' : 'no answer'
  } catch (error) {
    return (error as Error).message
  }
}
