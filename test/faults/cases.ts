import type { Memory } from '../../src/memory.ts'
import type { table } from '../../src/operations/table.ts'
import type { Known, Opening } from './prepared.ts'

/** One call on the prepared memory. */
export interface Case extends Opening {
  readonly run: (memory: Memory, known: Known) => Promise<unknown>
  /** Asking again after it was done but not acknowledged may be refused with this. */
  readonly againRefused?: string
  /** Asking again goes further by design, so that only what holds always is asked once something was done. */
  readonly counts?: true
  /** Its answer tells of failures, which are no errors of the call. */
  readonly tells?: true
  /** What it takes in has its history elsewhere, so that no entry of the log names it. */
  readonly unlogged?: true
  /** After a failure it goes on in another way, so that only the rules of every state hold. */
  readonly goesOn?: true
}

const later: Opening = { hours: 1 }
const text = Array.from({ length: 70 }, (_, i) => `## Pier ${i}\n\nPier number ${i} has ${i} bollards.`).join(
  '\n\n',
)
// More than one transaction takes.
const many = Array.from({ length: 260 }, (_, i) => ({ content: `Boat number ${i} lies at the quay` }))

/** About files beside the store, which the port's calls say nothing of. */
type OfFiles = 'erase' | 'backup' | 'restoreBackup' | 'export' | 'import'

/** A call of each; what a backup brings is copied by pages, so that it is no transaction of statements. */
export const FILE_CASES: Readonly<Record<OfFiles, Case>> = {
  erase: {
    ...later,
    counts: true,
    goesOn: true,
    tells: true,
    // When nothing but its answer was missing.
    againRefused: 'NOT_FOUND',
    run: (memory, { a }) => memory.erase({ blockIds: [a], yes: true }),
  },
  backup: { ...later, run: (memory) => memory.backup() },
  restoreBackup: {
    ...later,
    counts: true,
    goesOn: true,
    // The memory is restored by then; that the log could not be written is said beside it (`restore-steps`).
    tells: true,
    run: (memory, { backup }) => memory.restoreBackup({ path: backup }),
  },
  export: { ...later, run: (memory) => memory.export() },
  import: {
    ...later,
    unlogged: true,
    run: (memory, { exported }) => memory.import({ path: exported, trusted: true }),
  },
}

