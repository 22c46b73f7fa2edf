import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { elfmem, temporaryDirectory } from './helpers/cli.ts'

/** Somebody who remembered before there was a project, as the quick start does. */
async function afterQuickStart() {
  const [home, cwd] = [temporaryDirectory(), temporaryDirectory()]
  await elfmem(['remember', 'Tea is at four'], { home, cwd })
  const words = async () => (await elfmem(['ls', '--status', 'inbox'], { home, cwd })).out
  return { home, cwd, words, own: join(home, '.elfmem', 'agent.db') }
}

test('init says that there is another memory, and with --take-over begins as a copy of it that is used at once', async () => {
  const { home, cwd, words, own } = await afterQuickStart()
  const { out } = await elfmem(['init'], { home, cwd })
  expect(out).toContain(`You have another memory, ${own}.`)
  expect(await words()).not.toContain('Tea')
  const taken = await elfmem(['init', '--take-over', '--json'], { home, cwd })
  expect(JSON.parse(taken.out).notes).toEqual([`This memory is a copy of your own, ${own}, which stays.`])
  expect(await words()).toContain('Tea is at four')
  await elfmem(['remember', 'Cake is at five'], { home, cwd })
  const elsewhere = await elfmem(['ls', '--status', 'inbox'], { home, cwd: temporaryDirectory() })
  expect(elsewhere.out).toContain('Tea')
  expect(elsewhere.out).not.toContain('Cake')
})

test.each([
  ['yes', true],
  ['no', false],
])('at a terminal init asks whether to begin with a copy, and %s is heard', async (answer, isCopied) => {
  const { home, cwd, words } = await afterQuickStart()
  await elfmem(['init'], { home, cwd, answer, tty: true })
  expect((await words()).includes('Tea')).toBe(isCopied)
})

test('--take-over is refused before anything is made where there is nothing to take, or a memory already', async () => {
  const [home, cwd] = [temporaryDirectory(), temporaryDirectory()]
  const { code, err } = await elfmem(['init', '--take-over'], { home, cwd })
  expect([code, err]).toEqual([2, expect.stringContaining('no memory of your own')])
  expect(existsSync(join(cwd, '.elfmem'))).toBe(false)
  const known = await afterQuickStart()
  await elfmem(['init'], known)
  await elfmem(['remember', 'here'], known)
  expect((await elfmem(['init', '--take-over'], known)).code).toBe(2)
  expect(await known.words()).not.toContain('Tea')
})
