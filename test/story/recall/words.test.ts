import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { readVectors } from '../../../src/store/blocks.ts'
import { openTestMemory } from '../../helpers/memory.ts'
import { createPlacedEmbedder } from '../../helpers/placed-embedder.ts'

const FACT = 'The spare key of the boathouse hangs behind the blue lantern.'

const sentenceOf = (i: number) => `Paragraph ${i} tells of barge number ${i * 7} and of its cargo of timber.`

/** Makes a note of `length` sentences, one of which is the fact. */
const note = (length: number, at: number) =>
  Array.from({ length }, (_, i) => (i === at ? FACT : sentenceOf(i))).join(' ')

const QUESTION = 'Where does the spare key of the boathouse hang?'

test.each([
  [39, 400],
  [49, 120],
])(
  'recall serves the passage around sentence %i of a long note that answers in %i tokens',
  async (at, budget) => {
    const { memory, learn } = await openTestMemory()
    const whole = note(50, at)
    await learn(whole)
    const { text, blocks, budgetUsed } = await memory.recall({ query: QUESTION, tokenBudget: budget })
    expect(text).toContain(FACT)
    expect(text).not.toContain('Paragraph 0 ')
    const { content = '', passage } = blocks[0] ?? {}
    expect(content).toBe(whole.slice(passage?.from, passage?.to))
    expect(passage?.of).toBe(whole.length)
    expect(text).toContain(`… ${content}${at === 49 ? '' : ' …'}`)
    expect(budgetUsed).toBeLessThanOrEqual(budget)
  },
)

test('recall with whole or without a question, and show, serve long notes whole', async () => {
  const { memory, learn } = await openTestMemory()
  const whole = note(50, 39)
  const [id = ''] = await learn(whole)
  const asked = await memory.recall({ query: QUESTION, tokenBudget: 5_000 })
  expect(asked.blocks[0]?.content.length).toBeLessThan(whole.length)
  for (const answer of [
    await memory.recall({ query: QUESTION, tokenBudget: 5_000, whole: true }),
    await memory.recall({ frame: 'world', tokenBudget: 5_000 }),
  ]) {
    expect(answer.blocks[0]).toMatchObject({ id, content: whole, cut: false })
    expect(answer.blocks[0]).not.toHaveProperty('passage')
    expect(answer.text).toContain(whole)
  }
  expect((await memory.show({ blockId: id })).block.content).toBe(whole)
})

test('recall leaves out a passage that the caller has, and gives another one of its block', async () => {
  const { memory, learn } = await openTestMemory()
  const [id = ''] = await learn(note(50, 39))
  const first = await memory.recall({ query: QUESTION, tokenBudget: 5_000 })
  const words = first.blocks[0]?.content ?? ''
  const without = [`${id.slice(0, 8)}#${createHash('sha256').update(words).digest('hex').slice(0, 8)}`]
  const again = await memory.recall({ query: QUESTION, tokenBudget: 5_000, without })
  expect(again.blocks).toEqual([])
  expect(again.dropped).toMatchObject([{ id, reason: 'without' }])
  const other = await memory.recall({ query: 'What does paragraph 3 tell of barge number 21?', without })
  expect(other.blocks[0]?.content).toContain('Paragraph 3 ')
})

test('recall cuts the passage of a long note where the budget has no room for it', async () => {
  const { memory, learn } = await openTestMemory()
  await learn(note(50, 39))
  const { text, blocks, budgetUsed } = await memory.recall({ query: QUESTION, tokenBudget: 40 })
  expect(blocks).toMatchObject([{ cut: true, passage: {} }])
  expect(text).toMatch(/… .* … \[cut\]/)
  expect(budgetUsed).toBeLessThanOrEqual(40)
})

test.each([
  ['finds', 'one', 2],
  ['does not find', 'other', 1],
])(
  'recall %s an answer in the session %s by words of the question before it in the session one',
  async (_, session, many) => {
    const settings = { memory: { similarityEdgesPerBlock: 0 } }
    const { memory } = await openTestMemory({ embedder: createPlacedEmbedder(), settings })
    const asked = await memory.remember({
      content: 'we @0 need which database for orders?',
      session: 'one',
      source: 'Ana',
    })
    const { blockId } = await memory.remember({ content: 'we @5 take Postgres.', session, source: 'Ben' })
    await memory.dream()
    const { blockIds } = await memory.recall({ query: 'database for orders', minStrength: 0.05 })
    expect(blockIds.toSorted()).toEqual([asked.blockId, blockId].slice(0, many).toSorted())
  },
)

