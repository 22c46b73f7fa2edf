import { expect, test } from 'vitest'
import { elfmem, temporaryDirectory } from './helpers/cli.ts'

test('show tells in columns what a block is joined to, what was reported and what undo takes', async () => {
  const home = temporaryDirectory()
  const run = async (...args: string[]) => {
    const { out, code } = await elfmem(args, { home })
    expect(code).toBe(0)
    return out
  }
  const learn = async (...args: string[]): Promise<string> =>
    JSON.parse(await run('remember', ...args, '--json')).block_id
  const tea = await learn('Tea is at four', '--cue', 'when guests come')
  const port = await learn('Staging listens on port 8443')
  await run('dream')
  await run('connect', tea, port, '--relation', 'contradicts', '--note', 'no tea in the port')
  await run('outcome', '--helped', tea, '--source', 'the afternoon')
  await run('undo')
  await run('outcome', '--helped', tea, '--source', 'the evening')
  const lines = (await run('show', tea)).split('\n')
  expect(lines).toContain('Cue: when guests come')
  const after = (heading: string, at = 1) => lines[lines.findIndex((line) => line.startsWith(heading)) + at]
  expect(after('Joined to:')).toBe(
    `  contradicts  0.60  ${port.slice(0, 8)}  Staging listens on port 8443 (no tea in the port)`,
  )
  expect(after('To decide with resolve:')).toMatch(/^ {2}contradiction {2}0\.60 .*\(found by owner\)$/)
  expect(after('Reported:')).toMatch(/^ {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}signal 1\.00 .* {2}the evening$/)
  expect(lines.join('\n')).not.toContain('beside the point  ')
  const done = lines.slice(lines.findIndex((line) => line.startsWith('Done to it')) + 1)
  const [last, undo, undone] = done as [string, string, string]
  expect(last).toMatch(/^ {2}\*\d+ .* outcome .*\(the evening\)$/)
  expect(undo).toMatch(/^ {2}\*\d+ .* undo +took back outcome/)
  expect(undone).toMatch(/^ {3}\d+ .* outcome .*\(the afternoon\) \[undone by \d+\]$/)
  const column = (line: string, word: string) => line.indexOf(` ${word} `)
  expect(column(undo, 'undo')).toBe(column(last, 'outcome'))
  expect(done.join(' ')).not.toContain(tea)
  await run('outcome', '--beside', tea, '--source', 'the night')
  expect(await run('show', tea)).toMatch(/ {2}beside the point {2}confidence .* {2}the night\n/)
})
