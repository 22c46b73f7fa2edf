import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { stepsOfTurn } from '../../src/hooks/clients/rollout.ts'
import { temporaryFolder } from '../helpers/memory.ts'

const completed = (item: object, turn_id = 't1') =>
  JSON.stringify({ type: 'event_msg', payload: { type: 'item_completed', turn_id, item } })
const command = (line: string, exit_code: number, id = line) => ({
  type: 'CommandExecution',
  id,
  command: ['/bin/sh', '-lc', line],
  exit_code,
})

/** A folder like that of Codex, with a record of the session `s1`. */
function record(...lines: readonly string[]): string {
  const folder = join(temporaryFolder(), 'sessions', '2026', '11', '26')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'rollout-2026-11-26T07-17-51-s1.jsonl')
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

test('stepsOfTurn reads commands and changed files of a turn from the record of Codex', () => {
  const path = record(
    completed(command('npm test', 1)),
    'no JSON at all "item_completed"',
    completed({
      type: 'FileChange',
      id: 'f',
      status: 'completed',
      changes: {
        '/w/a': { type: 'add', content: 'port 4210' },
        '/w/b': { type: 'update', unified_diff: '@@\n-old\n+new 4211\n' },
      },
    }),
    completed(command('npm test', 0, 'again')),
    completed(command('of another turn', 0), 't0'),
  )
  expect(stepsOfTurn(path, 's1', 't1')).toEqual([
    { id: 'npm test', tool: 'shell', words: 'npm test', command: 'npm test', ok: false },
    { id: 'f /w/a', tool: 'apply_patch', words: 'port 4210', path: '/w/a', ok: true },
    { id: 'f /w/b', tool: 'apply_patch', words: 'new 4211', path: '/w/b', ok: true },
    { id: 'again', tool: 'shell', words: 'npm test', command: 'npm test', ok: true },
  ])
})

test('stepsOfTurn reads no other file', () => {
  const path = record(completed(command('npm test', 0)))
  const link = join(path, '..', 'rollout-2026-11-26T07-17-52-s1.jsonl')
  symlinkSync(path, link)
  for (const other of [
    '',
    '/etc/passwd',
    `${path}/../../passwd`,
    link,
    '/dev/zero',
    join(path, '..'),
    `${path}\n`,
  ])
    expect(stepsOfTurn(other, 's1', 't1'), other).toEqual([])
  expect(stepsOfTurn(path, 's2', 't1')).toEqual([])
  expect(stepsOfTurn(path, '', 't1')).toEqual([])
})
