import { expect, test } from 'vitest'
import type { Memory } from '../../src/engine/memory.ts'
import { operations } from '../../src/operations/table.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { dumpOf } from './dump.ts'

interface Numbered {
  readonly operationId?: number | undefined
  readonly summary: string
}

interface Ids {
  readonly tea: string
  readonly milk: string
  readonly gate: string
}

/** One call for each operation that writes and that undo takes back. */
const CALLS: Readonly<Record<string, (memory: Memory, ids: Ids) => Promise<Numbered>>> = {
  remember: (memory) => memory.remember({ content: 'The boat leaves at nine.' }),
  rememberMany: (memory) =>
    memory.rememberMany({
      blocks: Array.from({ length: 300 }, (_, at) => ({ content: `Berth ${at} is free.` })),
    }),
  learnDocument: (memory) =>
    memory.learnDocument({
      text: Array.from(
        { length: 150 },
        (_, at) => `# Pier ${at}\n\nPier ${at} is ${'very '.repeat(60)}long.`,
      ).join('\n\n'),
    }),
  dream: (memory) => memory.dream(),
  outcome: (memory, { tea }) => memory.outcome({ helped: [tea] }),
  recordUse: (memory, { tea }) => memory.recordUse({ blockIds: [tea] }),
  connect: (memory, { tea, gate }) => memory.connect({ source: tea, target: gate, relation: 'supports' }),
  connectByQuery: (memory) =>
    memory.connectByQuery({
      sourceQuery: 'Tea is at four',
      targetQuery: 'The gate is green',
      relation: 'supports',
      minConfidence: 0,
    }),
  connects: (memory, { tea, gate }) => memory.connects({ edges: [{ source: tea, target: gate }] }),
  disconnect: (memory, { tea, milk }) => memory.disconnect({ source: tea, target: milk }),
  curate: (memory) => memory.curate(),
  edit: (memory, { tea }) => memory.edit({ blockId: tea, content: 'Tea is at five.' }),
  forget: (memory, { tea }) => memory.forget({ blockId: tea }),
  restore: (memory, { gate }) => memory.restore({ blockId: gate }),
  resolve: (memory, { tea, milk }) => memory.resolve({ a: tea, b: milk, keep: 'a' }),
  propose: (memory) => memory.propose({ kind: 'goal', content: 'Every boat comes home.' }),
  decide: async (memory) => {
    const { decisions } = await memory.decisions({ kind: 'proposal' })
    return memory.decide({ id: String(decisions[0]?.id), choice: 'accept' })
  },
  undo: (memory) => memory.undo(),
  setup: (memory) => memory.setup({ identity: 'I keep the harbour.' }),
}

/** What an operation has to find to have anything to do. */
const BEFORE: Readonly<Record<string, (memory: Memory, ids: Ids) => Promise<unknown>>> = {
  dream: (memory) => memory.remember({ content: 'The boat leaves at ten.' }),
  disconnect: (memory, { tea, milk }) => memory.connect({ source: tea, target: milk, relation: 'supports' }),
  restore: (memory, { gate }) => memory.forget({ blockId: gate }),
  decide: (memory) => memory.propose({ kind: 'goal', content: 'Every boat comes home.' }),
}

/** Their numbers are of other kinds, or they do nothing here; each has a test of its own. */
const ELSEWHERE = new Set(['importFrom', 'restoreBackup', 'doctor'])

const takenBack = operations.filter(({ effect, isLasting }) => effect !== 'read' && isLasting !== true)

async function opened() {
  const { memory, learn, path, clock } = await openTestMemory({
    settings: { memory: { autoDream: 'off', similarityEdgesPerBlock: 0 } },
  })
  const [tea, milk, gate] = await learn('Tea is at four.', 'Milk is in the fridge.', 'The gate is green.')
  const ids = { tea, milk, gate } as Ids
  return { memory, path, clock, ids }
}

test.for(takenBack.filter(({ name }) => !ELSEWHERE.has(name)).map(({ name }) => name))(
  'undo with the operationId of %s takes back exactly what it did',
  async (name) => {
    const { memory, path, ids, clock } = await opened()
    await BEFORE[name]?.(memory, ids)
    // A curation finds blocks that faded.
    if (name === 'curate') clock.advance({ hours: 5_000 })
    const before = dumpOf(path)
    const { operationId } = await CALLS[name]!(memory, ids)
    expect(operationId).toBeTypeOf('number')
    expect(dumpOf(path)).not.toEqual(before)
    await memory.remember({ content: 'Something else came meanwhile.' })
    await memory.undo({ operationId: operationId! })
    await memory.undo({
      operationId: (await memory.history({ operation: 'remember' })).operations.at(-1)!.id,
    })
    expect(dumpOf(path)).toEqual(before)
  },
)

test('a call that changed nothing has no operationId', async () => {
  const { memory, ids } = await opened()
  const answers: Numbered[] = [
    await memory.recall({ query: 'When is tea?' }),
    await memory.undo({ dryRun: true }),
    await memory.dream(),
    await memory.outcome({ helped: ['ffffffffffff'] }),
    await memory.setup({}),
    await memory.ls(),
  ]
  expect(answers.map(({ operationId }) => operationId)).toEqual(answers.map(() => undefined))
  await memory.forget({ blockId: ids.gate })
  expect((await memory.forget({ blockId: ids.gate })).operationId).toBeUndefined()
})
