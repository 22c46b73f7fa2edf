import { describe, expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'

/** One note a language with a question in other forms of its words. */
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

describe('in every language a note is found by other forms of its words, without vectors', () => {
  for (const [language, [note, question]] of Object.entries(NOTES)) {
    for (const setting of [language, 'auto'] as const) {
      test(`${language}, with the setting ${setting}`, async () => {
        const { memory, learn } = await openTestMemory({
          settings: { recall: { language: setting as 'auto' } },
          embedder: silentEmbedder(),
        })
        const [id] = await learn(note, ...NOISE)
        const found = await memory.recall({ query: question, topK: 1 })
        expect(found.blockIds).toEqual([id])
        expect(found.match).not.toBe('nothing')
      })
    }
  }
})

test('a store whose words were made for another language finds by the new one after it is opened again', async () => {
  const [note, question] = NOTES.german as readonly [string, string]
  const embedder = silentEmbedder()
  const first = await openTestMemory({ settings: { recall: { language: 'neutral' } }, embedder })
  const [id] = await first.learn(note, ...NOISE)
  const before = (await first.memory.recall({ query: question, topK: 1 })).strength ?? 0
  const again = await openTestMemory({
    path: first.path,
    settings: { recall: { language: 'german' } },
    embedder,
  })
  const found = await again.memory.recall({ query: question, topK: 1 })
  expect(found.blockIds).toEqual([id])
  expect(found.strength).toBeGreaterThan(before)
  expect((await again.memory.show({ blockId: id as string })).block.content).toBe(note)
})

test('opening renews words once, keeps vectors, and writes nothing when they are current', async () => {
  const first = await openTestMemory({ settings: { recall: { language: 'german' } } })
  const ids = await first.learn(...NOISE)
  const vectors = await first.store.read((tx) => tx.vectors(ids))
  const sequence = () => first.store.read((tx) => tx.sequence())
  const made = await sequence()
  await openTestMemory({ path: first.path, settings: { recall: { language: 'german' } } })
  expect(await sequence()).toBe(made)
  await openTestMemory({ path: first.path, settings: { recall: { language: 'french' } } })
  const renewed = await sequence()
  expect(renewed).toBeGreaterThan(made)
  expect(await first.store.read((tx) => tx.vectors(ids))).toEqual(vectors)
  await openTestMemory({ path: first.path, settings: { recall: { language: 'french' } } })
  expect(await sequence()).toBe(renewed)
})

/** No two texts are alike, so that words alone decide. */
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
