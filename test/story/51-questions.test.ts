import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { normalise } from '../../src/domain/score/vector.ts'
import type { Memory } from '../../src/memory.ts'
import type { Embedder } from '../../src/ports/embedder.ts'
import { openTestMemory, refusal, temporaryFolder } from '../helpers/memory.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'
import { openOn, openStore } from '../helpers/scoped.ts'
import { tracesIn } from '../helpers/traces.ts'
import { statements } from '../helpers/words.ts'

const KETTLES = ['The red kettle boils slowly.', 'The red kettle boils quickly.']
const BOILS = 'which red kettle boils'

/** What a question finds, with every score and what it is made of; teaches nothing. */
async function look(memory: Memory, query: string) {
  const { blocks } = await memory.recall({ query, reinforce: false, explain: true, minStrength: 0 })
  return blocks.map(({ id, score, explanation }) => ({ id, score, terms: explanation?.terms }))
}

/** What reports on such questions say of a block when this is asked; undefined for nothing. */
async function askedTerm(memory: Memory, query: string, id: string): Promise<number | undefined> {
  const found = (await look(memory, query)).find((each) => each.id === id)
  expect(found).toBeDefined()
  return found?.terms?.find(({ name }) => name === 'asked')?.value
}

const questionsOn = async (memory: Memory, blockId: string) => (await memory.show({ blockId })).questions

/** Asks, and reports that a block helped. */
async function teach(memory: Memory, query: string, helped: string): Promise<string> {
  const { recallId = '' } = await memory.recall({ query, topK: 5 })
  await memory.outcome({ recallId, helped: [helped] })
  return recallId
}

/** The words of questions in a file: those reported on, and those of the newest recalls. */
function keptIn(path: string): { readonly reported: unknown[]; readonly recent: unknown[] } {
  const raw = new DatabaseSync(path, { readOnly: true })
  try {
    const of = (table: string) =>
      raw
        .prepare(`SELECT text FROM ${table}`)
        .all()
        .map(({ text }) => text)
    return { reported: of('questions'), recent: of('recent_questions') }
  } finally {
    raw.close()
  }
}

test('questions are kept without the secrets in them', async () => {
  const { memory, path, learn } = await openTestMemory()
  const [id = ''] = await learn('The red kettle opens with a key.')
  const key = ['AKIA', 'Z7Q2M4X9K1P8R3T6'].join('')
  await teach(memory, `which kettle does ${key} open`, id)
  const { reported, recent } = keptIn(path)
  for (const text of [...reported, ...recent])
    expect(text).toMatch(/^which kettle does \[redacted: .*\] open$/)
  expect([reported.length, recent.length]).toEqual([1, 1])
  expect(tracesIn(dirname(path), [key])).toEqual([])
})

test('with keepQuestions off no word of a question is kept, and what was reported on it counts all the same', async () => {
  const settings = { learning: { keepQuestions: false } }
  const { memory, path, learn } = await openTestMemory({ settings })
  const [, second = ''] = await learn(...KETTLES)
  await teach(memory, `${BOILS} flibbertigibbet`, second)
  await memory.dream()
  expect(keptIn(path)).toEqual({ reported: [null], recent: [null] })
  expect(tracesIn(dirname(path), ['flibbertigibbet'])).toEqual([])
  expect(await askedTerm(memory, `${BOILS} flibbertigibbet`, second)).toBeGreaterThan(0)
})

test('a look keeps no question', async () => {
  const { memory, path, learn } = await openTestMemory()
  await learn(...KETTLES)
  expect((await memory.recall({ query: BOILS, reinforce: false })).recallId).toBeUndefined()
  expect(keptIn(path)).toEqual({ reported: [], recent: [] })
})

test('erasing a block takes its words out of the questions that were kept, and leaves the others', async () => {
  const { memory, path, learn } = await openTestMemory()
  const [id = '', kettle = ''] = await learn('Evangeline stowed away in the bilge', ...KETTLES)
  await teach(memory, 'where was Evangeline in the bilge', id)
  await teach(memory, 'who was with Evangeline', kettle)
  await teach(memory, BOILS, kettle)
  await memory.erase({ blockIds: [id], yes: true })
  expect(tracesIn(dirname(path), ['Evangeline', 'evangelin', 'bilge'])).toEqual([])
  const { reported } = keptIn(path)
  expect(reported).toContain(BOILS)
  expect((await questionsOn(memory, kettle)).map(({ question }) => question).sort()).toEqual([
    BOILS,
    undefined,
  ])
})

/** Texts with the same first word lie together; those that end with a word of courtesy some 20 degrees apart. */
function courteousEmbedder(model: string, dimensions: number): Embedder {
  const placed = createPlacedEmbedder(model)
  return {
    ...placed,
    dimensions,
    embed: async (texts) => {
      const vectors = await placed.embed(texts.map((text) => text.replace(/(\w+) (.*) please$/, '$1 @20 $2')))
      return vectors.map((vector) => normalise(vector.subarray(0, dimensions)))
    },
  }
}

