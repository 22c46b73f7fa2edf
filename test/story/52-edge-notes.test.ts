import { expect, test } from 'vitest'
import type { Memory } from '../../src/memory.ts'
import { openTestMemory, type TestMemoryOptions } from '../helpers/memory.ts'

const CRANE = 'The crane at the north quay was painted green'
const ROPES = 'Twelve ropes hang in the shed behind the office'
const OTHERS = ['Grandmother pickles lemons every spring', 'The choir sings on Tuesday evenings']
const NOTE = 'Both were bought at the Zeebrugge auction'

async function openJoined(options: TestMemoryOptions = {}) {
  const opened = await openTestMemory(options)
  const [source = '', target = ''] = await opened.learn(CRANE, ROPES, ...OTHERS)
  await opened.memory.connect({ source, target, relation: 'relates', note: NOTE })
  return { ...opened, source, target }
}

/** Contents of the blocks that the words of a question find. */
async function foundByWords(memory: Memory, query = 'what is from Zeebrugge?'): Promise<string[]> {
  const { blocks } = await memory.recall({ query, reinforce: false, minStrength: 0, topK: 9, explain: true })
  return blocks
    .filter(({ explanation }) => (explanation?.match?.lexical ?? 0) > 0)
    .map(({ content }) => content)
    .sort()
}

test('words of the note of an edge find both blocks, which have none of them', async () => {
  const { memory } = await openJoined()
  expect(await foundByWords(memory)).toEqual([CRANE, ROPES])
  const { blocks } = await memory.recall({ query: 'the Zeebrugge auction' })
  expect(
    blocks
      .map(({ content }) => content)
      .slice(0, 2)
      .sort(),
  ).toEqual([CRANE, ROPES])
  expect(blocks.map(({ foundByNote }) => foundByNote)).toEqual([true, true, undefined])
})

test('a memory opened anew finds by notes, too', async () => {
  const { path, memory } = await openJoined()
  await memory.close()
  const again = await openTestMemory({ path })
  expect(await foundByWords(again.memory)).toEqual([CRANE, ROPES])
})

test('another memory that has the file open finds by a note at once', async () => {
  const { path, memory, source, target } = await openJoined()
  const other = await openTestMemory({ path })
  await foundByWords(other.memory)
  await memory.connect({
    ...{ source, target, relation: 'relates', ifExists: 'update' },
    note: 'Both came by barge from Terneuzen',
  })
  expect(await foundByWords(other.memory, 'which came from Terneuzen?')).toEqual([CRANE, ROPES])
  expect(await foundByWords(other.memory)).toEqual([])
})

test('where an edge goes, or an end of it, its words go with it, and come back with it', async () => {
  const { memory, source, target } = await openJoined()
  await memory.disconnect({ source, target })
  expect(await foundByWords(memory)).toEqual([])
  await memory.undo()
  expect(await foundByWords(memory)).toEqual([CRANE, ROPES])
  await memory.forget({ blockId: source })
  expect(await foundByWords(memory)).toEqual([])
  await memory.restore({ blockId: source })
  expect(await foundByWords(memory)).toEqual([CRANE, ROPES])
})

test('of a note that holds the words of an erased block nothing finds the other', async () => {
  const { memory, source } = await openJoined()
  await memory.erase({ blockIds: [source], yes: true })
  expect(await foundByWords(memory)).toEqual([])
})

test('with recall.edgeNotes 0 notes find nothing', async () => {
  const { memory } = await openJoined({ settings: { recall: { edgeNotes: 0 } } })
  expect(await foundByWords(memory)).toEqual([])
})

test('of more notes than recall reads the newest find', async () => {
  const { memory, clock, source } = await openJoined({ settings: { recall: { edgeNotes: 1 } } })
  clock.advance({ hours: 1 })
  const { blocks } = await memory.recall({ query: OTHERS[0] ?? '', reinforce: false, topK: 1 })
  await memory.connect({
    source,
    target: blocks[0]?.id ?? '',
    relation: 'relates',
    note: 'Both smell of Dunkirk',
  })
  expect(await foundByWords(memory, 'Dunkirk')).toEqual([CRANE, OTHERS[0]].sort())
  expect(await foundByWords(memory)).toEqual([])
})

test('a note that says a word over and over finds its blocks no better than one that says it once', async () => {
  const { memory, source, target } = await openJoined()
  const say = (note: string) =>
    memory.connect({ source, target, relation: 'relates', ifExists: 'update', note })
  const lexical = async () => {
    const query = 'the gate of the Zeebrugge port'
    const { blocks } = await memory.recall({ query, reinforce: false, minStrength: 0, explain: true })
    return blocks.find(({ id }) => id === source)?.explanation?.match?.lexical ?? 0
  }
  await say('Zeebrugge')
  const once = await lexical()
  expect(once).toBeGreaterThan(0)
  await say('Zeebrugge '.repeat(30))
  expect(await lexical()).toBe(once)
})

test('each note is read in its own language, whatever another note of the block is written in', async () => {
  const { memory, source } = await openJoined({ settings: { recall: { language: 'auto' } } })
  const { blockIds } = await memory.recall({ query: OTHERS[0] ?? '', reinforce: false, topK: 1 })
  await memory.connect({
    source,
    target: blockIds[0] ?? '',
    relation: 'relates',
    note: 'сильное землетрясение',
  })
  const { blocks } = await memory.recall({ query: 'землетрясение', reinforce: false, minStrength: 0 })
  expect(
    blocks
      .filter(({ foundByNote }) => foundByNote)
      .map(({ id }) => id)
      .sort(),
  ).toEqual([source, blockIds[0]].sort())
})

test('a word of a note counts for less than one of the block itself', async () => {
  const { memory, learn } = await openJoined()
  await learn(
    'Zeebrugge has a lighthouse of old that nobody has climbed since the storm took its upper stairs away',
  )
  const { blocks } = await memory.recall({
    query: 'Zeebrugge',
    reinforce: false,
    minStrength: 0,
    explain: true,
  })
  expect(blocks[0]?.content).toContain('lighthouse')
  const [own = 0, noted = 0] = blocks.map(({ explanation }) => explanation?.match?.lexical ?? 0)
  expect(noted).toBeGreaterThan(0)
  expect(own).toBeGreaterThan(noted)
})
