import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../../helpers/memory.ts'
import { statements } from '../../helpers/words.ts'

const UNJOINED = { memory: { similarityEdgesPerBlock: 0 } }

/** A chain of blocks, each joined to the next. */
async function openChain(n: number) {
  const opened = await openTestMemory({ settings: UNJOINED })
  const ids = await opened.learn(...statements(n))
  for (const [at, source] of ids.slice(0, -1).entries())
    await opened.memory.connect({ source, target: ids[at + 1] as string, relation: 'supports' })
  return { ...opened, ids }
}

test('graph of a block goes as many steps as depth says', async () => {
  const { memory, ids } = await openChain(5)
  const [first = '', second = '', third = ''] = ids
  const one = await memory.graph({ blockId: first.slice(0, 8), depth: 1 })
  expect(one).toMatchObject({
    root: first,
    truncated: false,
    edges: [{ relation: 'supports', origin: 'agent' }],
  })
  expect(one.nodes.map(({ id }) => id)).toEqual([first, second])
  const two = await memory.graph({ blockId: first })
  expect(two.nodes.map(({ id }) => id)).toEqual([first, second, third])
  expect((await memory.graph({ blockId: first, depth: 4 })).edges).toHaveLength(4)
})

test('the text of graph shows each block once, where it is nearest', async () => {
  const { memory, ids } = await openChain(4)
  const [a = '', b = '', c = '', d = ''] = ids
  await memory.connect({ source: c, target: a, relation: 'elaborates', note: 'two\nlines' })
  const { text } = await memory.graph({ blockId: a, depth: 4 })
  const lines = text.split('\n')
  expect(lines).toHaveLength(4)
  for (const [at, id] of [a, b, c, d].entries()) expect(lines[at]).toContain(id.slice(0, 8))
})

test('graph of an unjoined block holds it alone, and of an unknown one is refused', async () => {
  const { memory, learn } = await openTestMemory({ settings: UNJOINED })
  expect(await memory.graph()).toMatchObject({ nodes: [], edges: [], text: '', truncated: false })
  const [id = ''] = await learn('one apple')
  const { nodes, edges } = await memory.graph({ blockId: id })
  expect({ nodes: nodes.map((node) => node.id), edges }).toEqual({ nodes: [id], edges: [] })
  expect((await refusal(memory.graph({ blockId: 'ffffffffffff' }))).code).toBe('NOT_FOUND')
})

test('graph holds each joined block and each edge once', async () => {
  const { memory, ids } = await openChain(4)
  const [, hub = ''] = ids
  await memory.connect({ source: hub, target: ids[3] as string })
  const { nodes, edges, text, root } = await memory.graph()
  expect(root).toBeUndefined()
  expect(nodes.map(({ id }) => id).sort()).toEqual([...ids].sort())
  expect(new Set(edges.map(({ from, to }) => `${from} ${to}`)).size).toBe(4)
  expect(text.split('\n')[0]).toMatch(new RegExp(`3 edges +${hub.slice(0, 8)}`))
})

test('graph beyond its limit is cut and says so', async () => {
  const { memory, ids } = await openChain(5)
  for (const input of [{}, { blockId: ids[0] as string, depth: 4 }]) {
    const cut = await memory.graph({ ...input, limit: 3 })
    expect(cut).toMatchObject({ truncated: true, edges: { length: 3 } })
    const whole = await memory.graph({ ...input, limit: 4 })
    expect(whole).toMatchObject({ truncated: false, edges: { length: 4 } })
    const known = new Set(cut.nodes.map(({ id }) => id))
    for (const { from, to } of cut.edges) expect(known.has(from) && known.has(to)).toBe(true)
  }
})

test('show and diff tell which end of an edge a relation was said of', async () => {
  const { memory, ids } = await openChain(2)
  const [from = '', to = ''] = ids
  for (const blockId of ids)
    expect((await memory.show({ blockId })).edges).toMatchObject([{ relation: 'supports', declaredBy: from }])
  expect((await memory.diff({ from: '2020-01-01' })).connected).toMatchObject([{ from, to }])
})
