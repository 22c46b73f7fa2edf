import { expect, test } from 'vitest'
import type { Memory } from '../../src/memory.ts'
import { openTestMemory, type TestMemoryOptions } from '../helpers/memory.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'
import { elfmem, temporaryDirectory } from '../surfaces/helpers/cli.ts'

/** The first word of a text decides what it is similar to, so these have nothing in common but a name. */
const FERRY = 'ferry to the island: it is run by Maartje Dekker'
const GARAGE = 'garage of Maartje Dekker, where two cars stand'
const QUESTION = 'ferry to the island, who runs it?'
const OTHERS = [
  'lemons are pickled every spring',
  'choirs sing on weekdays',
  'shoes stand in the hall',
  'clocks are set on Sundays',
  'paint dries within the hour',
  'kites need wind',
]

async function openNamed(options: TestMemoryOptions = {}, texts = [FERRY, ...OTHERS, GARAGE]) {
  const opened = await openTestMemory({ embedder: createPlacedEmbedder(), ...options })
  return { ...opened, ids: await opened.learn(...texts) }
}

/** What an answer of five says of each of its blocks. */
async function answer(memory: Memory, query = QUESTION, given: object = {}) {
  const { blocks } = await memory.recall({
    ...{ query, topK: 5, minStrength: 0, reinforce: false, explain: true },
    ...given,
  })
  return blocks
}

const contents = (blocks: readonly { readonly content: string }[]) => blocks.map(({ content }) => content)
const brought = (blocks: Awaited<ReturnType<typeof answer>>) =>
  contents(blocks.filter(({ foundByName }) => foundByName !== undefined))

test('what shares only a name with the best match is among the first five, and says which name of which block', async () => {
  const { memory, ids } = await openNamed()
  const [first, second] = await answer(memory)
  expect([first?.content, second?.content]).toEqual([FERRY, GARAGE])
  expect(second?.foundByName).toEqual({ name: 'Maartje Dekker', block: ids[0] })
  expect(first?.foundByName).toBeUndefined()
})

test('with recall.throughNames 0 no name leads anywhere', async () => {
  const { memory } = await openNamed({ settings: { recall: { throughNames: 0 } } })
  const blocks = await answer(memory)
  expect(blocks[0]?.content).toBe(FERRY)
  expect(brought(blocks)).toEqual([])
  expect(contents(blocks)).not.toContain(GARAGE)
})

test('a name that the question gives leads nowhere', async () => {
  const { memory } = await openNamed()
  const blocks = await answer(memory, 'ferry to the island of Maartje Dekker')
  expect(blocks[0]?.content).toBe(FERRY)
  expect(brought(blocks)).toEqual([])
})

test('a name in more than three blocks of a small memory leads nowhere', async () => {
  const boats = ['boats belong to Maartje Dekker', 'nets were mended by Maartje Dekker']
  const three = await openNamed({}, [FERRY, ...OTHERS, GARAGE, boats[0] as string])
  expect(brought(await answer(three.memory)).sort()).toEqual([boats[0], GARAGE])
  const four = await openNamed({}, [FERRY, ...OTHERS, GARAGE, ...boats])
  expect(brought(await answer(four.memory))).toEqual([])
})

test('what a name brings never comes before the match that led to it, and its terms sum to its rank', async () => {
  for (const degrees of [0, 5, 20, 45, 80]) {
    const near = `ferry @${degrees} kept in the garage of Maartje Dekker`
    const { memory } = await openNamed({}, [FERRY, ...OTHERS, near])
    const blocks = await answer(memory)
    expect(contents(blocks).slice(0, 2)).toEqual([FERRY, near])
    const [led = 0, came = 0] = blocks.map(({ explanation }) => explanation?.match?.rank ?? 0)
    expect(came).toBeLessThan(led)
    for (const { strength = 0, explanation } of blocks) {
      const { rank = 0, cosine: _, lexical: __, ...terms } = explanation?.match ?? {}
      const sum = Object.values(terms).reduce((total, each) => total + each, strength)
      expect(sum).toBeCloseTo(rank, 3)
    }
  }
})

test('how sure an answer is does not depend on what names bring', async () => {
  const [on, off] = [await openNamed(), await openNamed({ settings: { recall: { throughNames: 0 } } })]
  const sure = async ({ memory }: typeof on) => {
    const { match, probability, strength } = await memory.recall({ query: QUESTION, reinforce: false })
    return { match, probability, strength }
  }
  expect(await sure(on)).toEqual(await sure(off))
})

