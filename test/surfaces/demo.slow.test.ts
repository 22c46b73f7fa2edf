import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { elfmem, temporaryDirectory } from './helpers/cli.ts'

test('elfmem demo learns from an outcome, follows a connection, fades and restores', async () => {
  const { code, out, err } = await elfmem(['demo', '--json'], { home: temporaryDirectory() })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const { asked, explained, learned, connected, faded } = JSON.parse(out)
  const right = asked.filter((each: { right: boolean }) => each.right)
  expect(right.length).toBeGreaterThanOrEqual(asked.length / 2)
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

test('elfmem demo prints plain text where nobody watches, and leaves no memory behind', async () => {
  const home = temporaryDirectory()
  const { code, out } = await elfmem(['demo'], { home })
  expect(code).toBe(0)
  expect(out).not.toContain('\u001b')
  expect(readdirSync(home)).toEqual([])
})
