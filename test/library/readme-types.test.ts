import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Editor } from './editor.ts'

/** A text takes the place of this file, for which the settings of the project hold: strict, each index checked. */
const FILE = 'test/library/readme-types.test.ts'

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const examples = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code ?? '')
const program = examples.join('\n').replace("'elfmem'", "'../../src/index.ts'")

let editor: Editor
beforeAll(async () => {
  editor = new Editor()
  await editor.begin()
}, 60_000)
afterAll(() => editor.close())

test("the README's programs are right for the strictest compiler", async () => {
  expect(examples.length).toBeGreaterThan(2)
  editor.open(FILE, program)
  expect(await editor.problems(FILE)).toEqual([])
}, 60_000)

test('a program that takes an item without asking whether it is there is not', async () => {
  const careless = new Editor()
  await careless.begin()
  careless.open(FILE, program.replace('found.blockIds.slice(0, 1)', '[found.blockIds[0]]'))
  const problems = await careless.problems(FILE)
  careless.close()
  expect(problems).toEqual([
    expect.stringContaining("'string | undefined' is not assignable to type 'string'"),
  ])
}, 60_000)