test('no name brings a block that a filter or a scope leaves out, and none leads from one', async () => {
  const { memory } = await openTestMemory({ embedder: createPlacedEmbedder() })
  for (const content of OTHERS) await memory.remember({ content, tags: ['shown'] })
  await memory.remember({ content: FERRY, tags: ['shown'] })
  await memory.remember({ content: GARAGE })
  await memory.remember({ content: 'boats belong to Maartje Dekker', scope: 'other' })
  await memory.dream()
  expect(brought(await answer(memory, QUESTION, { tags: ['shown'] }))).toEqual([])
  expect(brought(await answer(memory, QUESTION, { scope: 'other' }))).toEqual([])
  expect(brought(await answer(memory))).toContain(GARAGE)
})

test('a block that waits is led to by a name and leads by one, as after its dream', async () => {
  const { memory, ids } = await openNamed({}, [FERRY, ...OTHERS])
  await memory.remember({ content: GARAGE })
  expect(brought(await answer(memory))).toEqual([GARAGE])
  expect(brought(await answer(memory, 'garage with cars'))).toEqual([FERRY])
  await memory.dream()
  expect(brought(await answer(memory))).toEqual([GARAGE])
  expect((await answer(memory, 'garage with cars'))[1]?.id).toBe(ids[0])
})

test('a name leads to a neighbour of others only as far as they lend it no words', async () => {
  const { memory } = await openTestMemory({ embedder: createPlacedEmbedder() })
  for (const content of [FERRY, ...OTHERS]) await memory.remember({ content, session: content })
  await memory.remember({ content: GARAGE, session: 'talk' })
  expect(brought(await answer(memory))).toEqual([GARAGE])
  for (const content of ['garage @20 swept', 'garage @40 painted'])
    await memory.remember({ content, session: 'talk' })
  expect(brought(await answer(memory))).toEqual([])
})

test('a text that is stuffed with names is hardly led to, whichever of them the best match has', async () => {
  const names = Array.from({ length: 120 }, (_, i) => `Person${i} Surname${i}`).join(', ')
  const added = async (text: string) => {
    const { memory } = await openNamed({}, [FERRY, ...OTHERS, text])
    const blocks = await answer(memory, QUESTION, { topK: 20 })
    return blocks.find(({ content }) => content === text)?.explanation?.match?.name ?? 0
  }
  expect(await added(GARAGE)).toBeGreaterThan(0.1)
  expect(await added(`${GARAGE}, ${names}`)).toBeLessThan(0.05)
})

test('a memory opened anew, from its packed index or its rows, is led as before', async () => {
  const { memory, path, embedder } = await openNamed()
  await memory.close()
  const packed = await openTestMemory({ path, embedder })
  expect(brought(await answer(packed.memory))).toEqual([GARAGE])
})

test('a block whose text was edited leads by the names it has now', async () => {
  const { memory, ids } = await openNamed()
  await memory.edit({ blockId: ids[0] ?? '', content: 'ferry to the island: it is run by somebody' })
  await memory.dream()
  expect(brought(await answer(memory))).toEqual([])
})

test('of a block that is forgotten no name leads to it, and one that is restored is led to again', async () => {
  const { memory, ids } = await openNamed()
  const garage = ids.at(-1) ?? ''
  await memory.forget({ blockId: garage })
  expect(brought(await answer(memory))).toEqual([])
  await memory.restore({ blockId: garage })
  expect(brought(await answer(memory))).toEqual([GARAGE])
})

test('the command line says through which name of which block, and the result of MCP and --json has it', async () => {
  const home = temporaryDirectory()
  const call = (...args: string[]) => elfmem([...args, '--db', `${home}/memory.db`], { home })
  for (const content of [FERRY, ...OTHERS, GARAGE]) await call('remember', content)
  await call('dream')
  const asked = ['recall', QUESTION, '--explain']
  const { blocks } = JSON.parse((await call(...asked, '--json')).out)
  const [led, came] = [FERRY, GARAGE].map((content) =>
    blocks.find((block: { content: string }) => block.content === content),
  )
  expect(came.found_by_name).toEqual({ name: 'Maartje Dekker', block: led.id })
  const { out, err } = await call(...asked)
  expect(out + err).toContain(`; through Maartje Dekker of ${led.id.slice(0, 8)}`)
})
