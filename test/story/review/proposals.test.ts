import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../../helpers/memory.ts'

const VALUE = 'I say what I do not know.'

async function household() {
  const owner = await openTestMemory({ as: 'owner' })
  const { path, clock, embedder } = owner
  const agent = await openTestMemory({ path, clock, embedder, as: 'agent' })
  return { ...owner, agent: agent.memory }
}

test('propose changes nothing until decide accepts it', async () => {
  const { memory, agent } = await household()
  const { id, status } = await agent.propose({ kind: 'principle', content: VALUE, reason: 'Asked often.' })
  expect(status).toBe('proposed')
  await memory.dream()
  expect((await memory.recall({ frame: 'self', reinforce: false })).text).not.toContain(VALUE)
  const [asked] = (await memory.decisions({ kind: 'proposal' })).decisions
  expect(asked).toMatchObject({ id, change: { after: VALUE }, reason: 'Asked often.', by: 'library' })
  const { blockId } = await memory.decide({ id, choice: 'accept' })
  const { block } = await memory.show({ blockId: blockId! })
  expect(block).toMatchObject({ content: VALUE, sourceClass: 'user' })
  expect(block.tags).toContain('self/constitutional')
  await memory.dream()
  expect((await memory.recall({ frame: 'self', reinforce: false })).text).toContain(VALUE)
})

test('propose of the same again answers how it was decided', async () => {
  const { memory, agent } = await household()
  const { id } = await agent.propose({ kind: 'goal', content: 'I finish the tax form.' })
  expect(await agent.propose({ kind: 'goal', content: 'I finish the tax form.' })).toMatchObject({
    id,
    status: 'open',
  })
  await memory.decide({ id, choice: 'refuse', reason: 'That is mine to do.' })
  const again = await agent.propose({ kind: 'goal', content: 'I finish the tax form.' })
  expect(again).toMatchObject({ id, status: 'refused', answer: 'That is mine to do.' })
  const { decisions } = await agent.decisions({ state: 'refused' })
  expect(decisions).toMatchObject([{ id, answer: 'That is mine to do.', choices: [] }])
  expect((await memory.decisions({})).total).toBe(0)
})

test('decide accepts a rewording with other words, and undo takes both back', async () => {
  const { memory, agent } = await household()
  const { blockIds } = await memory.setup({ principles: ['I am honest.'] })
  const blockId = blockIds[0]!
  await memory.dream()
  const { id } = await agent.propose({
    kind: 'rewording',
    blockId,
    content: 'I am honest, also with myself.',
  })
  await memory.decide({ id, choice: 'change', words: 'I am honest with everybody.' })
  expect((await memory.show({ blockId })).block).toMatchObject({ content: 'I am honest with everybody.' })
  expect((await memory.decisions({ state: 'accepted' })).decisions).toHaveLength(1)
  await memory.undo({})
  expect((await memory.show({ blockId })).block).toMatchObject({ content: 'I am honest.' })
  expect((await memory.decisions({ kind: 'proposal' })).decisions).toMatchObject([{ id, state: 'open' }])
})

/** A principle, and a way for an agent to report that it misled. */
async function misleading() {
  const house = await household()
  const { memory, agent, clock } = house
  const [blockId = ''] = (await memory.setup({ principles: ['I am brief.'] })).blockIds
  await memory.dream()
  const mislead = async (times: number) => {
    for (let i = 0; i < times; i++) {
      clock.advance({ minutes: 5 })
      await agent.outcome({ misled: [blockId], source: `task ${i}` })
    }
  }
  const asked = async () => (await memory.decisions({ kind: 'proposal' })).decisions
  return { ...house, blockId, mislead, asked }
}

