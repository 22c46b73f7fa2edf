import { expect, test } from 'vitest'
import { elfmem, temporaryDirectory } from './helpers/cli.ts'

const HIDDEN = 'Prices \u202erise\u202c in \u001b[31mMay\u001b[0m.'

/** A memory with a contradiction and a proposal. */
async function household() {
  const home = temporaryDirectory()
  for (const hour of ['ten', 'eleven'])
    await elfmem(['remember', `The ferry to Brannoch leaves at ${hour} on weekdays.`], { home })
  await elfmem(['propose', '--kind', 'value', '--content', HIDDEN, '--as', 'agent'], { home })
  await elfmem(['dream'], { home })
  return { home }
}

/** Sits at a terminal and types these; then input ends. */
function typing(...said: readonly string[]) {
  const left = [...said]
  return { tty: true, columns: 80, env: { NO_COLOR: '1' }, answer: async () => left.shift() ?? '' }
}

const listed = async (home: string) =>
  JSON.parse((await elfmem(['decisions', '--json'], { home })).out).total as number

test('status on a terminal ends with the command that decides, and in JSON stays JSON', async () => {
  const { home } = await household()
  expect((await elfmem(['status'], { home, tty: true })).out).toMatch(/elfmem review\n$/)
  const { out } = await elfmem(['status', '--json'], { home, tty: true })
  expect(JSON.parse(out)).toMatchObject({ decisions_waiting: 2 })
})

test('review shows decisions one by one with the words that differ, and does what is typed', async () => {
  const { home } = await household()
  const { out, code } = await elfmem(['review'], { home, ...typing('j', 'b', 'q') })
  expect(code).toBe(0)
  expect(out).toMatch(/1 of 2 {2}proposal[\s\S]*2 of 2 {2}contradiction/)
  expect(out).toContain('leaves at [ten] on weekdays.')
  expect(out).toContain('leaves at [eleven] on weekdays.')
  expect(await listed(home)).toBe(1)
})

test('review decides nothing by Enter, by unknown keys or at the end of input', async () => {
  const { home } = await household()
  await elfmem(['review'], { home, ...typing('x', '', 'y', 'j', '', '') })
  expect(await listed(home)).toBe(2)
})

test('review accepts a proposal by yes alone, and prints its words without control characters', async () => {
  const { home } = await household()
  const refused = await elfmem(['review'], { home, ...typing('a', 'y', 'q') })
  expect(refused.out).toContain('Prices rise in May.')
  for (const sign of ['\u202e', '\u001b']) expect(refused.out).not.toContain(sign)
  expect(await listed(home)).toBe(2)
  await elfmem(['review'], { home, ...typing('a', 'yes', 'q') })
  expect(await listed(home)).toBe(1)
})

test('review refuses the choice of an agent', async () => {
  const { home } = await household()
  const { err } = await elfmem(['review', '--as', 'agent'], { home, ...typing('j', '1', 'q') })
  expect(err).not.toBe('')
  expect(await listed(home)).toBe(2)
})

test('review away from a terminal is refused, and names the commands that list and decide', async () => {
  const { home } = await household()
  const { code, err } = await elfmem(['review'], { home })
  expect([code, err]).toEqual([2, expect.stringContaining('elfmem decisions')])
})
