import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../helpers/memory.ts'

const TEN = 'The ferry to Brannoch leaves at ten.'
const ELEVEN = 'The ferry to Brannoch leaves at eleven.'

/** An owner and an agent of one memory. */
async function household() {
  const owner = await openTestMemory({ as: 'owner' })
  const { path, clock, embedder } = owner
  const agent = await openTestMemory({ path, clock, embedder, as: 'agent' })
  return { ...owner, agent: agent.memory }
}

/** Of each kind that is found without a model one. */
async function everyKind() {
  const house = await household()
  const { memory, agent, learn } = house
  await learn(TEN, ELEVEN)
  const { blockId: tea } = await memory.remember({ content: 'Tea is served at four.' })
  await memory.remember({ content: 'The kitchen closes after tea.', derivedFrom: [tea] })
  await memory.dream()
  await memory.edit({ blockId: tea, validUntil: '2026-03-01' })
  await agent.remember({ content: 'Prices rise in May.', sourceClass: 'document' })
  await agent.propose({ kind: 'value', content: 'I say what I do not know.' })
  return house
}

test('all that waits for a person comes from one call, what only a person settles first', async () => {
  const { memory } = await everyKind()
  const { decisions, counts, total } = await memory.decisions({})
  const kinds = decisions.map(({ kind }) => kind)
  expect(kinds).toEqual(['proposal', 'contradiction', 'outdated', 'waiting', 'unnamed'])
  expect(counts).toMatchObject({ proposal: 1, contradiction: 1, outdated: 1, waiting: 1, unnamed: 1 })
  expect(total).toBe(3)
  for (const { choices, sentence } of decisions) {
    expect(choices.length).toBeGreaterThan(1)
    expect(sentence).toMatch(/^.+\.$/)
  }
})

test('pages of one decision list the same as one page of all', async () => {
  const { memory } = await everyKind()
  const listed: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await memory.decisions({ limit: 1, ...(cursor === undefined ? {} : { cursor }) })
    listed.push(...page.decisions.map(({ id }) => id))
    cursor = page.cursor
    if (cursor === undefined) break
  }
  expect(listed).toEqual((await memory.decisions({})).decisions.map(({ id }) => id))
  expect(await refusal(memory.decisions({ cursor: 'nonsense' }))).toMatchObject({ code: 'INVALID_INPUT' })
})

test('both sides stand in full, with who speaks, and which of them recall shows meanwhile', async () => {
  const { memory, learn } = await household()
  await learn(TEN, ELEVEN)
  const { decisions } = await memory.decisions({ kind: 'contradiction' })
  const [{ first, second } = {}] = decisions
  expect([first?.content, second?.content].sort()).toEqual([ELEVEN, TEN])
  expect(first).toMatchObject({ speaker: 'agent', belief: 0.5, edges: 1 })
  const { blocks } = await memory.recall({
    query: 'When does the ferry to Brannoch leave?',
    reinforce: false,
  })
  const entries = blocks.map(({ id }) => id)
  for (const side of [first, second]) expect(side?.isShown).toBe(entries.includes(side?.id ?? ''))
})

test('words of an agent that are to replace the owner’s are one decision more, and the owner’s words stay shown', async () => {
  const { memory, agent } = await household()
  const { blockId } = await memory.remember({ content: TEN, sourceClass: 'user' })
  await memory.dream()
  await agent.remember({ content: ELEVEN, supersedes: blockId })
  await memory.dream()
  const { decisions } = await memory.decisions({ kind: 'supersession' })
  expect(decisions).toHaveLength(1)
  expect(decisions[0]).toMatchObject({ first: { id: blockId, isShown: true }, by: 'hint' })
  expect(decisions[0]?.choices.find(({ choice }) => choice === 'second')).toMatchObject({ owner: true })
  expect(await refusal(agent.decide({ id: decisions[0]!.id, choice: 'second' }))).toMatchObject({
    code: 'OWNER_ONLY',
    recovery: expect.stringContaining("as: 'owner'"),
  })
  await memory.decide({ id: decisions[0]!.id, choice: 'second' })
  expect((await memory.show({ blockId })).block.status).toBe('archived')
})

test.each(['first', 'second', 'both', 'merge'])(
  'a pair is decided by %s, and undo brings it back',
  async (choice) => {
    const { memory, learn } = await household()
    await learn(TEN, ELEVEN)
    const before = (await memory.decisions({ kind: 'contradiction' })).decisions
    await memory.decide({ id: before[0]!.id, choice })
    expect((await memory.decisions({ kind: 'contradiction' })).decisions).toEqual([])
    await memory.undo({})
    expect((await memory.decisions({ kind: 'contradiction' })).decisions).toEqual(before)
  },
)

