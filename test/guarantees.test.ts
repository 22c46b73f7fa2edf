import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MUTANTS } from './mutants/mutants.ts'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** A promise of SECURITY.md and the tests that hold it, as the document names them. */
interface Guarantee {
  readonly name: string
  readonly tests: readonly string[]
}

const promised = /## What is promised today\n([\s\S]*?)\n## /.exec(read('SECURITY.md'))?.[1] ?? ''
const guarantees = promised
  .trim()
  .split(/\n{2,}(?=\*\*)/)
  .filter((paragraph) => paragraph.startsWith('**'))
  .map((paragraph): Guarantee => {
    const name = /^\*\*([^*]+?)\.?\*\*/.exec(paragraph)?.[1] ?? paragraph
    const [, held = ''] = paragraph.split('\nHeld by ')
    return { name, tests: [...held.matchAll(/\]\((test\/[\w/.-]+)\)/g)].map(([, file]) => file ?? '') }
  })

test('SECURITY.md promises something', () => {
  expect(guarantees.length).toBeGreaterThan(10)
})

test.each(guarantees)(
  'a test holds each promise, and breaking the promise fails it: $name',
  ({ name, tests }) => {
    expect(tests.length).toBeGreaterThan(0)
    for (const file of tests) {
      expect(existsSync(join(root, file)), file).toBe(true)
      const breaks = MUTANTS.filter((mutant) => mutant.guarantee === name && mutant.test === file)
      expect(breaks.length, `mutants of ${file}`).toBeGreaterThan(0)
    }
  },
)

test.each(MUTANTS)(
  'what a mutant changes is there, and changes: $breaks',
  ({ file, from, to, test: proof }) => {
    expect(read(file)).toContain(from)
    expect(to).not.toBe(from)
    expect(existsSync(join(root, proof))).toBe(true)
  },
)

test('every break of a guarantee is of one that is promised', () => {
  const names = new Set(guarantees.map(({ name }) => name))
  expect(MUTANTS.filter(({ guarantee }) => guarantee !== undefined && !names.has(guarantee))).toEqual([])
})
