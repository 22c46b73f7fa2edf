import { expect, test } from 'vitest'
import { openTestMemory, type TestMemory, type TestMemoryOptions } from '../helpers/memory.ts'
import { miniLm } from '../helpers/minilm.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'

const PLACED = () => ({ embedder: createPlacedEmbedder() })

/** A port that was changed 29 times, each time with a word of what it replaces; dreamt unless it is to wait. */
async function openChain({
  isWaiting = false,
  ...options
}: TestMemoryOptions & { isWaiting?: boolean } = {}) {
  const opened = await openTestMemory({ embedder: miniLm(), ...options })
  const ids: string[] = []
  for (let n = 0; n < 30; n++) {
    const content = `The staging server of Atlas listens on port ${4200 + n}.`
    const supersedes = ids.at(-1)
    const told = await opened.memory.remember({ content, ...(supersedes ? { supersedes } : {}) })
    opened.clock.advance({ hours: 1 })
    ids.push(told.blockId)
  }
  if (!isWaiting) await opened.memory.dream()
  return { ...opened, ids }
}

test.each([
  ['were dreamt', false],
  ['wait', true],
])(
  'of thirty that superseded one another and %s the newest is the entry and all others are its versions',
  async (_, isWaiting) => {
    const { memory, ids } = await openChain({ isWaiting })
    for (const query of [
      'Which port does staging use?',
      'The staging server of Atlas listens on port 4203.',
    ]) {
      const { blocks, dropped, counterpoints } = await memory.recall({ query, reinforce: false })
      expect(blocks.map(({ id }) => id)).toEqual([ids.at(-1)])
      expect(blocks[0]?.versions?.map(({ id }) => id)).toEqual(ids.slice(0, -1).toReversed())
      expect(new Set(blocks[0]?.versions?.map(({ why }) => why))).toEqual(new Set(['superseded']))
      expect([dropped, counterpoints]).toEqual([[], []])
    }
  },
)

test('of blocks said at one moment the one that supersedes the others is the newest', async () => {
  for (const topic of ['river', 'bridge', 'market', 'harbour', 'tower', 'garden']) {
    const { memory } = await openTestMemory()
    const ids: string[] = []
    for (const hour of [3, 4, 5, 6]) {
      const content = `The ${topic} closes at ${hour} in the afternoon`
      const supersedes = ids.at(-1)
      ids.push((await memory.remember({ content, ...(supersedes ? { supersedes } : {}) })).blockId)
    }
    const { blocks } = await memory.recall({ query: `when does the ${topic} close` })
    expect(blocks.map(({ id }) => id)).toEqual([ids.at(-1)])
  }
})

test('a superseded block is called so until the next took its place, though a rule finds that the two contradict', async () => {
  const { memory, clock } = await openTestMemory()
  let supersedes: string | undefined
  for (const port of [4210, 4211, 4212]) {
    const content = `The staging server listens on port ${port}`
    supersedes = (await memory.remember({ content, ...(supersedes ? { supersedes } : {}) })).blockId
    clock.advance({ hours: 24 })
  }
  expect((await memory.dream()).conflicts.map(({ kind }) => kind)).toContain('contradiction')
  const { text } = await memory.recall({ query: 'Which port does the staging server listen on?' })
  const day = (n: number) => new Date(clock.now() - n * 86_400_000).toISOString().slice(0, 10)
  expect(text).toContain(`↳ before, until ${day(1)}: The staging server listens on port 4211`)
  expect(text).toContain(`↳ before, until ${day(2)}: The staging server listens on port 4210`)
})

test('of thirty that read alike and are not told apart the newest is found, whichever match best', async () => {
  const { memory, clock } = await openTestMemory(PLACED())
  const ids: string[] = []
  for (let n = 0; n < 30; n++) {
    ids.push((await memory.remember({ content: `cake @${n % 9} is in room ${n}` })).blockId)
    clock.advance({ minutes: 1 })
  }
  await memory.dream()
  const { blocks, blockIds } = await memory.recall({ query: 'cake room' })
  expect(blockIds).toEqual([ids.at(-1)])
  expect(blocks[0]?.versions?.map(({ id }) => id)).toEqual(ids.slice(0, -1).toReversed())
})

test('versions beyond the most that an entry names are counted, and those that were found are called dropped', async () => {
  const { memory, ids } = await openChain({ settings: { recall: { versionsMost: 4 } } })
  const { blocks, dropped, note } = await memory.recall({ query: 'Which port does staging use?' })
  expect(blocks).toMatchObject([{ id: ids.at(-1), moreVersions: 25 }])
  expect(blocks[0]?.versions).toHaveLength(4)
  expect(new Set(dropped.map(({ reason }) => reason))).toEqual(new Set(['versions']))
  expect(note).toContain('Left out: 25 further versions.')
})

