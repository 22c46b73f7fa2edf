import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { generatedPages } from '../scripts/generate-docs.ts'

const pages = await generatedPages()

test.each(Object.keys(pages))('docs/%s says what the code says (else: npm run docs)', (name) => {
  expect(readFileSync(new URL(`../docs/${name}`, import.meta.url), 'utf8')).toBe(pages[name])
})
