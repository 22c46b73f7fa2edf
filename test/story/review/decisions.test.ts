import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../../helpers/memory.ts'

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
  await agent.propose({ kind: 'value', content: 'I say what I do not know.' })
  return house
}

test('decisions lists all kinds in one call or page by page, and status and dream count them', async () => {
  const { memory } = await everyKind()
  const { decisions, counts, total } = await memory.decisions({})
  const kinds = decisions.map(({ kind }) => kind)
  expect(kinds).toEqual(['proposal', 'contradiction', 'outdated'])
  expect(counts).toMatchObject({ proposal: 1, contradiction: 1, outdated: 1 })
  expect(total).toBe(3)
  for (const { choices } of decisions) expect(choices.length).toBeGreaterThan(1)
  const paged: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await memory.decisions({ limit: 1, ...(cursor === undefined ? {} : { cursor }) })
    paged.push(...page.decisions.map(({ id }) => id))
    cursor = page.cursor
    if (cursor === undefined) break
  }
  expect(paged).toEqual(decisions.map(({ id }) => id))
  expect(await memory.status({})).toMatchObject({ decisionsWaiting: 3, health: 'attention' })
  expect(await memory.dream({})).toMatchObject({ decisionsWaiting: 3 })
})

test('decide about words of the owner is refused to an agent', async () => {
  const { memory, agent } = await household()
  const { blockId } = await memory.remember({ content: TEN, sourceClass: 'user' })
  await memory.dream()
  await agent.remember({ content: ELEVEN, supersedes: blockId })
  await memory.dream()
  const { decisions } = await memory.decisions({ kind: 'supersession' })
  expect(decisions).toMatchObject([{ first: { id: blockId, content: TEN, isShown: true }, by: 'hint' }])
  const second = { id: decisions[0]!.id, choice: 'second' }
  expect(await refusal(agent.decide(second))).toMatchObject({ code: 'OWNER_ONLY' })
  await memory.decide(second)
  expect((await memory.show({ blockId })).block.status).toBe('archived')
})

test.each(['first', 'second', 'both'])(
  'decide with %s closes a pair, and undo opens it again',
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

test.each([
  ['second', 'archived'],
  ['both', 'active'],
] as const)('decide with %s ends the guess that a note is newer', async (choice, status) => {
  const { memory, clock, learn } = await household()
  const host = (name: string) =>
    `The staging database of the ledger lives at ${name}, user ledger, port 5432.`
  const [older] = await learn(host('pg-stage-03'), 'Tea is served at four.', 'Releases go out on Tuesdays.')
  clock.advance({ hours: 24 })
  const [newer] = await learn(host('pg-stage-07'))
  const { decisions, counts, total } = await memory.decisions({ kind: 'perhaps_newer' })
  const sides = { first: { id: older, isShown: true }, second: { id: newer, isShown: true } }
  expect(decisions).toMatchObject([{ kind: 'perhaps_newer', by: 'score', ...sides }])
  expect({ counts, total }).toMatchObject({ counts: { perhaps_newer: 1 }, total: 0 })
  expect(decisions[0]!.choices.map((each) => each.choice)).toEqual(['first', 'second', 'both'])
  await memory.decide({ id: decisions[0]!.id, choice })
  expect((await memory.decisions({ kind: 'perhaps_newer' })).decisions).toEqual([])
  expect((await memory.show({ blockId: older! })).block.status).toBe(status)
  await memory.undo({})
  expect((await memory.decisions({ kind: 'perhaps_newer' })).decisions).toEqual(decisions)
})

test('decide refuses wrong ids, wrong choices and missing words', async () => {
  const { memory } = await everyKind()
  const ids = (await memory.decisions({})).decisions.map(({ id }) => id)
  const [proposal = '', contradiction = '', outdated = ''] = ids
  for (const asked of [
    { id: 'nothing', choice: 'both' },
    { id: proposal, choice: 'maybe' },
    { id: contradiction, choice: 'both', words: 'Neither.' },
    { id: outdated, choice: 'correct' },
  ])
    expect(await refusal(memory.decide(asked))).toMatchObject({ code: 'INVALID_INPUT' })
  expect((await memory.decisions({})).decisions.map(({ id }) => id)).toEqual(ids)
})

test('decide with the mark of words that changed since is refused', async () => {
  const { memory, agent, learn } = await household()
  const [blockId] = await learn('Backups run at night.')
  const { id } = await agent.propose({ kind: 'class', blockId: blockId! })
  const [seen] = (await memory.decisions({ id })).decisions
  await agent.edit({ blockId: blockId!, content: 'Backups are switched off.' })
  const late = memory.decide({ id, choice: 'accept', mark: seen!.mark })
  expect(await refusal(late)).toMatchObject({ code: 'CONFLICT' })
  expect((await memory.show({ blockId: blockId! })).block.sourceClass).toBe('agent')
})