test('the versions that a question names most are among those told, in their order, and they are no copies when pasted', async () => {
  const { memory, ids, store } = await openChain({ settings: { recall: { versionsMost: 4 } } })
  const query = 'Did the staging server of Atlas ever listen on port 4203 or on port 4205?'
  const { blocks, text } = await memory.recall({ query, reinforce: false })
  expect(blocks[0]?.versions?.map(({ id }) => id)).toEqual([ids[28], ids[27], ids[5], ids[3]])
  expect(text).toContain('port 4203')
  expect((await memory.remember({ content: text })).status).toBe('duplicate')
  expect((await store.read((tx) => tx.counts())).active).toBe(ids.length)
})

test('what only a rule found superseded is an entry where the question names it, and else a line under the newer', async () => {
  const { memory, clock } = await openTestMemory({ embedder: miniLm() })
  const before = await memory.remember({ content: 'The choir of Lund meets on Mondays in the hall.' })
  clock.advance({ hours: 1 })
  const after = await memory.remember({ content: 'The choir of Lund now meets on Fridays in the hall.' })
  expect((await memory.dream()).conflicts).toMatchObject([
    { kind: 'supersession', foundBy: 'rule:supersession' },
  ])
  const asked = await memory.recall({ query: 'Which choir meets on Mondays?', reinforce: false })
  expect(asked.blockIds).toEqual([before.blockId, after.blockId])
  const { blocks, text, note } = await memory.recall({ query: 'choir of Lund', reinforce: false })
  expect(blocks).toMatchObject([{ id: after.blockId, versions: [{ id: before.blockId, why: 'earlier' }] }])
  expect(text).toContain('↳ earlier: ')
  expect(note).toContain('Set apart: 1 older version.')
})

test('each of many things that were changed alike is found first by its number', async () => {
  const { memory, learn } = await openTestMemory({ embedder: miniLm() })
  const meetings = Array.from({ length: 20 }, (_, i) => i + 1)
  const ids = await learn(
    ...meetings.map((n) => `Meeting ${n} of the board was moved to slot ${n * 2 + 100}.`),
  )
  for (const n of meetings) {
    const { blockIds } = await memory.recall({
      query: `To which slot was meeting ${n} moved?`,
      reinforce: false,
    })
    expect([n, blockIds[0]]).toEqual([n, ids[n - 1]])
  }
})

test('the note counts what is set apart by its kind', async () => {
  const { memory, clock } = await openTestMemory(PLACED())
  const old = await memory.remember({ content: 'cake @0 is in room 1' })
  clock.advance({ hours: 1 })
  await memory.remember({ content: 'cake @0 is in room 2', supersedes: old.blockId })
  clock.advance({ hours: 1 })
  for (const room of [3, 4]) await memory.remember({ content: `cake @9 was in room ${room}` })
  await memory.dream()
  expect((await memory.recall({ query: 'cake' })).note).toContain(
    'Set apart: 1 older version, 2 that read alike.',
  )
})

test('two entries that contradict each other are called so', async () => {
  const { memory, learn } = await openTestMemory({ embedder: miniLm() })
  const said = ['The old bridge is safe for trucks.', 'The old bridge is closed to trucks since the flood.']
  const [source = '', target = ''] = await learn(...said)
  await memory.connect({ source, target, relation: 'contradicts', ifExists: 'update' })
  const { blockIds, note, text } = await memory.recall({
    query: 'is the old bridge safe for trucks, or closed?',
  })
  expect(new Set(blockIds)).toEqual(new Set([source, target]))
  const [one = '', other = ''] = blockIds.map((id) => id.slice(0, 8))
  expect(note).toContain(`${one} and ${other} contradict each other.`)
  expect(await memory.remember({ content: `${text}\n${note}` })).toMatchObject({ status: 'duplicate' })
})

test('a filter keeps versions away that do not pass it', async () => {
  const { memory } = await openTestMemory(PLACED())
  const old = await memory.remember({ content: 'cake @0 is in room 1', tags: ['plan'] })
  await memory.remember({ content: 'cake @0 is in room 2', supersedes: old.blockId })
  await memory.dream()
  expect((await memory.recall({ query: 'cake @0', tags: ['plan'] })).blockIds).toEqual([old.blockId])
})

test('under who the agent is stand no words without an identity tag, only the id of what was replaced', async () => {
  const { memory, clock } = await openTestMemory(PLACED())
  const old = await memory.remember({ content: 'cake @0 is what I bake on Mondays' })
  clock.advance({ hours: 1 })
  const said = await memory.remember({
    content: 'cake @0 is what I bake on Fridays',
    tags: ['self/style'],
    supersedes: old.blockId,
  })
  await memory.dream()
  const { text, blocks } = await memory.recall({ frame: 'simulate', query: 'cake @0' })
  expect(blocks).toMatchObject([{ id: said.blockId, versions: [{ id: old.blockId }] }])
  expect(text).not.toContain('Mondays')
  expect(text).toContain(`↳ 1 version: ${old.blockId.slice(0, 8)}`)
})

