import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'
import { fileOf, folderOf } from './samples.ts'

/** Takes a file or folder in; returns what it kept and what it left. */
async function taken(path: string, format: 'auto' | 'chatgpt' | 'rules' | 'markdown' = 'auto') {
  const { memory } = await openTestMemory()
  const { left, created } = await memory.importFrom({ path, format })
  const { blocks } = await memory.ls({ status: 'inbox' })
  return { left, created, texts: blocks.map(({ content }) => content) }
}

const chat = (mapping: unknown, more: object = {}) => ({ title: 'Tides', mapping, ...more })
const node = (text: string, more: object = {}) => ({
  message: { author: { role: 'user' }, content: { content_type: 'text', parts: [text] }, ...more },
})
/** A conversation that is whole, by which the file is known. */
const WHOLE = chat({ a: node('Boats leave at noon.', { create_time: 1 }) }, { current_node: 'a' })

test.each(['2024-02-30', '99999-01-01', '2024-13-01', '2024-05-01T25:00', 'March 5', '2024-05-01Z'])(
  'the date %s of a note is named, and no other is made of it',
  async (date) => {
    const path = fileOf('note.md', `---\ndate: ${date}\n---\nThe pier is closed.\n`)
    const { memory } = await openTestMemory()
    const { left, samples } = await memory.importFrom({ path })
    expect(left).toMatchObject([{ what: 'dates', count: 1, examples: [date] }])
    expect(samples).toHaveLength(1)
    expect(samples[0]).not.toHaveProperty('at')
  },
)

test.each([
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2024-05-01 09:30', '2024-05-01T09:30:00.000Z'],
  ['2024-05-01T09:30:00.123456+0200', '2024-05-01T07:30:00.123Z'],
  ['2024-05-01T00:30:00-07', '2024-05-01T07:30:00.000Z'],
  ['2024-12-31T23:30:00-07:00', '2025-01-01T06:30:00.000Z'],
])('the date %s of a note is %s', async (date, at) => {
  const { memory } = await openTestMemory()
  const path = fileOf('note.md', `---\ndate: ${date}\n---\nThe pier is closed.\n`)
  const { left, samples } = await memory.importFrom({ path, dryRun: true })
  expect(left).toEqual([])
  expect(samples).toMatchObject([{ at }])
})

test('a note with bytes that are no UTF-8 is named and not kept with other letters', async () => {
  const path = folderOf({
    'latin.md': Buffer.from('Das Café öffnet um neun.\n', 'latin1'),
    'good.md': 'Der Kiosk öffnet um zehn.\n',
    'sign.md': 'The sign \ufffd stands for a broken letter.\n',
  })
  const { left, texts } = await taken(path)
  expect(texts.toSorted()).toEqual([
    'Der Kiosk öffnet um zehn.',
    'The sign \ufffd stands for a broken letter.',
  ])
  expect(left).toMatchObject([{ what: 'texts', count: 1, examples: ['latin.md'] }])
  expect(left[0]?.why).toContain('no UTF-8')
})

