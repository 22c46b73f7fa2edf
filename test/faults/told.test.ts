import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Line } from './acts.ts'
import { Told } from './told.ts'

/** What is found to be wrong with a file that has this one block. */
function judge(lines: readonly Line[], content: string): readonly string[] {
  const told = new Told()
  told.hear(lines)
  const database = new DatabaseSync(':memory:')
  database.exec(
    'CREATE TABLE blocks (id, content, status); CREATE TABLE block_outcomes (block_id); CREATE TABLE edges (from_id, to_id)',
  )
  database.prepare('INSERT INTO blocks VALUES (?, ?, ?)').run('b1', content, 'inbox')
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
