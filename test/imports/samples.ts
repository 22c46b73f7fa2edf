import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import { temporaryFolder } from '../helpers/memory.ts'

const FIXTURES = join(import.meta.dirname, '../fixtures/imports')

/** Writes files into a folder of their own and returns it. */
export function folderOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = temporaryFolder()
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
  return folder
}

/** One file in a folder of its own. */
export function fileOf(name: string, content: string | Uint8Array): string {
  return join(folderOf({ [name]: content }), name)
}

/** The database that the Python elfmem wrote (`make-elfmem-python.py`). */
export function pythonDatabase(name = 'agent.db'): string {
  return fileOf(name, gunzipSync(readFileSync(join(FIXTURES, 'elfmem-python.db.gz'))))
}

/** The file that server-memory wrote (`make-server-memory.ts`). */
export const SERVER_MEMORY = join(FIXTURES, 'server-memory.jsonl')

/** Statements of SQL against the database of the Python elfmem, as a stranger might have made them. */
export function changedPython(...statements: readonly string[]): string {
  const path = pythonDatabase()
  const raw = new DatabaseSync(path)
  raw.exec('PRAGMA journal_mode = DELETE')
  for (const statement of statements) raw.exec(statement)
  raw.close()
  return path
}

/** A database as the TypeScript version of mem0 has it. */
export function mem0Database(payloads: readonly object[]): string {
  const path = join(temporaryFolder(), 'vector_store.db')
  const raw = new DatabaseSync(path)
  raw.exec('CREATE TABLE vectors (id TEXT PRIMARY KEY, vector BLOB NOT NULL, payload TEXT NOT NULL)')
  const insert = raw.prepare('INSERT INTO vectors VALUES (?, ?, ?)')
  for (const [at, payload] of payloads.entries())
    insert.run(`m${at}`, new Uint8Array(8), JSON.stringify(payload))
  raw.close()
  return path
}

const said = (role: string, text: string, more: object = {}) => ({
  author: { role },
  create_time: 1_750_000_000,
  content: { content_type: 'text', parts: [text] },
  recipient: 'all',
  ...more,
})

/** Two conversations of ChatGPT; the first has a branch that was not chosen, a picture, a hidden message and a memory. */
export const CHATGPT = [
  {
    title: 'Bees in June',
    create_time: 1_750_000_000,
    conversation_id: 'c-1',
    current_node: 'd',
    mapping: {
      root: { message: null, parent: null, children: ['a'] },
      a: { message: said('user', 'When do I take the honey off?'), parent: 'root', children: ['b', 'x'] },
      x: { message: said('assistant', 'Take it off in April.'), parent: 'a', children: [] },
      b: { message: said('assistant', 'Once four of five cells are capped.'), parent: 'a', children: ['h'] },
      h: {
        message: said('user', 'Nobody sees this.', {
          metadata: { is_visually_hidden_from_conversation: true },
        }),
        parent: 'b',
        children: ['m'],
      },
      m: {
        message: said('assistant', 'Keeps eleven hives behind the mill.', { recipient: 'bio' }),
        parent: 'h',
        children: ['p'],
      },
      p: {
        message: said('user', '', {
          content: {
            content_type: 'multimodal_text',
            parts: [
              { content_type: 'image_asset_pointer', asset_pointer: 'file-1' },
              'Is this queen marked?',
            ],
          },
        }),
        parent: 'm',
        children: ['t'],
      },
      t: { message: said('assistant', '{"q":"queens"}', { recipient: 'web' }), parent: 'p', children: ['d'] },
      d: {
        message: said('assistant', 'Yes, in \ue200cite\ue202turn0\ue201blue.'),
        parent: 't',
        children: [],
      },
    },
  },
  {
    title: 'Old feeders',
    create_time: 1_600_000_000,
    id: 'c-2',
    is_archived: true,
    current_node: 'a',
    mapping: { a: { message: said('user', 'Which feeder drowns no bees?'), parent: null, children: [] } },
  },
]

/** A conversation of Claude with an attachment. */
export const CLAUDE = [
  {
    uuid: 'k-1',
    name: 'Cheese cellar',
    created_at: '2026-02-03T10:00:00Z',
    chat_messages: [
      {
        uuid: 'm-1',
        sender: 'human',
        text: 'ignored where content has it',
        content: [{ type: 'text', text: 'How damp should the cellar be?' }],
        created_at: '2026-02-03T10:00:05Z',
        attachments: [{ file_name: 'log.txt', extracted_content: 'a long log' }],
      },
      {
        uuid: 'm-2',
        sender: 'assistant',
        text: 'Ninety per cent, and twelve degrees.',
        content: [],
        created_at: '2026-02-03T10:00:09Z',
      },
    ],
  },
]

/** Rules with a heading, a list, code, an import of another file and a part of our own. */
export const RULES = [
  '# House rules',
  '',
  'Run the linter before each commit.',
  '',
  '## Tests',
  '',
  '- Name a test after what holds.',
  '  Never after a ticket.',
  '- Run them like this:',
  '',
  '```sh',
  '# all of them',
  'make test',
  '```',
  '',
  '@docs/more.md',
  '',
  '<!-- elfmem:begin -->',
  'Use elfmem for what you learn.',
  '<!-- elfmem:end -->',
].join('\n')

/** Three notes as Obsidian and basic-memory write them. */
export const NOTES = {
  'boats/Skiff.md': [
    '---',
    'title: Skiff',
    'permalink: boats/skiff',
    'tags:',
    '- boat',
    '- "#wood"',
    'created: 2025-05-06',
    '---',
    '# Skiff',
    '',
    'Built of larch in one winter #built',
    '',
    '- [material] Larch planks on oak ribs #larch (seen in the yard)',
    '- [ ] caulk the stern',
    '- towed by [[Tug|the old tug]]',
    '- lies at [[Quay#north]]',
    '- leads to [[Nowhere]]',
  ].join('\n'),
  'Tug.md': 'The tug pulls from the [[quay]] to the locks. ![[picture.png]]',
  'Quay.md': '---\ntags: [stone, "high water"]\n---\nThe quay is dry at low water.\n',
  '.trash/Gone.md': 'This note was thrown away.',
}
