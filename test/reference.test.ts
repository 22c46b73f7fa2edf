import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { generatedFiles } from '../scripts/generate-docs.ts'

const files = await generatedFiles()

test.each(Object.keys(files))('%s says what the code says (else: npm run docs)', (name) => {
  expect(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')).toBe(files[name])
})
