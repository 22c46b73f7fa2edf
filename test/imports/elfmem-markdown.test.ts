import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../helpers/memory.ts'
import '../helpers/properties.ts'
import { openOn, openStore } from '../helpers/scoped.ts'
import { elfmem, temporaryDirectory } from '../surfaces/helpers/cli.ts'
import { connectClient } from '../surfaces/helpers/roads.ts'

/** Three blocks of the owner in a folder of notes. */
async function noted() {
  const opened = await openTestMemory({ as: 'owner' })
  const { memory } = opened
  const keep = (content: string, more: object = {}) =>
    memory.remember({ content, sourceClass: 'user', ...more }).then(({ blockId }) => blockId)
  const tea = await keep('Tea is at four.', { tags: ['house/tea', 'later'] })
  const port = await keep('Staging uses port 4000.', { category: 'decision', at: '2026-01-02' })
  await memory.dream()
  await memory.connect({ source: tea, target: port, relation: 'supports' })
  const gone = await keep('Nobody asks for this.')
  await memory.forget({ blockId: gone })
  const folder = join(temporaryDirectory(), 'notes')
  await memory.export({ markdown: folder })
  const file = (name: string) => join(folder, name)
  const change = (name: string, from: string | RegExp, to: string) =>
    writeFileSync(file(name), readFileSync(file(name), 'utf8').replace(from, to))
  const words = async (blockId: string) => (await memory.show({ blockId })).block.content
  const take = (more: object = {}) => memory.importFrom({ path: folder, trusted: true, ...more })
  return { ...opened, tea, port, gone, folder, file, change, words, take }
}

