import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'

/** Pairs of facts that a rule about looks takes for one. */
const DIFFERENT = [
  ['git branch -d removes a merged branch', 'git branch -D removes a merged branch'],
  ['The link carries 10 MB a second', 'The link carries 10 Mb a second'],
  ['Call getUser before login', 'Call GetUser before login'],
  ['Stage files with git add .', 'Stage files with git add'],
  ['The route is /posts/[id]', 'The route is /posts/{id}'],
  ['Close the gate at night', 'Close the gates at night'],
  ['Mia is on call', 'Mia was on call'],
  ['Ana reports to Ben', 'Ben reports to Ana'],
  ['root:\n  port: 80', 'root:\nport: 80'],
] as const

test('different facts that look alike are all remembered and all outlive a dream', async () => {
  const { memory, learn } = await openTestMemory()
  const ids = await learn(...DIFFERENT.flat())
  expect(new Set(ids).size).toBe(2 * DIFFERENT.length)
  const shown = await Promise.all(ids.map((blockId) => memory.show({ blockId })))
  expect(shown.map(({ block }) => [block.status, block.content])).toEqual(
    DIFFERENT.flat().map((content) => ['active', content]),
  )
})

test('many at once are kept apart and taken together as one after the other', async () => {
  const { memory } = await openTestMemory()
  const texts = [
    'Always call getUser first',
    'Always call GetUser first',
    '**Always call getUser first.**',
    'always call getuser first',
  ]
  const many = await memory.rememberMany({ blocks: texts.map((content) => ({ content })) })
  const { memory: other } = await openTestMemory()
  const single: { blockId: string; status: string }[] = []
  for (const content of texts) single.push(await other.remember({ content }))
  const told = (results: readonly { blockId: string; status: string }[]) =>
    results.map(({ blockId, status }) => [blockId, status])
  expect(told(many.results)).toEqual(told(single))
  expect(single.map(({ status }) => status)).toEqual(['created', 'created', 'duplicate', 'created'])
})

test('what says the same in another dress is found however it was dressed first, also after an edit', async () => {
  const { memory, learn } = await openTestMemory()
  const [id = ''] = await learn('**Note: The gate opens at six.**')
  expect(await memory.remember({ content: '- The gate opens at six' })).toMatchObject({
    status: 'duplicate',
    blockId: id,
  })
  await memory.edit({ blockId: id, content: 'The gate opens at seven' })
  expect((await memory.remember({ content: 'The gate opens at six' })).status).toBe('created')
  expect(await memory.remember({ content: 'Note: The gate opens at seven!' })).toMatchObject({ blockId: id })
})

test('a block keeps its id through export, import, archive and restore, whatever took its first one', async () => {
  const { memory, path } = await openTestMemory()
  const { blockId: first } = await memory.remember({ content: 'Call getUser first' })
  const { blockId: exact } = await memory.remember({ content: 'Call GetUser first' })
  await memory.dream()
  await memory.forget({ blockId: exact })
  const { blockId: later } = await memory.remember({ content: 'Call GetUser first' })
  expect(new Set([first, exact, later]).size).toBe(3)
  expect((await memory.restore({ blockId: exact })).sameAs).toBe(later)
  const file = `${path}.jsonl`
  await memory.export({ path: file })
  expect(readFileSync(file, 'utf8')).not.toContain('text_key')
  const { memory: empty } = await openTestMemory()
  await empty.import({ path: file, trusted: true })
  expect(await empty.remember({ content: 'Call GetUser first' })).toMatchObject({ status: 'duplicate' })
  expect((await empty.show({ blockId: exact })).block.content).toBe('Call GetUser first')
})

test('an import whose id is taken here by another text brings the block and all that names it', async () => {
  const there = await openTestMemory({ settings: { memory: { similarityEdgesPerBlock: 0 } } })
  const [upper = '', friend = '', gone = ''] = await there.learn(
    'Call GetUser first',
    'Roses need sun in the garden',
    'The kettle is blue',
  )
  await there.memory.connect({ source: upper, target: friend, relation: 'supports' })
  await there.memory.connect({ source: upper, target: gone, relation: 'elaborates' })
  await there.memory.outcome({ helped: [upper] })
  await there.memory.forget({ blockId: gone })
  const file = `${there.path}.jsonl`
  await there.memory.export({ path: file })

  const { memory, learn } = await openTestMemory()
  const [lower = ''] = await learn('Call getUser first')
  expect(lower).toBe(upper)
  await memory.import({ path: file, trusted: true })
  const { blocks } = await memory.ls({ limit: 9 })
  const brought = blocks.find(({ content }) => content === 'Call GetUser first')
  expect(brought?.id).not.toBe(lower)
  const shown = await memory.show({ blockId: brought!.id })
  expect(shown.edges).toMatchObject([{ other: friend, relation: 'supports' }])
  expect(shown.block.successes).toBeGreaterThan(0)
  expect((await memory.show({ blockId: lower })).block.content).toBe('Call getUser first')
  expect((await memory.show({ blockId: lower })).edges).toEqual([])
  await memory.restore({ blockId: gone })
  expect((await memory.show({ blockId: gone })).edges).toMatchObject([{ other: brought!.id }])
  expect((await memory.doctor()).checks.filter(({ outcome }) => outcome === 'fail')).toEqual([])
})

test('what an undo brings back is found by its text again', async () => {
  const { memory, learn } = await openTestMemory()
  const [id = ''] = await learn('The gate opens at six')
  await memory.edit({ blockId: id, content: 'The gate opens at seven' })
  await memory.undo()
  expect(await memory.remember({ content: '- The gate opens at six.' })).toMatchObject({ blockId: id })
})