/** A call of every operation; an operation that is new in the table needs one here, or this does not compile. */
export const CASES: Readonly<Record<Exclude<keyof typeof table, OfFiles>, Case>> = {
  remember: {
    ...later,
    run: (memory, { c }) =>
      memory.remember({ content: 'The pilot has a whistle', tags: ['pilot'], supersedes: c }),
  },
  rememberMany: { ...later, run: (memory) => memory.rememberMany({ blocks: many }) },
  importFrom: { ...later, run: (memory, { graph }) => memory.importFrom({ path: graph }) },
  learnDocument: { ...later, run: (memory) => memory.learnDocument({ text, source: 'piers.md' }) },
  decisions: { ...later, run: (memory) => memory.decisions({ limit: 5 }) },
  propose: {
    ...later,
    run: (memory) => memory.propose({ kind: 'value', content: 'I say when the ferry is late.' }),
  },
  decide: {
    ...later,
    run: async (memory) => {
      const content = 'I name the pier of each boat.'
      const { id } = await memory.propose({ kind: 'goal', content })
      await memory.decide({ id, choice: 'accept' })
    },
  },
  inbox: { ...later, run: (memory) => memory.inbox({ pairs: 5, pendingJudgement: 5, identity: true }) },
  dream: { ...later, run: (memory) => memory.dream() },
  recall: {
    ...later,
    counts: true,
    tells: true,
    run: async (memory) => {
      await memory.recall({ query: 'when does the red ferry come?' })
      // The next call waits for what is written behind the answer.
      await memory.shouldDream()
    },
  },
  outcome: {
    ...later,
    counts: true,
    run: (memory, { a, b, d, waiting }) => memory.outcome({ helped: [a, d, waiting], misled: [b] }),
  },
  recordUse: { ...later, counts: true, run: (memory, { a, d }) => memory.recordUse({ blockIds: [a, d] }) },
  connect: {
    ...later,
    againRefused: 'EDGE_EXISTS',
    run: (memory, { b, d }) =>
      memory.connect({ source: b, target: d, relation: 'supports', ifExists: 'update' }),
  },
  connectByQuery: {
    ...later,
    counts: true,
    run: (memory) =>
      memory.connectByQuery({
        sourceQuery: 'The pilot of the red ferry boards at dawn',
        targetQuery: 'The lamp of the harbour burns until dawn',
        relation: 'supports',
        ifExists: 'update',
        minConfidence: 0,
      }),
  },
  connects: {
    ...later,
    counts: true,
    run: (memory, { a, b, c, d }) =>
      memory.connects({
        edges: [
          { source: a, target: d, relation: 'supports', ifExists: 'update' },
          { source: b, target: c, relation: 'elaborates', ifExists: 'update' },
        ],
      }),
  },
  disconnect: { ...later, run: (memory, { a, c }) => memory.disconnect({ source: a, target: c }) },
  // So much later the weak fade.
  curate: { hours: 20_000, counts: true, run: (memory) => memory.curate() },
  edit: {
    ...later,
    run: (memory, { a }) => memory.edit({ blockId: a, content: 'The red ferry comes at six' }),
  },
  forget: { ...later, run: (memory, { a }) => memory.forget({ blockId: a, reason: 'no ferry any more' }) },
  restore: { ...later, run: (memory, { gone }) => memory.restore({ blockId: gone }) },
  resolve: {
    ...later,
    againRefused: 'NOT_FOUND',
    run: (memory, { older, newer }) => memory.resolve({ a: older, b: newer, keep: 'merge' }),
  },
  ls: { ...later, run: (memory) => memory.ls({}) },
  show: { ...later, run: (memory, { a }) => memory.show({ blockId: a }) },
  why: { ...later, run: (memory, { a }) => memory.why({ query: 'when does the red ferry come?', block: a }) },
  facets: { ...later, run: (memory) => memory.facets({}) },
  graph: { ...later, run: (memory) => memory.graph({}) },
  setup: { ...later, run: (memory) => memory.setup({ principles: ['Nobody drowns'], template: 'coding' }) },
  reembed: { ...later, dimensions: 48, run: (memory) => memory.reembed() },
  status: { ...later, run: (memory) => memory.status() },
  doctor: { ...later, counts: true, tells: true, run: (memory) => memory.doctor({ resolve: true }) },
  undo: { ...later, counts: true, run: (memory) => memory.undo() },
  history: { ...later, run: (memory) => memory.history({}) },
  diff: { ...later, run: (memory) => memory.diff({ from: '2000-01-01' }) },
  guide: { ...later, run: (memory) => memory.guide({}) },
}

/** What a memory does besides its operations. */
export const LIFETIME: Readonly<Record<string, Case>> = {
  items: {
    ...later,
    // Each put is another version.
    counts: true,
    run: async (memory) => {
      const items = memory.items('quay')
      const texts = ['The red boat lies at the quay.']
      await items.batch([
        { do: 'put', namespace: ['boats'], key: 'red', value: { place: 1 }, texts },
        { do: 'put', namespace: ['Boats'], key: 'red', value: { place: 1 }, texts },
      ])
      await items.batch([
        { do: 'delete', namespace: ['boats'], key: 'red' },
        { do: 'put', namespace: ['Boats'], key: 'red', value: 2, texts: ['The red boat has left.'] },
      ])
    },
  },
  settle: {
    ...later,
    run: (memory, { a, b }) =>
      memory.settle({
        ...{ conversation: 'mooring', message: '1', asked: 'How does one moor?' },
        blocks: [
          { id: a, content: 'The lock opens with code 8814.' },
          { id: b, content: 'The quay is called north_quay.' },
        ],
        did: [
          { kind: 'tool', tool: 'sh', input: 'moor', isCommand: true, ok: false },
          { kind: 'tool', tool: 'sh', input: 'open 8814', isCommand: true, ok: true },
          { kind: 'tool', tool: 'sh', input: 'moor', isCommand: true, ok: true },
        ],
        answer: 'It lies at north_quay.',
      }),
  },
  beginSession: { ...later, counts: true, run: (memory) => memory.beginSession({ taskType: 'mooring' }) },
  endSession: {
    ...later,
    counts: true,
    run: async (memory) => {
      await memory.beginSession({ taskType: 'mooring' })
      await memory.endSession()
    },
  },
  laterSession: {
    ...later,
    counts: true,
    tells: true,
    goesOn: true,
    run: async (memory) => {
      await memory.beginSession({ taskType: 'mooring' }).catch(() => undefined)
      await memory.remember({ content: 'The quay is wet' })
    },
  },
}
