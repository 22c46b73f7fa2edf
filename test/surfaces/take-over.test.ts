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