test('after a change of model the same words still teach, and the next dream lets near questions learn again', async () => {
  const old = await openTestMemory({ embedder: courteousEmbedder('one', 32) })
  const [id = ''] = await old.learn('port @0 wine is sweet', 'port @60 numbers are many')
  const [same, near] = ['port of what sort', 'port of which kind please']
  await teach(old.memory, same, id)
  const [own, close] = [await askedTerm(old.memory, same, id), await askedTerm(old.memory, near, id)]
  expect(close).toBeGreaterThan(0)
  expect(close).toBeLessThan(own ?? 0)
  await old.memory.close()
  const { memory, learn } = await openTestMemory({ path: old.path, embedder: courteousEmbedder('two', 16) })
  await memory.reembed()
  expect(await askedTerm(memory, same, id)).toBe(own)
  expect(await askedTerm(memory, near, id)).toBeUndefined()
  await learn('tea is at four')
  expect(await askedTerm(memory, near, id)).toBeCloseTo(close ?? 0, 1)
})

test('beyond questionsMost the oldest question is folded into one of no words, and what it says of all questions stays', async () => {
  const { memory, path, learn, clock } = await openTestMemory({
    settings: { learning: { questionsMost: 16 } },
  })
  const [first = '', ...others] = await learn(...statements(18))
  const texts = statements(18)
  await teach(memory, texts[0] ?? '', first)
  const { belief } = await memory.show({ blockId: first })
  expect(belief).toBeGreaterThan(0.5)
  for (const [i, id] of others.slice(0, 15).entries()) {
    clock.advance({ hours: 1 })
    await teach(memory, texts[i + 1] ?? '', id)
  }
  expect(await questionsOn(memory, first)).toEqual([{ question: texts[0], helped: 1, misled: 0, beside: 0 }])
  clock.advance({ hours: 1 })
  await teach(memory, texts[16] ?? '', others[15] ?? '')
  expect(keptIn(path).reported).toHaveLength(16)
  expect(await questionsOn(memory, first)).toEqual([{ helped: 1, misled: 0, beside: 0 }])
  expect((await memory.show({ blockId: first })).belief).toBe(belief)
  const other = await openTestMemory({ path, clock, settings: { learning: { questionsMost: 16 } } })
  expect(await look(other.memory, texts[1] ?? '')).toEqual(await look(memory, texts[1] ?? ''))
})

test('what was reported about a forgotten block comes back with it', async () => {
  const { memory, learn } = await openTestMemory()
  const [first = '', second = ''] = await learn(...KETTLES)
  await teach(memory, BOILS, second)
  const [term, known] = [await askedTerm(memory, BOILS, second), await questionsOn(memory, second)]
  expect(term).toBeGreaterThan(0)
  await memory.forget({ blockId: second })
  expect((await look(memory, BOILS)).map(({ id }) => id)).toEqual([first])
  await memory.restore({ blockId: second })
  expect(await askedTerm(memory, BOILS, second)).toBe(term)
  expect(await questionsOn(memory, second)).toEqual(known)
})

test('a scope sees only what was asked in it, and what was reported about its own blocks', async () => {
  const store = await openStore()
  const [one, two, whole] = [
    await openOn(store, { scope: 'one' }),
    await openOn(store, { scope: 'two' }),
    await openOn(store),
  ]
  const ids: string[] = []
  for (const memory of [one, two]) {
    ids.push((await memory.remember({ content: KETTLES[0] ?? '' })).blockId)
    await memory.remember({ content: KETTLES[1] ?? '' })
    await memory.dream()
  }
  const [mine = '', theirs = ''] = ids
  const recallId = await teach(one, BOILS, mine)
  expect(await questionsOn(one, mine)).toEqual([{ question: BOILS, helped: 1, misled: 0, beside: 0 }])
  expect(await questionsOn(two, theirs)).toEqual([])
  expect(await askedTerm(two, BOILS, theirs)).toBeUndefined()
  expect((await refusal(two.outcome({ recallId, helped: [theirs] }))).code).toBe('NOT_FOUND')
  await teach(whole, 'what the whole memory was asked', mine)
  expect(await questionsOn(one, mine)).toEqual([
    { question: BOILS, helped: 1, misled: 0, beside: 0 },
    { helped: 1, misled: 0, beside: 0 },
  ])
  expect(await questionsOn(two, theirs)).toEqual([])
})

test('an export carries what was learned, into an empty memory and into one that has something', async () => {
  const { memory, learn, clock } = await openTestMemory()
  const [, second = ''] = await learn(...KETTLES)
  await teach(memory, BOILS, second)
  const path = join(temporaryFolder(), 'export.jsonl')
  await memory.export({ path })
  const [known, found] = [await questionsOn(memory, second), await look(memory, BOILS)]
  const empty = await openTestMemory({ clock })
  await empty.memory.import({ path, trusted: true })
  expect(await look(empty.memory, BOILS)).toEqual(found)
  const other = await openTestMemory({ clock })
  await other.learn(...statements(3))
  await other.memory.import({ path, trusted: true })
  for (const each of [empty.memory, other.memory]) {
    expect(await questionsOn(each, second)).toEqual(known)
    expect(await askedTerm(each, BOILS, second)).toBe(await askedTerm(memory, BOILS, second))
  }
})
