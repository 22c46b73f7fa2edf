import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'
import { miniLm } from '../helpers/minilm.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'

const SERVERS = ['staging', 'production', 'preview', 'canary', 'sandbox'].map(
  (name, i) => `The ${name} server of Atlas listens on port ${4210 + i}.`,
)
const RELEASES = [1, 2, 3, 4, 5, 6].map((n) => `Release ${n}.0 of Atlas shipped on ${n + 10} March.`)

async function learned(texts: readonly string[]) {
  const embedder = miniLm()
  const opened = await openTestMemory({ embedder })
  const ids = await opened.learn(...texts)
  return { ...opened, ids }
}

test.each([
  ['servers', SERVERS, (text: string) => `Which port does the ${text.split(' ')[1]} server listen on?`],
  ['releases', RELEASES, (text: string) => `When did release ${text.split(' ')[1]} ship?`],
] as const)(
  'each of %s that look alike is the first entry when the question names it',
  async (_, texts, ask) => {
    const { memory, ids } = await learned(texts)
    for (const [i, text] of texts.entries()) {
      const { blocks } = await memory.recall({ query: ask(text), reinforce: false })
      expect([text, blocks[0]?.id]).toEqual([text, ids[i]])
    }
  },
)

test('a question that names none of them gets all of them, the newest as an entry and a line for each other', async () => {
  const { memory, ids } = await learned(SERVERS)
  const { blocks, text } = await memory.recall({ query: 'Where do the servers of Atlas listen?' })
  const found = blocks.flatMap(({ id, versions = [] }) => [id, ...versions.map((version) => version.id)])
  expect(found.toSorted()).toEqual(ids.toSorted())
  for (const port of [4210, 4211, 4212, 4213, 4214]) expect(text).toContain(String(port))
})

test('with one entry alone the lines of its versions stay, and without room their number and ids do', async () => {
  const { memory, ids } = await learned(SERVERS)
  const query = 'Where do the servers of Atlas listen?'
  const { blocks, text } = await memory.recall({ query, topK: 1 })
  expect(blocks).toHaveLength(1)
  expect(text).toContain('\n↳ ')
  const short = await memory.recall({ query, topK: 1, tokenBudget: 50 })
  expect(short.budgetUsed).toBeLessThanOrEqual(50)
  const others = ids.filter((id) => id !== short.blockIds[0])
  expect(short.text).toMatch(/↳ \d versions: /)
  expect(others.some((id) => short.text.includes(id.slice(0, 8)))).toBe(true)
})

test('a budget too small for the ids of many versions still shows the newest, and the result has them all', async () => {
  const { memory } = await openTestMemory({ embedder: createPlacedEmbedder() })
  for (let room = 1; room <= 30; room++) await memory.remember({ content: `cake @0 is in room ${room}` })
  await memory.dream()
  const { text, blocks } = await memory.recall({ query: 'cake @0', tokenBudget: 60 })
  expect(blocks).toHaveLength(1)
  expect(text).toContain(blocks[0]?.content)
  expect(blocks[0]?.versions?.length).toBeGreaterThan(15)
})

test('versions are not used by being shown, can be reported, and a pasted frame with them is no copy', async () => {
  const { memory, ids } = await learned(SERVERS)
  const { blocks, text, blockIds } = await memory.recall({ query: 'Where do the servers of Atlas listen?' })
  const version = blocks.flatMap(({ versions = [] }) => versions)[0]
  expect(blockIds).not.toContain(version?.id)
  const before = (await memory.show({ blockId: version!.id })).block.reinforcementCount
  await memory.recall({ query: 'Where do the servers of Atlas listen?' })
  expect((await memory.show({ blockId: version!.id })).block.reinforcementCount).toBe(before)
  await memory.outcome({ helped: [version!.id] })
  expect((await memory.show({ blockId: version!.id })).block.successes).toBe(1)
  expect((await memory.remember({ content: text })).status).toBe('duplicate')
  expect((await memory.status()).activeCount).toBe(ids.length)
})

test('no date given by hand makes a statement newer than what is said after it', async () => {
  const embedder = miniLm()
  const { memory, clock } = await openTestMemory({ embedder })
  await memory.remember({ content: 'The staging server of Atlas listens on port 4210.', at: '9999-01-01' })
  clock.advance({ hours: 1 })
  const { blockId } = await memory.remember({ content: 'The staging server of Atlas listens on port 4300.' })
  await memory.dream()
  expect((await memory.recall({ query: 'Where does staging listen?' })).blockIds).toEqual([blockId])
})

test('of look-alikes the one that a question names by a date, a name or an option in its case is the first entry', async () => {
  const sets = [
    ['-d', '-D', '-a', '-A', '-l', '-L'].map((option) => [
      `The option ${option} of the orion tool sets a level.`,
      `What does ${option} of the orion tool do?`,
    ]),
    [1, 2, 3, 4, 5, 6].map((n) => [
      `On 2026-01-0${n} we deployed Orion.`,
      `What was deployed on 2026-01-0${n}?`,
    ]),
  ]
  for (const rows of sets) {
    const { memory, ids } = await learned(rows.map(([fact = '']) => fact))
    for (const [i, [, query = '']] of rows.entries()) {
      const { blockIds } = await memory.recall({ query, reinforce: false })
      expect([query, blockIds[0]]).toEqual([query, ids[i]])
    }
  }
})
