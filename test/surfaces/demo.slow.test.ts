import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { elfmem, temporaryDirectory } from './helpers/cli.ts'

test('elfmem demo answers, learns and connects in plain text, and leaves no memory behind', async () => {
  const home = temporaryDirectory()
  const { code, out, err } = await elfmem(['demo'], { home })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).not.toContain('\u001b')
  expect(out.match(/^ {2}✓ /gm)?.length).toBeGreaterThanOrEqual(4)
  const moves = [...out.matchAll(/(helped|misled) .*\n +place (\d+) → (?:place (\d+)|not)/g)]
  const misled = moves.filter(([, verdict]) => verdict === 'misled')
  expect(misled.length).toBeGreaterThan(0)
  expect(misled.filter(([, , before, after]) => Number(after) < Number(before))).toEqual([])
  expect(out).toMatch(/brought .*\n +not in the answer → place \d/)
  expect(readdirSync(home)).toEqual([])
})