test.each([
  ['utf-16le', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['utf-16be', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ['utf-8 with a mark', (text: string) => Buffer.from(`\ufeff${text}`)],
])('files in %s are known and read', async (_, encoded) => {
  const line = JSON.stringify({ type: 'entity', name: 'Quay', entityType: 'place', observations: ['Ä'] })
  const chats = JSON.stringify([WHOLE])
  expect((await taken(fileOf('memory.json', encoded(`${line}\r\n${line}`)))).texts).toEqual(['Quay: Ä'])
  expect((await taken(fileOf('chats.json', encoded(chats)))).texts).toEqual(['Boats leave at noon.'])
  expect((await taken(fileOf('note.md', encoded('# Quay\r\nIt is long.')))).created).toBe(1)
})

test('lines that end as on old machines are lines', async () => {
  const { texts } = await taken(fileOf('AGENTS.md', '# Style\r- Use tabs.\r- Test first.\r'))
  expect(texts.toSorted()).toEqual(['Test first.', 'Use tabs.'])
  expect((await taken(fileOf('note.md', '# Quay\rIt is long.\r'))).created).toBe(1)
})

test('tags that no block has are counted', async () => {
  const many = Array.from({ length: 40 }, (_, at) => `t${at}`).join(', ')
  const path = folderOf({
    'long.md': `---\ntags: [${'x'.repeat(200)}]\n---\nIt is long.\n`,
    'many.md': `---\ntags: [${many}]\n---\nThere are many.\n`,
  })
  expect((await taken(path)).left).toMatchObject([
    { what: 'tags', count: 9 },
    { what: 'tags', count: 1 },
  ])
})

test.skipIf(process.getuid?.() === 0)(
  'a note or folder that is closed is named, and the others come',
  async () => {
    const path = folderOf({ 'shut.md': 'Shut.\n', 'shut/in.md': 'In.\n', 'open.md': 'Tea is at four.\n' })
    chmodSync(join(path, 'shut.md'), 0)
    chmodSync(join(path, 'shut'), 0)
    const { left, texts } = await taken(path)
    chmodSync(join(path, 'shut'), 0o700)
    expect(texts).toEqual(['Tea is at four.'])
    expect(left).toMatchObject([
      { what: 'folders', examples: ['shut'] },
      { what: 'files', examples: ['shut.md'] },
    ])
  },
)

test('an export whose first conversation is empty or long is known', async () => {
  const empty = chat({}, { current_node: 'a' })
  expect((await taken(fileOf('c.json', JSON.stringify([empty, WHOLE])))).created).toBe(1)
  const long = chat({ a: node(`Boats leave at noon.${' '.repeat(5 << 20)}`) }, { current_node: 'a' })
  expect((await taken(folderOf({ 'conversations.json': JSON.stringify([long]) }))).created).toBe(1)
  const observations = Array.from({ length: 5_000 }, (_, at) => `Berth ${at} is taken.`)
  const line = JSON.stringify({ type: 'entity', name: 'Quay', entityType: 'place', observations })
  const { memory } = await openTestMemory({ kind: 'memory' })
  const known = await memory.importFrom({ path: fileOf('memory.json', line), dryRun: true })
  expect(known).toMatchObject({ format: 'server-memory', created: 5_000 })
})

test('of a JSON file with bytes that are no UTF-8 the whole entries are kept', async () => {
  const lines = ['Tea is at four.', 'Das Café öffnet.'].map((text, at) =>
    JSON.stringify({ type: 'entity', name: `e${at}`, entityType: 'fact', observations: [text] }),
  )
  const { left, texts } = await taken(fileOf('memory.json', Buffer.from(lines.join('\n'), 'latin1')))
  expect(texts).toEqual(['e0: Tea is at four.'])
  expect(left).toMatchObject([{ what: 'texts', count: 1, examples: ['e1'] }])
})

test('observations of server-memory that are no text are counted with their entity', async () => {
  const lines = [
    { type: 'entity', name: 'Quay', entityType: 'place', observations: ['It is long.', 42, null, '  '] },
    { type: 'entity', name: 'Buoy', entityType: 'thing', observations: 'It is red.' },
    { type: 'entity', name: 'Mast', entityType: 'thing', observations: { a: 1 } },
  ]
  const path = fileOf('memory.json', lines.map((each) => JSON.stringify(each)).join('\n'))
  const { left, texts } = await taken(path)
  expect(left).toMatchObject([{ what: 'observations', count: 4, examples: ['Quay', 'Mast'] }])
  expect(texts).toContain('Quay: It is long.')
  expect(texts).toContain('Buoy: It is red.')
})

test('broken lines are named, five at most', async () => {
  const good = JSON.stringify({ type: 'entity', name: 'Quay', entityType: 'place', observations: [] })
  const of = async (broken: number) => {
    const path = fileOf('memory.json', [good, ...Array(broken).fill('{')].join('\n'))
    const { memory } = await openTestMemory({ kind: 'memory' })
    return memory.importFrom({ path, dryRun: true })
  }
  expect((await of(3)).left).toMatchObject([{ count: 3, examples: ['line 2', 'line 3', 'line 4'] }])
  expect((await of(9)).left[0]?.examples).toHaveLength(5)
})

test('conversations of ChatGPT without messages, or without the mark of a branch, are named', async () => {
  const nodes = {
    root: { message: null },
    a: { ...node('Ropes are tarred in May.'), parent: 'root' },
    b: { ...node('Sails are patched in June.', { create_time: 7 }), parent: 'a' },
  }
  const entries = [WHOLE, chat([]), chat({}), chat(nodes), chat(nodes, { current_node: 'gone' }), 42, null]
  const { left, texts } = await taken(fileOf('conversations.json', JSON.stringify(entries)))
  expect(texts.toSorted()).toEqual([
    'Boats leave at noon.',
    'Ropes are tarred in May.',
    'Sails are patched in June.',
  ])
  expect(left).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ what: 'conversations', count: 2, why: 'there are no messages in them' }),
      expect.objectContaining({ what: 'marks of the branch that was shown last', count: 2 }),
      {
        ...{ what: 'entries', why: 'they are no conversations', count: 2 },
        examples: ['conversation 6', 'conversation 7'],
      },
    ]),
  )
  expect(left).toHaveLength(3)
})

