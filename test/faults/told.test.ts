import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Line } from './acts.ts'
import { Told } from './told.ts'

/** A block of a file, as it is found. */
interface Found {
  readonly id: string
  readonly content: string
  readonly status: string
}

/** What is found to be wrong with a file that has this one block. */
function judge(lines: readonly Line[], content: string): readonly string[] {
  return judgeAll(lines, [{ id: 'b1', content, status: 'inbox' }])
}

/** What is found to be wrong with a file that has these blocks. */
function judgeAll(lines: readonly Line[], found: readonly Found[]): readonly string[] {
  const told = new Told()
  told.hear(lines)
  const database = new DatabaseSync(':memory:')
  database.exec(
    'CREATE TABLE blocks (id, content, status, supersedes); CREATE TABLE block_outcomes (block_id); CREATE TABLE edges (from_id, to_id)',
  )
  for (const { id, content, status } of found)
    database.prepare('INSERT INTO blocks VALUES (?, ?, ?, NULL)').run(id, content, status)
  return told.differences(database)
}

const done = (act: Extract<Line, { readonly done: unknown }>['done'], ids: readonly string[]): Line[] => [
  { begins: act },
  { done: act, ids },
]
const remembered = done({ does: 'remember', contents: ['old words'] }, ['b1'])
const learned = done({ does: 'learnDocument', contents: ['old words'] }, ['b1'])
const editBegun: Line = { begins: { does: 'edit', id: 'b1', content: 'new words' } }

test('an edit cut short may have happened or not', () => {
  expect(judge([...remembered, editBegun], 'old words')).toEqual([])
  expect(judge([...remembered, editBegun], 'new words')).toEqual([])
  expect(judge([...remembered, editBegun], 'new old words')).toEqual(['content of b1: new old words'])
})

test('an edit cut short of words that nobody was told may have left them', () => {
  expect(judge([...learned, editBegun], '# Heading\n\nold words')).toEqual([])
})

test('what was acknowledged is missed', () => {
  const edited = done(editBegun.begins, ['b1'])
  expect(judge([...remembered, ...edited], 'old words')).toEqual(['content of b1: old words'])
  expect(judge(done({ does: 'remember', contents: ['other words'] }, ['b2']), 'old words')).toContain(
    'lost: other words',
  )
})

test('a pair resolved may have taken along what the older had replaced, and nothing else', () => {
  const block = (id: string, status: string) => ({ id, content: `words of ${id}`, status })
  const remember = (id: string, supersedes?: string) =>
    done({ does: 'remember', contents: [`words of ${id}`], ...(supersedes && { supersedes }) }, [id])
  const lived = [...remember('b1'), ...remember('b2', 'b1'), ...remember('b3', 'b2'), ...remember('b4')]
  const promoted = done({ does: 'dream' }, ['b1', 'b2', 'b3', 'b4'])
  const begun: Line = { begins: { does: 'resolve', a: 'b3', b: 'b2' } }
  const left = (fourth: string) => [
    block('b1', 'archived'),
    block('b2', 'archived'),
    block('b3', 'active'),
    block('b4', fourth),
  ]
  expect(judgeAll([...lived, ...promoted, begun], left('active'))).toEqual([])
  expect(judgeAll([...lived, ...promoted, begun], left('archived'))).toEqual(['b4 is archived, not active'])
  expect(judgeAll([...lived, ...promoted], left('active'))).toHaveLength(2)
})