/** Each language has a note and a question in other forms of its words. */
const NOTES: Readonly<Record<string, readonly [note: string, question: string]>> = {
  german: [
    'Die Häuser am Hafen werden im März von drei Handwerkern gestrichen.',
    'Wann wird das Haus am Hafen gestrichen?',
  ],
  french: [
    'Les réunions du comité sont annulées pour les vacances de juillet.',
    'Pourquoi la réunion est-elle annulée dans le comité ?',
  ],
  spanish: [
    'Las canciones que grabamos en el estudio se publican en otoño.',
    '¿Dónde grabamos la canción que se publica?',
  ],
  portuguese: [
    'As casas do porto foram pintadas de azul pelos pescadores.',
    'Quem pintou a casa azul do porto, e quando?',
  ],
  italian: [
    'Le finestre della cantina sono chiuse con due assi di legno.',
    'Con che cosa è chiusa la finestra della cantina?',
  ],
  dutch: ['De boeken van de buren staan achter het huis in de schuur.', 'Waar staat het boek van de buren?'],
  russian: ['Книги о садах лежат на верхней полке в кабинете.', 'Где лежит книга о саде?'],
}

const NOISE = [
  'The kettle in the office kitchen boils in two minutes.',
  'Der Zug nach Bern fährt jede Stunde und ist selten pünktlich.',
  'Le train pour Lyon part toutes les heures et il est souvent complet.',
  'El tren para Sevilla sale cada hora y está casi siempre lleno.',
]

test.each(
  Object.entries(NOTES).flatMap(([language, pair]) => [
    [language, language, ...pair],
    [language, 'auto', ...pair],
  ]),
)(
  'recall finds a note by other forms of its words in %s, with the setting %s',
  async (_, language = '', note = '', query = '') => {
    const settings = { recall: { language: language as 'auto' } }
    const { memory, learn } = await openTestMemory({ settings, embedder: silentEmbedder(), kind: 'memory' })
    const [id] = await learn(note, ...NOISE)
    const found = await memory.recall({ query, topK: 1 })
    expect(found.blockIds).toEqual([id])
    expect(found.match).not.toBe('nothing')
  },
)

test('openMemory with another language renews the words once and keeps the vectors', async () => {
  const first = await openTestMemory({ settings: { recall: { language: 'german' } } })
  const ids = await first.learn(...NOISE)
  const vectors = await first.store.read((tx) => readVectors(tx, ids))
  const sequence = () => first.store.read((tx) => tx.state().then((state) => state.sequence))
  const made = await sequence()
  await openTestMemory({ path: first.path, settings: { recall: { language: 'german' } } })
  expect(await sequence()).toBe(made)
  await openTestMemory({ path: first.path, settings: { recall: { language: 'french' } } })
  const renewed = await sequence()
  expect(renewed).toBeGreaterThan(made)
  expect(await first.store.read((tx) => readVectors(tx, ids))).toEqual(vectors)
  await openTestMemory({ path: first.path, settings: { recall: { language: 'french' } } })
  expect(await sequence()).toBe(renewed)
})

test('recall of a question in a script the embedder does not know ranks by words, and gives no notice', async () => {
  const embedder = { ...createPlacedEmbedder(), scripts: ['Latin'] }
  const { memory, learn } = await openTestMemory({ embedder })
  const [, key] = await learn('谷仓在河边', '备用钥匙挂在雨水桶后面', 'The fern needs water.')
  const { blockIds, note } = await memory.recall({ query: '钥匙在哪里？' })
  expect(blockIds[0]).toBe(key)
  expect(note ?? '').not.toContain('words alone')
  expect(embedder.asked).not.toContain('钥匙在哪里？')
})

/** Returns an embedder for which no two texts are alike, so that words alone decide. */
function silentEmbedder() {
  const dimensions = 64
  const places = new Map<string, number>()
  return {
    model: 'silent',
    dimensions,
    embed: async (texts: readonly string[]) =>
      texts.map((text) => {
        if (!places.has(text)) places.set(text, places.size)
        const vector = new Float32Array(dimensions)
        vector[(places.get(text) as number) % dimensions] = 1
        return vector
      }),
    close: async () => {},
  }
}
