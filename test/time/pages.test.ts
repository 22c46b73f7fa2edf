import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestClock } from '../helpers/clock.ts'
import { openTestMemory } from '../helpers/memory.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/time.md'), 'utf8')
const examples = [...page.matchAll(/```ts example\n([\s\S]*?)```/g)].map(([, code = '']) => code)

/** What the page promises after `//` on each line that says something. */
function promisedIn(code: string): string[] {
  return [...code.matchAll(/say\(.*\) \/\/ (.*)/g)].map(([, words = '']) => words)
}

test('the page has three examples, each with two answers', () => {
  expect(examples.map((code) => promisedIn(code).length)).toEqual([2, 2, 2])
})

test.each(examples)('example %# of the page answers as it says', async (code) => {
  const said: string[] = []
  const begin = async () => {
    const clock = createTestClock('2026-03-02T09:00:00Z')
    const { memory } = await openTestMemory({ clock, settings: { session: { gapCapMinutes: 15 } } })
    return {
      memory,
      say: ({ blocks: [first] }: Awaited<ReturnType<typeof memory.recall>>) =>
        void said.push(first?.content ?? 'nothing'),
      today: () => new Date(clock.now()).toISOString(),
      tomorrow: () => clock.advance({ hours: 24 }),
    }
  }
  const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor as new (
    ...parts: string[]
  ) => (start: typeof begin) => Promise<void>
  await new AsyncFunction('begin', code)(begin)
  expect(said).toEqual(promisedIn(code))
})