async function openMany(): Promise<TestMemory & { readonly ids: string[] }> {
  const opened = await openTestMemory()
  const kinds = ['apple', 'cherry', 'lemon', 'carrot', 'cheese', 'poppy', 'almond', 'plum']
  const ids = await opened.learn(...kinds.map((kind) => `${kind} cake`))
  return { ...opened, ids }
}

test('what was left out stands in one line with the reason', async () => {
  const { memory } = await openMany()
  expect((await memory.recall({ query: 'cake', topK: 3 })).note).toContain('Left out: 5 beyond the limit')
  const short = await memory.recall({ query: 'cake', topK: 8, tokenBudget: 32 })
  const beyond = 8 - short.blocks.length
  expect(beyond).toBeGreaterThan(1)
  expect(short.note).toContain(`Left out: ${beyond} beyond the budget`)
  expect(short.summary).toContain(`Left out: ${beyond} beyond the budget`)
})

test('versions of an entry without room are left out with it, none silently', async () => {
  const { memory, learn } = await openTestMemory(PLACED())
  const others = await learn('tea @0 is green', 'cake @0 in room 1', 'cake @0 in room 2', 'cake @0 in room 3')
  const { blockIds, dropped } = await memory.recall({ query: 'tea @0 cake', tokenBudget: 24 })
  expect(blockIds).toHaveLength(1)
  expect([...blockIds, ...dropped.map(({ id }) => id)].toSorted()).toEqual(others.toSorted())
})

test('a filter that nothing passes is named, with how many blocks there are without it', async () => {
  const { memory } = await openMany()
  const noteFor = async (filter: Parameters<typeof memory.recall>[0]) =>
    (await memory.recall({ query: 'cake', ...filter })).note
  expect(await noteFor({ tags: ['pear'] })).toBe(
    'No block of the frame attention has the tag pear; 8 without.',
  )
  expect(await noteFor({ category: 'pear' })).toBe(
    'No block of the frame attention has the category pear; 8 without.',
  )
  expect(await noteFor({ session: 'pear' })).toBe(
    'No block of the frame attention has the session pear; 8 without.',
  )
  await memory.remember({ content: 'pie @0', tags: ['pear'] })
  await memory.remember({ content: 'jam @0', category: 'decision' })
  await memory.dream()
  expect(await noteFor({ tags: ['pear'], category: 'decision' })).toBe(
    'No block of the frame attention has the tag pear and the category decision; 10 without.',
  )
  await memory.remember({ content: 'I bake @0', tags: ['self/value'] })
  expect(await noteFor({ frame: 'world', tags: ['self/*'] })).toBe(
    'No block of the frame world has the tag self/*; 10 without.',
  )
})

test('an empty answer says why it is empty', async () => {
  const { memory } = await openTestMemory(PLACED())
  expect((await memory.recall({ query: 'cake' })).summary).toContain('nothing can be recalled yet')
  await memory.remember({ content: 'cake @0 is sweet' })
  await memory.dream()
  expect((await memory.recall({ frame: 'self' })).summary).toContain('none of 1 block belongs to it')
})

test('a recall without a question counts no use and joins no pairs', async () => {
  const { memory, store, ids } = await openMany()
  const edges = async () => (await memory.graph({})).edges
  const before = await edges()
  for (const query of [undefined, '  '])
    expect((await memory.recall(query === undefined ? {} : { query })).blocks.length).toBeGreaterThan(2)
  for (const id of ids) expect((await memory.show({ blockId: id })).block.reinforcementCount).toBe(1)
  expect(await edges()).toEqual(before)
  expect((await store.read((tx) => tx.counts())).stagedPairs).toBe(0)
})

test('who the agent is stays fresh by being shown without a question, and so do goals at work', async () => {
  const { memory, clock, learn } = await openTestMemory(PLACED())
  const value = await memory.remember({ content: 'cake @0 is what I value', tags: ['self/value'] })
  const goal = await memory.remember({ content: 'tea @0 is the goal', tags: ['self/goal'] })
  const [plain = ''] = await learn('jam @0 is in the cellar')
  clock.advance({ hours: 50 })
  const freshness = async (blockId: string) => (await memory.show({ blockId })).block.lastReinforcedAt
  const before = await Promise.all([value.blockId, goal.blockId, plain].map(freshness))
  await memory.recall({ frame: 'self' })
  await memory.recall({ frame: 'task' })
  const after = await Promise.all([value.blockId, goal.blockId, plain].map(freshness))
  expect(after[0]).toBeGreaterThan(before[0] as number)
  expect(after[1]).toBeGreaterThan(before[1] as number)
  expect(after[2]).toBe(before[2])
})

test('what was shown without a question is known when it is pasted back', async () => {
  const { memory } = await openMany()
  const { text } = await memory.recall({ frame: 'task' })
  expect((await memory.remember({ content: text })).status).toBe('duplicate')
})
