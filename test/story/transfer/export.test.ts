import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../../helpers/memory.ts'
import { elfmem, temporaryDirectory } from '../../surfaces/helpers/cli.ts'
import { exported, lived } from './lived-memory.ts'

/** The tables that a lived memory fills and an import must take. */
const FILLED = [
  'occurrences',
  'predictions',
  'edges',
  'pairs',
  'archived_edges',
  'block_outcomes',
  'queued_outcomes',
  'disconnections',
  'co_retrieval_staging',
  'unlabelled_pairs',
  'sessions',
  'questions',
  'question_evidence',
  'recent_questions',
]

test('export, import and export again give the same bytes', async () => {
  const { memory } = await lived()
  const first = await exported(memory)
  const copy = await openTestMemory()
  const told = await copy.memory.import({ path: first, trusted: true })
  expect(told).toMatchObject({ whole: true, left: {}, tagsDropped: 0 })
  expect(Object.keys(told.taken)).toEqual(expect.arrayContaining(FILLED))
  const second = await exported(copy.memory)
  expect(readFileSync(second).equals(readFileSync(first))).toBe(true)
  expect((await copy.memory.doctor()).checks.filter(({ outcome }) => outcome === 'fail')).toEqual([])
})

test('recall after an import answers as the exported memory does', async () => {
  const { memory, clock } = await lived()
  const copy = await openTestMemory({ clock })
  await copy.memory.import({ path: await exported(memory), trusted: true })
  for (const query of ['kettle', 'apple and pear', 'waiting'])
    expect((await copy.memory.recall({ query })).text).toBe((await memory.recall({ query })).text)
  const { blockId } = await copy.memory.remember({ content: 'New here.' })
  await copy.memory.dream()
  expect((await copy.memory.recall({ query: 'new here', topK: 1 })).blockIds).toEqual([blockId])
})

test('export writes a file of mode 0600 and over nothing', async () => {
  const { memory, path, learn } = await openTestMemory()
  await learn('one apple')
  const { path: made } = await memory.export()
  expect(made?.startsWith(`${path}.exports/`)).toBe(true)
  expect([statSync(made!).mode & 0o777, statSync(`${path}.exports`).mode & 0o777]).toEqual([0o600, 0o700])
  const before = readFileSync(made!)
  expect((await refusal(memory.export({ path: made! }))).code).toBe('INVALID_INPUT')
  expect(readFileSync(made!).equals(before)).toBe(true)
})

test('elfmem export - and import - use standard output and input', async () => {
  const home = temporaryDirectory()
  await elfmem(['remember', 'The kettle is blue.'], { home })
  const written = await elfmem(['export', '-'], { home })
  const other = temporaryDirectory()
  const read = await elfmem(['import', '-', '--trusted', '--json'], { home: other, stdin: written.out })
  expect(JSON.parse(read.out)).toMatchObject({ whole: true, blocks_added: 1 })
  const file = await elfmem(['export', 'here.jsonl'], { home: other })
  expect([file.code, readFileSync(join(other, 'here.jsonl'), 'utf8')]).toEqual([0, written.out])
})
