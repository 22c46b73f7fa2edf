import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blockEditor } from '../../src/surfaces/cli/clients/edit/block-edit.ts'
import type { Editor, Entry } from '../../src/surfaces/cli/clients/edit/entry.ts'
import { jsonEditor } from '../../src/surfaces/cli/clients/edit/json-edit.ts'
import { tomlEditor } from '../../src/surfaces/cli/clients/edit/toml-edit.ts'
import { jsonText, MARK, tomlText } from './texts.ts'

const SERVER = { type: 'stdio', command: 'elfmem', args: ['serve', '--project-scope'], env: {} }
const member = (...at: string[]): Entry => ({ kind: 'member', at, value: SERVER })
const item = (...at: string[]): Entry => ({ kind: 'item', at, value: { hooks: [{ server: 'elfmem' }] } })

/** Takes out what was put in; fails if it is not there as it was put. */
function without(editor: Editor, text: string, trace: Parameters<Editor['takeOut']>[1]): string {
  const taken = editor.takeOut(text, trace)
  if (typeof taken === 'string') throw new Error(taken)
  return taken.text
}

/** True where something else stands in the way of an entry, so that it is refused. */
function isRefused(editor: Editor, text: string, entry: Entry): boolean {
  try {
    return editor.stands(text, entry) !== 'absent'
  } catch {
    return true
  }
}

const MACHINES = [
  ['a member of JSON', jsonEditor, member('mcpServers', 'elfmem'), jsonText(['mcpServers'])],
  ['an item of JSON', jsonEditor, item('hooks', 'Stop'), jsonText(['hooks'])],
  ['a member at the top', jsonEditor, member('elfmem'), jsonText(['mcpServers'])],
  [
    'a table of TOML',
    tomlEditor,
    { ...member('mcp_servers', 'elfmem'), value: { command: 'elfmem', args: ['serve'] } },
    tomlText(),
  ],
  ['a block of text', blockEditor, { kind: 'block', at: [], value: 'one\n\ntwo' } as Entry, tomlText()],
] as const

test.each(MACHINES)(
  '%s is put in once, and taken out the file is what it was, byte for byte',
  (_, editor, entry, texts) => {
    let tried = 0
    fc.assert(
      fc.property(texts, (text) => {
        if (isRefused(editor, text, entry)) return
        tried += 1
        const put = editor.put(text, entry)
        expect(editor.stands(put.text, entry)).toBe('same')
        expect(without(editor, put.text, put.trace)).toBe(text)
      }),
      { numRuns: 3000 },
    )
    expect(tried).toBeGreaterThan(1000)
  },
)

test.each(MACHINES)(
  'after a foreign edit beside %s all but the entry is that edit, byte for byte',
  (_, editor, entry, texts) => {
    let edited = 0
    fc.assert(
      fc.property(texts, fc.constantFrom('x', 'longer than before', ''), (text, other) => {
        if (isRefused(editor, text, entry)) return
        const put = editor.put(text, entry)
        const foreign = (each: string) => each.replaceAll(MARK, other)
        if (foreign(text) !== text) edited += 1
        expect(without(editor, foreign(put.text), put.trace)).toBe(foreign(text))
      }),
      { numRuns: 3000 },
    )
    expect(edited).toBeGreaterThan(50)
  },
)

test.each([
  ['JSON', jsonEditor, jsonText(['mcpServers', 'other']), ['mcpServers', 'elfmem'], ['mcpServers', 'zed']],
  [
    'JSON with one more member at the top',
    jsonEditor,
    jsonText(['x']),
    ['servers', 'elfmem'],
    ['more', 'zed'],
  ],
  ['TOML', tomlEditor, tomlText(), ['mcp_servers', 'elfmem'], ['mcp_servers', 'zed']],
] as const)(
  'a sibling that came into %s later stays, and no other value changes',
  (_, editor, texts, at, otherAt) => {
    const value = { command: 'elfmem', args: ['serve'] }
    const [ours, other] = [member(...at), member(...otherAt)].map((each) => ({ ...each, value })) as [
      Entry,
      Entry,
    ]
    fc.assert(
      fc.property(texts, (text) => {
        if (isRefused(editor, text, ours) || isRefused(editor, text, other)) return
        const put = editor.put(text, ours)
        const both = editor.put(put.text, other)
        const kept = without(editor, both.text, put.trace)
        const alone = editor.put(text, other).text
        expect(editor.valueAt(kept, [])).toEqual(editor.valueAt(alone, []))
        expect(editor.stands(kept, ours)).toBe('absent')
        expect(editor.valueAt(without(editor, kept, both.trace), at)).toBe(undefined)
      }),
      { numRuns: 1500 },
    )
  },
)

test('a file that another program wrote anew in its own form is read as before', () => {
  fc.assert(
    fc.property(jsonText(['mcpServers']), fc.constantFrom(0, 2, '\t'), (text, indent) => {
      const entry = member('mcpServers', 'elfmem')
      if (isRefused(jsonEditor, text, entry)) return
      const put = jsonEditor.put(text, entry)
      const anew = JSON.stringify(jsonEditor.valueAt(put.text, []), undefined, indent)
      const kept = without(jsonEditor, anew, put.trace)
      const before = jsonEditor.valueAt(text, [])
      expect(jsonEditor.valueAt(kept, [])).toEqual(before)
    }),
    { numRuns: 1000 },
  )
})

test.each([
  [
    '{\n    "s": {\n        /* c */ "other": {}, // x\n    }\n}',
    '        /* c */ "other": {}, // x\n        "elfmem": 1,\n',
  ],
  ['{\n\t"s": {\n\t\t/* c */ "other": {} // x\n\t}\n}', '\t\t/* c */ "other": {}, // x\n\t\t"elfmem": 1\n'],
  [
    '{ // "x\n  "s": {\n    /* a\n   b */ "other": {} /* y */\n  }\n}',
    '   b */ "other": {}, /* y */\n    "elfmem": 1\n',
  ],
  ['{\r\n    /* c */ "s": { // d\r\n    }\r\n}', '"s": { // d\r\n        "elfmem": 1\r\n    }'],
])('in %j the entry stands on a line of its own, as far in as its neighbours', (text, lines) => {
  const put = jsonEditor.put(text, { kind: 'member', at: ['s', 'elfmem'], value: 1 })
  expect(put.text).toContain(lines)
  expect(without(jsonEditor, put.text, put.trace)).toBe(text)
})