test.each(['1e400', '-1e300', 'true', '[2024]', '"soon"'])(
  'the time %s of a message is named',
  async (time) => {
    const text = JSON.stringify([WHOLE]).replace('"create_time":1', `"create_time":${time}`)
    const { left, created } = await taken(fileOf('conversations.json', text))
    expect(created).toBe(1)
    expect(left).toMatchObject([{ what: 'dates', count: 1 }])
  },
)

test('links, pipes and linked folders of rules are named and not read', async () => {
  const outside = folderOf({ 'secret.md': 'Nobody may read this.\n' })
  const path = folderOf({ 'AGENTS.md': '- Use tabs.\n' })
  symlinkSync(join(outside, 'secret.md'), join(path, 'CLAUDE.md'))
  mkdirSync(join(path, '.cursor'))
  symlinkSync(outside, join(path, '.cursor', 'rules'))
  execFileSync('mkfifo', [join(path, 'GEMINI.md')])
  const { left, texts } = await taken(path, 'rules')
  expect(texts).toEqual(['Use tabs.'])
  expect(left).toMatchObject([
    { what: 'links to files', count: 2, examples: ['CLAUDE.md', '.cursor/rules'] },
    { what: 'pipes, sockets and devices', count: 1, examples: ['GEMINI.md'] },
  ])
})

test('a pipe among notes is named and nobody waits for it', async () => {
  const path = folderOf({ 'good.md': 'Tea is at four.\n' })
  execFileSync('mkfifo', [join(path, 'pipe.md')])
  const { left } = await taken(path, 'markdown')
  expect(left).toMatchObject([{ what: 'pipes, sockets and devices', count: 1, examples: ['pipe.md'] }])
})

test('the import of another file is named wherever it stands, and is no part of a statement', async () => {
  const text =
    '- Use tabs.\n@../outside/o.md\n- Test first.\n  @~/mine.md\nLast of all.\n@a.md\n@b.md\nEnd.\n'
  const { left, texts } = await taken(fileOf('AGENTS.md', text))
  expect(texts.toSorted()).toEqual(['End.', 'Last of all.', 'Test first.', 'Use tabs.'])
  expect(left).toMatchObject([
    {
      what: 'imports of other files',
      count: 4,
      examples: ['@../outside/o.md', '@~/mine.md', '@a.md', '@b.md'],
    },
  ])
})

test.each([
  ['a block of code', '```sh\nmake docs\n```'],
  ['indented words', '  They say how docs are made.'],
])('the import of another file above %s is named, and no statement says it', async (_, below) => {
  for (const line of ['@docs/rules.md', '- @docs/rules.md']) {
    const { left, texts } = await taken(fileOf('CLAUDE.md', `- Use tabs.\n\n${line}\n${below}\n`))
    expect(left).toMatchObject([{ what: 'imports of other files', count: 1, examples: ['@docs/rules.md'] }])
    expect(texts.toSorted()).toEqual([below.trim(), 'Use tabs.'].toSorted())
  }
})

test('a link in a table finds its note, whatever words stand for it', async () => {
  const path = folderOf({
    'Menu.md': '| day | soup |\n|---|---|\n| Mon | [[Stock\\|broth]] |\n| Tue | [[Chowder#Fish\\|fish]] |\n',
    'Stock.md': 'Stock is made of leeks.\n',
    'Chowder.md': 'Chowder is made of cod.\n',
  })
  const { memory } = await openTestMemory()
  expect(await memory.importFrom({ path, format: 'markdown' })).toMatchObject({ left: [], linksMade: 2 })
})

test('instructions and descriptions of a project of Claude are named where it has them', async () => {
  const said = {
    uuid: 'm',
    sender: 'human',
    text: 'Boats leave at noon.',
    created_at: '2026-01-05T10:00:00Z',
  }
  const project = (name: string, more: object) => ({ uuid: name, name, docs: [], ...more })
  const path = folderOf({
    'conversations.json': JSON.stringify([{ uuid: 'c', name: 'Tides', chat_messages: [said] }]),
    'projects.json': JSON.stringify([
      project('Harbour', { prompt_template: 'Answer in knots.', description: 'All about boats.' }),
      project('Pier', { prompt_template: 'Answer in metres.', description: '' }),
      project('Quay', { prompt_template: ' ' }),
    ]),
  })
  expect((await taken(path)).left).toMatchObject([
    { what: 'instructions of projects', count: 2, examples: ['Harbour', 'Pier'] },
    { what: 'descriptions of projects', count: 1, examples: ['Harbour'] },
  ])
})
