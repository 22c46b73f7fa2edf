import { expect, test } from 'vitest'
import { join } from '../helpers/edges.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'
import { nextTurn } from '../helpers/timer.ts'
import { statements } from '../helpers/words.ts'

const UNJOINED = { memory: { similarityEdgesPerBlock: 0 } }

/** A chain of blocks, each joined to the next. */
async function openChain(n: number) {
  const opened = await openTestMemory({ settings: UNJOINED })
  const ids = await opened.learn(...statements(n))
  for (const [at, source] of ids.slice(0, -1).entries())
    await opened.memory.connect({ source, target: ids[at + 1] as string, relation: 'supports' })
  return { ...opened, ids }
}

const MARKUP = /<(\/?)([\w?]+)((?:\s+[\w:.]+="[^"<]*")*)\s*([/?]?)>|[^<]+/g

/** The opening tags of an XML text; throws where it is not well formed. */
function tagsOf(xml: string): string[] {
  const parts = [...xml.matchAll(MARKUP)]
  if (parts.map(([whole]) => whole).join('') !== xml) throw new Error('there is markup that is none')
  const bare = /&(?!(amp|lt|gt|quot|apos);)/.exec(xml)
  if (bare) throw new Error(`a bare & at ${bare.index}`)
  const open: string[] = []
  for (const [, closing, name = '', , empty] of parts)
    if (closing && open.pop() !== name) throw new Error(`</${name}> closes nothing`)
    else if (name && !closing && !empty) open.push(name)
  if (open.length > 0) throw new Error(`<${open.at(-1)}> stays open`)
  return parts.filter(([, closing, name]) => name && !closing).map(([whole]) => whole)
}

test('around a block the graph goes as many steps as are asked for', async () => {
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

test('a tree shows each block once, where it is nearest, with relation, weight and note', async () => {
  const { memory, ids } = await openChain(4)
  const [a = '', b = '', c = '', d = ''] = ids
  await memory.connect({ source: c, target: a, relation: 'elaborates', note: 'two\nlines' })
  const { text } = await memory.graph({ blockId: a, depth: 4 })
  const lines = text.split('\n')
  expect(lines).toHaveLength(4)
  expect(lines[0]).toContain(statements(1)[0])
  expect(lines[1]).toBe(`├─ supports 0.75  ${b.slice(0, 8)}  ${statements(2)[1]}`)
  expect(lines[2]).toBe(`└─ ← elaborates 0.70  ${c.slice(0, 8)}  ${statements(3)[2]}  (two lines)`)
  expect(lines[3]).toBe(`   └─ supports 0.75  ${d.slice(0, 8)}  ${statements(4)[3]}`)
})

test('a block that is joined to nothing is shown alone, and one that is none is refused', async () => {
  const { memory, learn } = await openTestMemory({ settings: UNJOINED })
  expect(await memory.graph()).toMatchObject({ nodes: [], edges: [], text: '', truncated: false })
  const [id = ''] = await learn('one apple')
  const { nodes, edges, text, summary } = await memory.graph({ blockId: id })
  expect({ nodes: nodes.map((node) => node.id), edges }).toEqual({ nodes: [id], edges: [] })
  expect(text).toBe(`${id.slice(0, 8)}  one apple`)
  expect(summary).toContain('nothing is joined')
  expect((await refusal(memory.graph({ blockId: 'ffffffffffff' }))).code).toBe('NOT_FOUND')
})

test('the whole graph holds each joined block and each edge once, the best joined first in its text', async () => {
  const { memory, ids } = await openChain(4)
  const [, hub = ''] = ids
  await memory.connect({ source: hub, target: ids[3] as string })
  const { nodes, edges, text, root } = await memory.graph()
  expect(root).toBeUndefined()
  expect(nodes.map(({ id }) => id).sort()).toEqual([...ids].sort())
  expect(new Set(edges.map(({ from, to }) => `${from} ${to}`)).size).toBe(4)
  expect(text.split('\n')[0]).toMatch(new RegExp(`3 edges +${hub.slice(0, 8)}`))
})

test('a graph of more edges than the limit is cut, and says so', async () => {
  const { memory, ids } = await openChain(5)
  for (const input of [{}, { blockId: ids[0] as string, depth: 4 }]) {
    const cut = await memory.graph({ ...input, limit: 3 })
    expect(cut).toMatchObject({ truncated: true, edges: { length: 3 } })
    expect(cut.summary).toContain('limit')
    const whole = await memory.graph({ ...input, limit: 4 })
    expect(whole).toMatchObject({ truncated: false, edges: { length: 4 } })
    const known = new Set(cut.nodes.map(({ id }) => id))
    for (const { from, to } of cut.edges) expect(known.has(from) && known.has(to)).toBe(true)
  }
})

test('looking at the graph changes nothing', async () => {
  const { memory, store, ids } = await openChain(3)
  const state = () =>
    store.read(async (tx) => [await tx.sequence(), await tx.clock(), await tx.operations({ limit: 100 })])
  const before = await state()
  await memory.graph({ blockId: ids[0] as string })
  await memory.graph({ graphml: true })
  expect(await state()).toEqual(before)
})

const HOSTILE = ['a & b < c > "d" \\ \u0001\u001b\uFFFE', '</data>]]><x y="1"/>\n"]; evil [']

test('graphml is well formed whatever blocks, tags and notes say, without control characters', async () => {
  const { memory, learn } = await openTestMemory({ settings: UNJOINED })
  const [source = '', target = ''] = await learn(...HOSTILE)
  await memory.connect({ source, target, relation: 'a<b&"c"', note: 'x < y && z > "w"\u0007' })
  const { text } = await memory.graph({ graphml: true })
  const tags = tagsOf(text)
  expect(tags.filter((tag) => tag.startsWith('<node '))).toHaveLength(2)
  const [from, to] = [source, target].sort()
  expect(tags.filter((tag) => tag.startsWith('<edge '))).toEqual([`<edge source="${from}" target="${to}">`])
  expect(tags.filter((tag) => tag.startsWith('<x'))).toEqual([])
  expect(text).toContain('x &lt; y &amp;&amp; z &gt; &quot;w&quot;</data>')
  expect([...text].filter((letter) => letter < ' ' && letter !== '\n')).toEqual([])
  expect(text).not.toContain('\uFFFE')
})

test('graphml carries relation, origin, weight, uses, note and the end it was said of', async () => {
  const { memory, learn } = await openTestMemory({ settings: UNJOINED })
  const [source = '', target = ''] = await learn('one apple', 'two pears')
  await memory.connect({ source, target, relation: 'supports', note: 'measured' })
  await memory.connect({ source, target })
  const { text } = await memory.graph({ blockId: source, graphml: true })
  const data = [...text.matchAll(/<data key="(\w+)">([^<]*)</g)].map(([, key, value]) => [key, value])
  expect(Object.fromEntries(data)).toMatchObject({
    relation: 'supports',
    origin: 'agent',
    weight: '0.8500',
    uses: '1',
    note: 'measured',
    declared_by: source,
  })
  const declared = [...text.matchAll(/<key id="(\w+)"/g)].map(([, key]) => key)
  for (const [key] of data) expect(declared).toContain(key)
})

test('dot quotes what blocks say, so that nothing in them is syntax', async () => {
  const { memory, learn } = await openTestMemory({ settings: UNJOINED })
  const [source = '', target = ''] = await learn(...HOSTILE)
  await memory.connect({ source, target, relation: 'supports' })
  const { text } = await memory.graph({ dot: true })
  const lines = text.split('\n')
  expect([lines[0], lines.at(-1)]).toEqual(['graph elfmem {', '}'])
  expect(lines).toHaveLength(6)
  const bare = text.replace(/"(?:[^"\\]|\\.)*"/gs, '""')
  expect(bare).not.toContain('evil')
  expect(bare.match(/"" -- ""/g)).toHaveLength(1)
  expect(bare.replaceAll('""', '')).not.toContain('"')
})

test('curate tells what is left: by relation, by origin, and how many blocks stand alone', async () => {
  const { memory, learn } = await openTestMemory({ settings: UNJOINED })
  const [a = '', b = '', c = '', d = ''] = await learn(...statements(6))
  await memory.connect({ source: a, target: b, relation: 'supports' })
  await memory.connect({ source: a, target: c, relation: 'contradicts' })
  await memory.outcome({ helped: [c, d] })
  const { graph, totalEdgesAfter } = await memory.curate()
  expect(graph).toEqual({
    edges: 3,
    byRelation: { contradicts: 1, outcome: 1, supports: 1 },
    byOrigin: { agent: 2, outcome: 1 },
    isolated: 2,
  })
  expect(totalEdgesAfter).toBe(3)
})

test('curate warns louder when more than a quarter of the edges went', async () => {
  const hintAfter = async (kept: number) => {
    const opened = await openTestMemory({ settings: UNJOINED })
    const { memory, learn, clock } = opened
    const ids = await learn(...statements(6))
    await join(opened, [ids[0] as string, ids[1] as string], { lastActiveAt: 0 })
    for (const target of ids.slice(2, 2 + kept)) await memory.connect({ source: ids[0] as string, target })
    clock.advance({ hours: 400 })
    await memory.recordUse({ blockIds: ids })
    const { edgesDecayed, hint = '' } = await memory.curate()
    return { edgesDecayed, loud: hint.includes('shrank'), said: hint !== '' }
  }
  expect(await hintAfter(2)).toEqual({ edgesDecayed: 1, loud: true, said: true })
  expect(await hintAfter(3)).toEqual({ edgesDecayed: 1, loud: false, said: true })
})

// W23
test.each([
  ['what an agent said', { origin: 'agent', weight: 0.01, lastActiveAt: 0 }, {}],
  ['an edge without an anchor', { lastActiveAt: undefined }, {}],
  ['any edge where edges do not fade', { lastActiveAt: 0 }, { edgeDecay: false }],
] as const)('%s is still there after a long time', async (_what, edge, graph) => {
  const opened = await openTestMemory({ settings: { ...UNJOINED, graph } })
  const [a = '', b = ''] = await opened.learn(...statements(2))
  await join(opened, [a, b], edge)
  opened.clock.advance({ hours: 10_000 })
  await opened.memory.recordUse({ blockIds: [a, b] })
  expect(await opened.memory.curate()).toMatchObject({ totalEdgesAfter: 1, edgesDecayed: 0, edgesPruned: 0 })
})

test('a note or relation that cannot be stored as it is is refused, as contents are', async () => {
  const { memory, learn } = await openTestMemory({ settings: UNJOINED })
  const [source = '', target = ''] = await learn(...statements(2))
  for (const said of [{ note: 'half a \uD83D letter' }, { relation: 'half_\uD83D' }])
    expect((await refusal(memory.connect({ source, target, ...said }))).code).toBe('INVALID_INPUT')
  expect((await memory.status()).graph.edges).toBe(0)
})

test('an edge that is used between being read and being removed stays', async () => {
  const opened = await openTestMemory({ settings: UNJOINED })
  const { memory, learn, store, clock } = opened
  const [a = '', b = ''] = await learn('The red kettle boils.', 'A red kettle whistles.')
  await join(opened, [a, b], { lastActiveAt: 0 })
  clock.advance({ hours: 250 })
  const read = await store.read((tx) => tx.edgePage(['', ''], 10))
  expect((await memory.recall({ query: 'red kettle' })).blocks).toHaveLength(2)
  await nextTurn()
  expect(await store.write((tx) => tx.removeUnusedEdges(read))).toEqual([])
  clock.advance({ hours: 250 })
  expect(await memory.curate()).toMatchObject({ edgesDecayed: 0, totalEdgesAfter: 1 })
})