test('export with markdown writes one readable note for a tag or a category, with ids, dates and links', async () => {
  const { memory, tea, port, gone, folder, file } = await noted()
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual([
    'decision-notes.md',
    'house',
    'house/tea-notes.md',
  ])
  const note = readFileSync(file('house/tea-notes.md'), 'utf8')
  expect(note).toContain(`\n## ${tea}\n\nTea is at four.\n`)
  expect(note).toContain(JSON.stringify({ to: port, relation: 'supports' }))
  expect(readFileSync(file('decision-notes.md'), 'utf8')).toContain('2026-01-02')
  expect(note).not.toContain(gone)
  expect([statSync(file('decision-notes.md')).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([
    0o600, 0o700,
  ])
  expect(await memory.export({ markdown: folder })).toMatchObject({ blocks: 2, files: 2, left: 1 })
})

test('erase names the notes that hold erased words', async () => {
  const folder = temporaryDirectory()
  const notes = join(folder, 'notes')
  const { memory } = await openTestMemory({ as: 'owner', kind: 'file' })
  const content = 'When the Orpheus deploy fails, restart the cache.'
  const { blockId } = await memory.remember({ content, category: 'strategy' })
  await memory.remember({ content: 'Lunch is at noon.', category: 'habit' })
  await memory.dream()
  await memory.export({ markdown: notes })
  const { copies: elsewhere } = await memory.erase({ blockIds: [blockId] })
  expect(elsewhere).toEqual([join(notes, 'strategy-notes.md')])
})

test('importFrom of notes edits changed sections, remembers new ones, forgets nothing, and one undo takes it back', async () => {
  const { memory, tea, port, change, words, take } = await noted()
  change('house/tea-notes.md', 'at four.', 'at five.')
  change('house/tea-notes.md', /$/, '\n## when guests come\n\nGuests get cake.\n')
  change('decision-notes.md', /## .*/s, '')
  const seen = await take({ dryRun: true })
  expect(seen).toMatchObject({ format: 'elfmem-markdown', created: 1, edited: 1 })
  expect(seen.edits).toMatchObject([{ id: tea, before: 'Tea is at four.', content: 'Tea is at five.' }])
  expect(await words(tea)).toBe('Tea is at four.')
  const done = await take()
  expect(done).toMatchObject({ created: 1, edited: 1, left: [{ count: 1, examples: [port] }] })
  expect(await words(tea)).toBe('Tea is at five.')
  expect((await memory.recall({ query: 'when is tea', topK: 1 })).blockIds).toEqual([tea])
  const [fresh] = (await memory.ls({ status: 'inbox' })).blocks
  expect(fresh).toMatchObject({ content: 'Guests get cake.', cue: 'when guests come', sourceClass: 'user' })
  expect((await memory.show({ blockId: port })).block.status).toBe('active')
  expect(await take()).toMatchObject({ created: 0, edited: 0 })
  await memory.undo({ operationId: Number(done.operationId) })
  expect(await words(tea)).toBe('Tea is at four.')
  expect((await memory.ls({ status: 'inbox' })).blocks).toEqual([])
})

test('importFrom refuses what changed on both sides, by name, and edits nothing else', async () => {
  const { memory, tea, port, change, words, take } = await noted()
  change('house/tea-notes.md', 'at four.', 'at five.')
  change('decision-notes.md', 'port 4000', 'port 5000')
  await memory.edit({ blockId: tea, content: 'Tea is at six.' })
  const seen = await take({ dryRun: true })
  expect(seen.edits.map(({ id, refused }) => [id, refused !== undefined])).toEqual([
    [tea, true],
    [port, false],
  ])
  const refused = await refusal(take())
  expect(refused).toMatchObject({ code: 'CONFLICT', details: { places: ['house/tea-notes.md:9'] } })
  expect([await words(tea), await words(port)]).toEqual(['Tea is at six.', 'Staging uses port 4000.'])
})

test('importFrom without trusted edits no words that are trusted more, and makes new ones an import', async () => {
  const { memory, tea, change, words, take } = await noted()
  change('decision-notes.md', /$/, '\n## \n\nNobody vouches for this.\n')
  expect(await take({ trusted: false })).toMatchObject({ created: 1 })
  change('house/tea-notes.md', 'at four.', 'at five.')
  expect((await refusal(take({ trusted: false }))).code).toBe('CONFLICT')
  expect(await words(tea)).toBe('Tea is at four.')
  expect((await memory.history({ lastN: 1 })).operations[0]?.operation).toBe('import_from')
})

test('export writes over no note of somebody else, and over none with words that it would lose', async () => {
  const { memory, folder, file, change, take } = await noted()
  change('house/tea-notes.md', 'at four.', 'at five.')
  expect((await refusal(memory.export({ markdown: folder }))).code).toBe('CONFLICT')
  await take()
  await memory.export({ markdown: folder })
  expect(await take()).toMatchObject({ created: 0, edited: 0, left: [] })
  writeFileSync(file('decision-notes.md'), '# My own\n')
  expect((await refusal(memory.export({ markdown: folder }))).code).toBe('INVALID_INPUT')
  expect(readFileSync(file('decision-notes.md'), 'utf8')).toBe('# My own\n')
})

test('importFrom names the line of a broken note, and takes nothing in', async () => {
  const broken: readonly (readonly [RegExp, string, number])[] = [
    [/\n---\n/, '\n', 1],
    [/"hash"/, '"hush"', 1],
    [/ {2}- \{/, '  - {{', 1],
    [/## [0-9a-f]{3}/, '## 000', 9],
    [/(## [0-9a-f]{16})/, '$1 Tea time', 9],
    [/elfmem: 1/, 'elfmem: 2', 1],
    [/(## [0-9a-f]+)\n/, '$1\n\nx\n$1\n', 12],
  ]
  for (const [from, to, line] of broken) {
    const { change, take } = await noted()
    change('house/tea-notes.md', from, to)
    const { code, details } = await refusal(take())
    expect([code, details]).toEqual(['INVALID_INPUT', { path: 'house/tea-notes.md', line }])
  }
})

test('importFrom reads notes that an editor saved with CRLF, blanks and fields of its own', async () => {
  const { tea, change, words, take } = await noted()
  change('house/tea-notes.md', '\nblocks:', '\naliases:\n  - tea\nblocks:')
  change('house/tea-notes.md', 'at four.', 'at five.  ')
  change('house/tea-notes.md', /\n/g, '\r\n')
  expect(await take()).toMatchObject({ edited: 1, created: 0 })
  expect(await words(tea)).toBe('Tea is at five.')
})

test('export and importFrom change nothing, whatever texts, tags and categories there are', async () => {
  const sign = fc.oneof(
    fc.constantFrom(
      ...['## 3f2a9c1e8d7b6a50', '\n', '\r', '---', '```', ' ', '\\', '&#10;', 'elfmem: 1', 'e\u0301'],
    ),
    fc.string({ unit: 'binary', maxLength: 4 }),
  )
  const text = fc.array(sign, { maxLength: 8 }).map((parts) => `w${parts.join('')}w`.replaceAll('\0', ''))
  const tag = fc.constantFrom(
    ...['a', 'a/b', '../x', '.git/y', 'con', 'node_modules/x', 'a/'.repeat(40), 'e\u0301', '𝔞'.repeat(100)],
    ...['a:b', 'a b', '/', 'é', 'imported/x'],
  )
  const block = fc.record({
    content: text,
    tags: fc.array(tag, { maxLength: 2 }),
    category: fc.constantFrom('fact', 'a'),
  })
  const { memory } = await openTestMemory({ as: 'owner', settings: { memory: { secrets: 'keep' } } })
  const root = temporaryDirectory()
  await fc.assert(
    fc.asyncProperty(fc.array(block, { minLength: 1, maxLength: 4 }), fc.nat(), async (blocks, at) => {
      await memory.rememberMany({ blocks })
      const before = (await memory.history({ lastN: 1 })).operations[0]?.id
      const folder = join(root, `${at}`, 'notes')
      const { blocks: written } = await memory.export({ markdown: folder })
      expect(readdirSync(join(root, `${at}`))).toEqual(['notes'])
      const answer = await memory.importFrom({ path: folder, trusted: true })
      expect(answer).toMatchObject({ known: written, created: 0, edited: 0, left: [] })
      expect((await memory.history({ lastN: 1 })).operations[0]?.id).toBe(before)
    }),
    { numRuns: 40 },
  )
})

test('export and importFrom of notes stay in a scope', async () => {
  const store = await openStore()
  const [whole, ship] = [await openOn(store), await openOn(store, { scope: 'ship' })]
  await whole.remember({ content: 'Tea is at four.' })
  const { blockId } = await ship.remember({ content: 'The ship leaves at nine.' })
  const folder = join(temporaryDirectory(), 'notes')
  expect(await ship.export({ markdown: folder })).toMatchObject({ blocks: 1, files: 1 })
  const [name = ''] = readdirSync(folder)
  const file = join(folder, name)
  writeFileSync(file, readFileSync(file, 'utf8').replace('at nine', 'at ten'))
  await ship.importFrom({ path: folder, trusted: true })
  expect((await whole.show({ blockId })).block.content).toBe('The ship leaves at ten.')
})

test('elfmem export --markdown and import-from go round, and an agent over MCP names no folder', async () => {
  const home = temporaryDirectory()
  mkdirSync(join(home, 'vault'))
  await elfmem(['remember', 'The kettle is blue.', '--source-class', 'user'], { home })
  const written = await elfmem(['export', '--markdown', 'vault', '--json'], { home })
  expect(JSON.parse(written.out)).toMatchObject({ files: 1, blocks: 1 })
  const [name = ''] = readdirSync(join(home, 'vault'))
  const file = join(home, 'vault', name)
  writeFileSync(file, readFileSync(file, 'utf8').replace('is blue', 'is red'))
  const seen = await elfmem(['import-from', 'vault', '--trusted', '--dry-run'], { home })
  expect(seen.out).toContain('+ The kettle is red.')
  await elfmem(['import-from', 'vault', '--trusted'], { home })
  expect((await elfmem(['inbox'], { home })).out).toContain('The kettle is red.')
  const { memory } = await openTestMemory()
  const client = await connectClient(memory)
  const call = { name: 'elfmem_export', arguments: { markdown: join(home, 'other') } }
  expect(await client.callTool(call)).toMatchObject({ structuredContent: { code: 'OWNER_ONLY' } })
})
