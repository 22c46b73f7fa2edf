import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { type Memory, openMemory } from '../../src/engine/memory.ts'
import type { SettingsInput } from '../../src/engine/settings.ts'
import { refusal, temporaryFolder } from '../helpers/memory.ts'
import { tracesIn, tracesOf } from '../helpers/traces.ts'

/** Contents in several scripts, with signs that JSON escapes, and numbers. */
const SECRETS = [
  'Rosalinde Quatrain hides the vault combination 471199 behind a crimson lantern upstairs',
  'She wrote:\n"Meet Ottokar\\Zwiebel\tat the Überfähre", then left town without saying goodbye',
  'Прасковья держит запасные ключи у старой мельницы возле реки за поворотом',
  '山田さんの暗証番号は九八七六です',
]
const AFTER_EDIT =
  'Rosalinde Quatrain moved the vault combination 882233 beneath an emerald tapestry downstairs'
const KEPT = [
  'The red ferry comes at nine on weekdays',
  'Tea is served at the pier',
  'The pilot boards at dawn',
]
const NOTE = 'because Philippa Underwood overheard them arguing about marmalade yesterday'

async function openOwners(path: string, settings: SettingsInput = {}): Promise<Memory> {
  const memory = await openMemory(path, { as: 'owner', config: settings, embedder: createHashingEmbedder() })
  onTestFinished(() => memory.close())
  return memory
}

/** A memory in which the secrets left a trace wherever words go. */
async function livedIn(settings: SettingsInput = {}) {
  const folder = temporaryFolder()
  const path = join(folder, 'memory.db')
  const memory = await openOwners(path, settings)
  const ids: string[] = []
  for (const content of [...SECRETS, ...KEPT])
    ids.push(
      (await memory.remember({ content, tags: ['harbour'], source: 'letters', session: 'spring' })).blockId,
    )
  const [first = '', second = '', third = ''] = ids
  const kept = ids.slice(SECRETS.length)
  await memory.remember({ content: SECRETS[0] ?? '', scope: 'attic' })
  await memory.dream()
  await memory.connect({ source: first, target: kept[0] ?? '', relation: 'supports', note: NOTE })
  await memory.recall({ query: 'when does the red ferry come?' })
  await memory.backup()
  await memory.export({ name: 'before.jsonl' })
  await memory.edit({ blockId: first, content: AFTER_EDIT, cue: 'Ludmilla visits' })
  await memory.undo({})
  await memory.edit({ blockId: first, content: AFTER_EDIT })
  await memory.forget({ blockId: second, reason: 'Ottokar asked for it' })
  const replacing = await memory.remember({ content: 'The keys are at the mill', supersedes: third })
  await memory.dream()
  await memory.backup()
  await memory.export({ name: 'after.jsonl' })
  return { folder, path, memory, ids, kept, replacing: replacing.blockId }
}

const TRACES = tracesOf(
  [...SECRETS, AFTER_EDIT, NOTE, 'Ludmilla visits'],
  [...KEPT, 'The keys are at the mill'],
)

test('erase with copies: delete leaves no byte of the words in any file of the memory', async () => {
  const { folder, memory, ids } = await livedIn()
  expect(new Set(tracesIn(folder, TRACES).map((found) => found.replace(/: .*$/s, ''))).size).toBeGreaterThan(
    4,
  )
  const plan = await memory.erase({ blockIds: ids })
  expect(plan).toMatchObject({ erased: false, finished: false })
  expect(plan.copies.length).toBe(4)
  const inAttic = await memory.erase({ query: '"vault combination"' })
  const all = [...new Set([...ids.slice(0, SECRETS.length), ...inAttic.blocks.map(({ id }) => id)])]
  const done = await memory.erase({ blockIds: all, copies: 'delete', yes: true })
  expect(done).toMatchObject({ erased: true, finished: true, files: [], copies: [] })
  expect(done.deleted.filter((path) => /\.(db|jsonl)$/.test(path))).toHaveLength(4)
  expect(tracesIn(folder, TRACES)).toEqual([])
  await memory.close()
  expect(tracesIn(folder, TRACES)).toEqual([])
})

test('erase keeps and names the backups and exports that hold the block, those made elsewhere too', async () => {
  const { folder, path, memory, ids } = await livedIn()
  const elsewhere = [join(folder, 'mine.jsonl'), join(folder, 'mine.db')]
  await memory.export({ path: elsewhere[0] })
  await memory.backup({ path: elsewhere[1] })
  const done = await memory.erase({ blockIds: ids.slice(1, 2), yes: true })
  expect(done).toMatchObject({ finished: true, deleted: [] })
  expect(done.copies).toHaveLength(6)
  expect(done.copies).toEqual(expect.arrayContaining(elsewhere))
  const left = tracesIn(folder, ['Ottokar'], done.copies)
  expect(left).toEqual([])
  expect(existsSync(path)).toBe(true)
})

test('erase leaves other blocks, which are found as before', async () => {
  const { memory, ids, kept, replacing } = await livedIn()
  await memory.erase({ blockIds: ids.slice(0, SECRETS.length), yes: true })
  const asked = await memory.recall({ query: 'when does the red ferry come?' })
  expect(asked.blocks.map(({ id }) => id)).toContain(kept[0])
  expect((await memory.show({ blockId: replacing })).block.supersedes).toBeUndefined()
  expect(await memory.doctor({})).toMatchObject({ outcome: 'ok' })
})

test('erase names another block that holds the whole text, and keeps it', async () => {
  const { memory } = await livedIn()
  const shared = 'The harbour master counts every single boat at noon'
  const { blockId: one } = await memory.remember({ content: shared })
  const { blockId: two } = await memory.remember({ content: `${shared}, said the cook` })
  await memory.dream()
  const { others, finished } = await memory.erase({ blockIds: [one], yes: true })
  expect([finished, others.map(({ id }) => id)]).toEqual([true, [two]])
  expect((await memory.show({ blockId: two })).block.content).toContain(shared)
})