test('outcome that a principle misled asks for other words at the third report, once, and undo takes that back', async () => {
  const { memory, blockId, mislead, asked } = await misleading()
  await mislead(2)
  expect(await asked()).toEqual([])
  await mislead(1)
  const [found, ...more] = await asked()
  expect([found, more]).toMatchObject([{ by: 'rule', first: { id: blockId, misled: 0 } }, []])
  expect(found).not.toHaveProperty('change')
  expect(found?.choices.map(({ choice }) => choice)).toEqual(['change', 'refuse'])
  await memory.undo({})
  expect(await asked()).toEqual([])
  await mislead(2)
  expect(await asked()).toHaveLength(1)
})

test('decide gives a misleading principle words, and the count begins anew', async () => {
  const { memory, blockId, mislead, asked, clock } = await misleading()
  await mislead(3)
  const id = (await asked())[0]!.id
  clock.advance({ minutes: 5 })
  await memory.decide({ id, choice: 'change', words: 'I am brief where that is enough.' })
  const change = { after: 'I am brief where that is enough.' }
  const accepted = async () => (await memory.decisions({ state: 'accepted' })).decisions
  expect(await accepted()).toMatchObject([{ id, change }])
  await mislead(2)
  expect(await asked()).toEqual([])
  await mislead(1)
  expect(await asked()).toHaveLength(1)
  const content = 'I am brief to those in a hurry.'
  await memory.propose({ kind: 'rewording', blockId, content })
  expect(await asked()).toMatchObject([{ change: { after: content }, reason: expect.any(String) }])
})

test('decide can make words of a document the words of the owner', async () => {
  const { memory, agent } = await household()
  const { blockId } = await agent.remember({ content: 'Prices rise in May.', sourceClass: 'document' })
  const { id } = await agent.propose({ kind: 'class', blockId })
  await memory.decide({ id, choice: 'accept' })
  expect((await memory.show({ blockId })).block.sourceClass).toBe('user')
})

test('propose without a change is refused', async () => {
  const { memory, agent } = await household()
  const { blockId } = await memory.remember({ content: VALUE, sourceClass: 'user' })
  const asked = [
    { kind: 'value' },
    { kind: 'value', blockId, content: VALUE },
    { kind: 'rewording', content: VALUE },
    { kind: 'rewording', blockId, content: VALUE },
    { kind: 'class', blockId },
    { kind: 'class', blockId, content: VALUE },
  ] as const
  for (const each of asked)
    expect(await refusal(agent.propose(each))).toMatchObject({ code: 'INVALID_INPUT' })
  expect((await memory.decisions({})).decisions).toEqual([])
})

test('propose beyond limits.openProposals is refused', async () => {
  const { memory } = await openTestMemory({ settings: { limits: { openProposals: 2 } } })
  await memory.propose({ kind: 'value', content: 'One.' })
  await memory.propose({ kind: 'value', content: 'Two.' })
  const third = memory.propose({ kind: 'value', content: 'Three.' })
  expect(await refusal(third)).toMatchObject({ code: 'LIMIT_EXCEEDED' })
})

test('erase removes proposals about the erased block', async () => {
  const { memory, agent, path } = await household()
  const { blockId } = await agent.remember({ content: 'The safe code is Quinzelworthy.' })
  await agent.propose({ kind: 'rewording', blockId, content: 'The code Quinzelworthy opens the safe.' })
  const { id } = await agent.propose({ kind: 'value', content: VALUE })
  await memory.erase({ blockIds: [blockId], yes: true })
  expect((await memory.decisions({})).decisions).toMatchObject([{ id }])
  expect(readFileSync(path).includes('Quinzelworthy')).toBe(false)
})

test('decisions in a scope lists proposals of that scope', async () => {
  const { memory, agent } = await household()
  await agent.propose({ kind: 'value', content: VALUE, scope: 'atlas' })
  await agent.propose({ kind: 'value', content: VALUE, scope: 'borea' })
  const seen = async (scope?: string) =>
    (await memory.decisions({ kind: 'proposal', ...(scope === undefined ? {} : { scope }) })).decisions.length
  expect([await seen('atlas'), await seen('borea'), await seen('other'), await seen()]).toEqual([1, 1, 0, 2])
})
