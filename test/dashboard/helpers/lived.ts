import { openTestMemory } from '../../helpers/memory.ts'
import { statements } from '../../helpers/words.ts'

/** A memory with something to see, and one block more that waits. */
export async function livedMemory() {
  const opened = await openTestMemory()
  const { memory, clock, learn } = opened
  const ids = await learn(
    ...statements(8),
    'The ferry to Brannoch leaves at ten on weekdays.',
    'The ferry to Brannoch leaves at eleven on weekdays.',
  )
  await memory.recall({ query: 'which ferry', topK: 3 })
  await memory.outcome({ helped: [ids[0]!], misled: [ids[1]!] })
  await memory.connect({ source: ids[2]!, target: ids[3]!, relation: 'supports' })
  await memory.edit({ blockId: ids[4]!, content: 'Another apple fell.' })
  await memory.forget({ blockId: ids[5]! })
  const { blockId: waiting } = await memory.remember({ content: 'Still waiting.' })
  // A recall keeps the vector of what waits without one, as the memory does by itself at rest.
  await memory.recall({ query: 'what is waiting' })
  // A recall writes after its answer; the next call sees it.
  await memory.status()
  clock.advance({ hours: 30 })
  return { ...opened, ids, waiting }
}

/** The ids that calls need. */
export interface Lived {
  readonly ids: readonly string[]
  readonly waiting: string
}

/** One call of each operation that a page may make, in an order in which each finds what it needs. */
export const CALLS: Readonly<Record<string, (lived: Lived) => object>> = {
  status: () => ({ days: 30 }),
  ls: () => ({ limit: 50, count: true, details: true }),
  facets: () => ({}),
  show: ({ ids }) => ({ blockId: ids[0], edgeLimit: 5 }),
  why: ({ ids }) => ({ query: 'which ferry leaves at ten', block: ids[8] }),
  graph: () => ({ columns: true }),
  history: () => ({ limit: 100, runs: true }),
  diff: () => ({ from: '2026-03-01' }),
  inbox: () => ({ limit: 20, openPairs: 20, pairs: 20 }),
  decisions: () => ({}),
  recall: () => ({ query: 'which ferry leaves at ten', reinforce: false, explain: true }),
  remember: () => ({ content: 'The lamp is lit at dusk.', sourceClass: 'user' }),
  setup: () => ({ values: ['I am brief.'] }),
  propose: () => ({ kind: 'value', content: 'I say when the ferry is late.' }),
  decide: () => ({ id: 'set by the test', choice: 'refuse' }),
  outcome: ({ ids }) => ({ helped: [ids[2]] }),
  overview: () => ({ about: 'tea' }),
  recordUse: ({ ids }) => ({ blockIds: [ids[3]] }),
  edit: ({ ids }) => ({ blockId: ids[6], content: 'The seventh is another.', sourceClass: 'user' }),
  connect: ({ ids }) => ({ source: ids[0], target: ids[6], relation: 'supports' }),
  connectByQuery: () => ({ ...QUERIES, relation: 'elaborates', dryRun: true }),
  connects: ({ ids }) => ({ edges: [{ source: ids[1], target: ids[7] }] }),
  disconnect: ({ ids }) => ({ source: ids[2], target: ids[3] }),
  forget: ({ ids }) => ({ blockId: ids[7] }),
  restore: ({ ids }) => ({ blockId: ids[7] }),
  resolve: ({ ids }) => ({ a: ids[8], b: ids[9], keep: 'both' }),
  dream: () => ({}),
  curate: () => ({}),
  undo: () => ({ dryRun: true }),
  doctor: () => ({}),
  backup: () => ({}),
  erase: ({ waiting }) => ({ blockIds: [waiting] }),
}

const QUERIES = {
  sourceQuery: 'The ferry leaves at ten',
  targetQuery: 'The ferry leaves at eleven',
  minConfidence: 0,
}