test('erase by query removes the words from before an edit, and their block stays', async () => {
  const { memory, path, ids } = await livedIn()
  const [first = ''] = ids
  const gone = await memory.erase({ query: '471199 crimson' })
  expect(gone.blocks.map(({ status }) => status).sort()).toEqual(['active', 'before'])
  await memory.erase({ query: '471199 crimson', copies: 'delete', yes: true })
  expect((await memory.show({ blockId: first })).block.content).toBe(AFTER_EDIT)
  expect(tracesIn(dirname(path), ['471199', 'crimson', 'lantern'])).toEqual([])
})

test('erase keeps number, time and operation of log entries, and marks as erased what cannot be undone', async () => {
  const { memory, ids } = await livedIn()
  const [first = ''] = ids
  const before = (await memory.history({ limit: 200 })).operations
  await memory.erase({ blockIds: [first], yes: true })
  const after = (await memory.history({ limit: 201 })).operations
  expect(after.slice(0, -1).map(({ id, at, hours, operation }) => [id, at, hours, operation])).toEqual(
    before.map(({ id, at, hours, operation }) => [id, at, hours, operation]),
  )
  expect(after.flatMap(({ blockIds }) => blockIds)).not.toContain(first)
  const edit = after.findLast(({ operation }) => operation === 'edit')
  expect(edit).toMatchObject({ erased: true, undoable: false, summary: 'erased' })
  expect(await refusal(memory.undo({ operationId: edit?.id ?? 0 }))).toMatchObject({
    code: 'WRONG_STATUS',
  })
  expect(after.at(-1)).toMatchObject({ operation: 'erase', undoable: false })
})

test('erase by query takes out the words of a block whose remember was undone', async () => {
  const folder = temporaryFolder()
  const memory = await openOwners(join(folder, 'memory.db'))
  await memory.remember({ content: 'The ferry is red' })
  await memory.remember({ content: 'Konstantin sleeps under the boathouse', tags: ['undone'] })
  await memory.undo({})
  expect(tracesIn(folder, ['Konstantin']).length).toBeGreaterThan(0)
  const { blocks } = await memory.erase({ query: 'konstantin', yes: true })
  expect(blocks).toMatchObject([{ status: 'before' }])
  expect(tracesIn(folder, ['Konstantin', 'konstantin', 'boathouse'])).toEqual([])
})

test('erase removes packed indexes of the memory and of scopes, which are made anew without the words', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'memory.db')
  const memory = await openOwners(path)
  const texts = Array.from({ length: 1_100 }, (_, i) => ({ content: `Crate ${i} holds rope` }))
  await memory.rememberMany({ blocks: texts, scope: 'hold' })
  const { blockId } = await memory.remember({ content: 'Evangeline stowed away in the bilge', scope: 'hold' })
  await memory.dream()
  await memory.close()
  const inScope = await openMemory(path, { as: 'owner', scope: 'hold', embedder: createHashingEmbedder() })
  await inScope.recall({ query: 'rope' })
  await inScope.dream()
  await inScope.close()
  const names = () => tracesIn(folder, ['evangelin'])
  expect(names().filter((found) => found.includes('-index')).length).toBeGreaterThan(0)
  const again = await openOwners(path)
  await again.erase({ blockIds: [blockId], yes: true })
  // A look: a question that says the words anew is kept as any other is.
  await again.recall({ query: 'who stowed away?', reinforce: false })
  await again.close()
  expect(tracesIn(folder, ['Evangeline', 'evangelin', 'stowed', 'bilge'])).toEqual([])
}, 60_000)

test('erase leaves the file whole, without free pages, and with the blocks of another scope', async () => {
  const { path, memory, ids } = await livedIn()
  await memory.erase({ blockIds: ids, yes: true })
  await memory.close()
  const database = new DatabaseSync(path)
  onTestFinished(() => database.close())
  expect(database.prepare('PRAGMA freelist_count').get()).toEqual({ freelist_count: 0 })
  expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  expect(database.prepare('PRAGMA foreign_key_check').all()).toEqual([])
  expect(readFileSync(path).includes('Quatrain')).toBe(true)
})

test('erase takes out tags, category, source, session, relations and notes that a caller named', async () => {
  const folder = temporaryFolder()
  const memory = await openOwners(join(folder, 'memory.db'))
  const names = {
    tags: ['wordoftag/one'],
    category: 'wordofkind',
    source: 'wordofsource',
    session: 'wordofsession',
  }
  const { blockId } = await memory.remember({ content: 'Konstantin sleeps late', cue: 'wordofcue', ...names })
  const { blockId: kept } = await memory.remember({ content: 'The ferry is red' })
  await memory.dream()
  await memory.connect({ source: blockId, target: kept, relation: 'wordofrelation', note: 'wordofnote' })
  await memory.edit({ blockId, tags: ['wordoftag/two'], category: 'wordofanother' })
  await memory.backup()
  await memory.export({ name: 'one.jsonl' })
  await memory.disconnect({ source: blockId, target: kept, reason: 'wordofreason' })
  await memory.forget({ blockId, reason: 'wordofgrudge' })
  expect(tracesIn(folder, ['wordof']).length).toBeGreaterThan(2)
  const done = await memory.erase({ blockIds: [blockId], copies: 'delete', yes: true })
  expect(done).toMatchObject({ finished: true })
  expect(tracesIn(folder, ['wordof', 'Konstantin', blockId])).toEqual([])
})
