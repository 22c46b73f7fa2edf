import { expect, test } from 'vitest'
import { operations } from '../../src/operations/table.ts'
import { openTestMemory } from '../helpers/memory.ts'

const rendered = (name: string, output: unknown) =>
  operations.find((each) => each.name === name)?.render(output as never) ?? ''

/** Four blocks, two of which elaborate another one, in both orders of their ids. */
async function elaborated() {
  const opened = await openTestMemory({ settings: { memory: { similarityEdgesPerBlock: 0 } } })
  const [a = '', b = '', c = '', d = ''] = await opened.learn(
    'The dam opens at four metres.',
    'The spillway was cracked in 1998.',
    'The bakery closes at noon.',
    'Ferries leave every hour.',
  )
  for (const [source, target] of [
    [a, b],
    [d, c],
  ] as const)
    await opened.memory.connect({ source, target, relation: 'elaborates' })
  return { ...opened, pairs: [[a, b] as const, [d, c] as const] }
}

test('diff names the ends of a relation in the order in which it was said', async () => {
  const { memory, pairs } = await elaborated()
  const { connected } = await memory.diff({ from: '2020-01-01' })
  for (const [from, to] of pairs) expect(connected).toContainEqual(expect.objectContaining({ from, to }))
})

test('show and graph tell from each end which of the two it was said of', async () => {
  const { memory, pairs } = await elaborated()
  for (const [source, target] of pairs) {
    const [one, other] = [await memory.show({ blockId: source }), await memory.show({ blockId: target })]
    expect([one, other].map(({ edges }) => edges[0]?.declaredBy)).toEqual([source, source])
    expect(rendered('show', one)).toMatch(/^ *elaborates /m)
    expect(rendered('show', other)).toMatch(/^ *← elaborates /m)
    expect(rendered('graph', await memory.graph({ blockId: source }))).toContain('─ elaborates ')
    expect(rendered('graph', await memory.graph({ blockId: target }))).toContain('─ ← elaborates ')
  }
})
