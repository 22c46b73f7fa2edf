import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { elfmem, temporaryDirectory } from './helpers/cli.ts'

/** Remembers before there is a project, as the quick start does. */
async function afterQuickStart() {
  const [home, cwd] = [temporaryDirectory(), temporaryDirectory()]
  await elfmem(['remember', 'Tea is at four'], { home, cwd })
  const words = async () => (await elfmem(['ls', '--status', 'inbox'], { home, cwd })).out
  return { home, cwd, words }
}

test('init --take-over begins with a copy of the own memory, which stays', async () => {
  const { home, cwd, words } = await afterQuickStart()
  await elfmem(['init'], { home, cwd })
  expect(await words()).not.toContain('Tea')
  await elfmem(['init', '--take-over'], { home, cwd })
  expect(await words()).toContain('Tea is at four')
  await elfmem(['remember', 'Cake is at five'], { home, cwd })
  const elsewhere = await elfmem(['ls', '--status', 'inbox'], { home, cwd: temporaryDirectory() })
  expect(elsewhere.out).toContain('Tea')
  expect(elsewhere.out).not.toContain('Cake')
})

test.each([
  ['yes', true],
  ['no', false],
])('init at a terminal asks whether to begin with a copy: %s', async (answer, isCopied) => {
  const { home, cwd, words } = await afterQuickStart()
  await elfmem(['init'], { home, cwd, answer, tty: true })
  expect((await words()).includes('Tea')).toBe(isCopied)
})

test('init --take-over is refused where there is no own memory, or one here already', async () => {
  const [home, cwd] = [temporaryDirectory(), temporaryDirectory()]
  expect((await elfmem(['init', '--take-over'], { home, cwd })).code).toBe(2)
  expect(existsSync(join(cwd, '.elfmem'))).toBe(false)
  const known = await afterQuickStart()
  await elfmem(['init'], known)
  await elfmem(['remember', 'here'], known)
  expect((await elfmem(['init', '--take-over'], known)).code).toBe(2)
  expect(await known.words()).not.toContain('Tea')
})