test('a decision is found by beginnings of its ids, and by the key of a choice', async () => {
  const { memory, learn } = await household()
  await learn(TEN, ELEVEN)
  const [{ first, second } = {}] = (await memory.decisions({})).decisions
  const id = `contradiction:${second?.id.slice(0, 8)}:${first?.id.slice(0, 8)}`
  expect((await memory.decisions({ id })).decisions).toHaveLength(1)
  await memory.decide({ id, choice: '1' })
  expect((await memory.show({ blockId: second!.id })).block.status).toBe('archived')
  expect(await refusal(memory.decide({ id, choice: '1' }))).toMatchObject({ code: 'NOT_FOUND' })
})

test('what is no id, no choice, or lacks words is refused, and nothing is decided', async () => {
  const { memory, agent, learn } = await household()
  await learn(TEN, ELEVEN)
  await agent.remember({ content: 'Prices rise in May.', sourceClass: 'document' })
  const ids = (await memory.decisions({})).decisions.map(({ id }) => id)
  const waiting = ids.find((id) => id.startsWith('waiting'))!
  const refused = [
    { id: 'nothing', choice: 'both' },
    { id: ids[0]!, choice: 'maybe' },
    { id: ids[0]!, choice: 'both', words: 'Neither.' },
    { id: waiting, choice: 'correct' },
  ]
  for (const asked of refused)
    expect(await refusal(memory.decide(asked))).toMatchObject({ code: 'INVALID_INPUT' })
  expect((await memory.decisions({})).decisions.map(({ id }) => id)).toEqual(ids)
})

test('who decided by words that were changed meanwhile is told so', async () => {
  const { memory, agent, learn } = await household()
  const [blockId] = await learn('Backups run at night.')
  const { id } = await agent.propose({ kind: 'class', blockId: blockId! })
  const [seen] = (await memory.decisions({ id })).decisions
  await agent.edit({ blockId: blockId!, content: 'Backups are switched off.' })
  const late = await refusal(memory.decide({ id, choice: 'accept', mark: seen!.mark }))
  expect(late).toMatchObject({ code: 'CONFLICT' })
  expect((await memory.show({ blockId: blockId! })).block.sourceClass).toBe('agent')
})

test('a waiting block of others is taken in, corrected or refused', async () => {
  const { memory, agent } = await household()
  const remember = async (content: string) =>
    (await agent.remember({ content, sourceClass: 'document' })).blockId
  const statusOf = async (blockId: string) => (await memory.show({ blockId })).block
  const [refused, kept] = [await remember('Prices rise in May.'), await remember('The shop closes at nine.')]
  await memory.decide({ id: `waiting:${refused}`, choice: 'refuse', reason: 'An advert.' })
  expect(await statusOf(refused)).toMatchObject({ status: 'archived' })
  await memory.decide({ id: `waiting:${kept}`, choice: 'correct', words: 'The shop closes at eight.' })
  expect(await statusOf(kept)).toMatchObject({ status: 'inbox', content: 'The shop closes at eight.' })
  await memory.decide({ id: `waiting:${kept}`, choice: 'dream' })
  expect(await statusOf(kept)).toMatchObject({ status: 'active' })
})

test('who names how two blocks relate takes nothing in that waits', async () => {
  const { memory, store, learn } = await household()
  const [a, b] = (await learn('Tea is served at four.', 'Tea comes with bread and butter.')) as [
    string,
    string,
  ]
  await store.write((tx) => tx.queueUnlabelled([{ from: a, to: b, cosine: 0.8 }], 9))
  await memory.remember({ content: 'The bakery delivers bread.' })
  const [asked] = (await memory.decisions({ kind: 'unnamed' })).decisions
  await memory.decide({ id: asked!.id, choice: 'elaborates' })
  expect((await memory.decisions({ kind: 'unnamed' })).decisions).toEqual([])
  expect((await memory.inbox({})).blocks).toHaveLength(1)
})

test('a block on outdated ground holds all the same when the owner says so', async () => {
  const { memory } = await everyKind()
  const [outdated] = (await memory.decisions({ kind: 'outdated' })).decisions
  expect(outdated).toMatchObject({ second: { content: 'Tea is served at four.' } })
  await memory.decide({ id: outdated!.id, choice: 'holds' })
  expect((await memory.decisions({ kind: 'outdated' })).decisions).toEqual([])
  expect((await memory.show({ blockId: outdated!.first!.id })).block.status).toBe('active')
})

test('status and dream say how many decisions wait, and that the memory wants its owner', async () => {
  const { memory } = await everyKind()
  const told = await memory.status({})
  expect(told).toMatchObject({ decisionsWaiting: 3, health: 'attention' })
  expect(told.summary).toContain('3 decisions wait for the owner.')
  expect(await memory.dream({})).toMatchObject({ decisionsWaiting: 3 })
})
