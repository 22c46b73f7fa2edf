import { expect, test } from 'vitest'
import { journal } from '../../src/surfaces/cli/demo/journal.ts'
import { elfmem, temporaryDirectory } from './helpers/cli.ts'

test('the demo plays the whole journal, learns from an outcome, follows a connection, fades and restores', async () => {
  const { code, out, err } = await elfmem(['demo', '--json'], { home: temporaryDirectory() })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const { weeks, asked, explained, learned, connected, faded, setup } = JSON.parse(out)
  const notes = journal.reduce((sum, { entries }) => sum + entries.length, 0)
  expect(weeks.reduce((sum: number, week: { notes: number }) => sum + week.notes, 0)).toBe(notes)
  expect(setup.selfBlocks).toBeGreaterThan(0)
  expect(asked.filter((each: { right: boolean }) => each.right).length).toBeGreaterThanOrEqual(
    asked.length / 2,
  )
  for (const { score, terms } of explained as { score: number; terms: { amount: number }[] }[])
    expect(terms.reduce((sum, { amount }) => sum + amount, 0)).toBeCloseTo(score, 3)
  const places = learned.moved as { verdict: string; before: number; after: number }[]
  const misled = places.filter(({ verdict }) => verdict === 'misled')
  expect(misled.length).toBeGreaterThan(0)
  expect(misled.filter(({ before, after }) => after !== 0 && after < before)).toEqual([])
  expect(places.some(({ before, after }) => after !== before)).toBe(true)
  expect(connected).toMatchObject({ before: 0, wasExpanded: true })
  expect(connected.after).toBeGreaterThan(0)
  expect(faded.archived).toBeGreaterThan(0)
  expect(faded.restored).toBe(faded.faded[0])
})

test('the demo is plain text where nobody watches, and leaves nothing behind', async () => {
  const home = temporaryDirectory()
  const { code, out } = await elfmem(['demo'], { home })
  expect(code).toBe(0)
  expect(out).not.toContain('\u001b')
  for (const act of ['Remember', 'Who am I', 'Ask', 'Frames', 'Why', 'Learn', 'Connect', 'Fade'])
    expect(out).toContain(act)
  expect((await elfmem(['config', '--json'], { home })).out).toContain('agent.db')
})

test('the demo and what init says fit a narrow terminal', async () => {
  const home = temporaryDirectory()
  const narrow = { home, env: { NO_COLOR: '1' }, tty: true, columns: 40 }
  const { out } = await elfmem(['demo'], narrow)
  // What was drawn over and wiped is no line of the page.
  const lines = out.split('\n').map((line) => line.split('\u001b[2K').at(-1) ?? '')
  expect(lines.length).toBeGreaterThan(50)
  // The commands of the last lines are there to be copied.
  expect(lines.filter((line) => line.length > 40 && !line.includes('elfmem '))).toEqual([])
  const { out: made } = await elfmem(['init', '--global'], narrow)
  expect(made).toContain('A client that starts its servers in this\ndirectory needs no --db.')
})
