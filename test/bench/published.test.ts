import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { benches } from '../../bench/benches.ts'
import { PAGE, PUBLISHED, publishedJson, readPublished, renderPage } from '../../bench/published.ts'

const published = readPublished()
const page = readFileSync(PAGE, 'utf8')

test('the page of benchmarks shows every part of bench/published.json and no other number', () => {
  expect(renderPage(page, published)).toBe(page)
  for (const [bench, parts] of Object.entries(published))
    for (const part of Object.keys(parts)) expect(page).toContain(`<!-- bench:${bench}/${part} -->`)
  expect(readFileSync(PUBLISHED, 'utf8')).toBe(publishedJson(published))
})

test('every published bench exists, and its origin names its command', () => {
  const names = benches.map(({ name }) => name)
  for (const [name, { origin }] of Object.entries(published)) {
    expect(names).toContain(name)
    expect(origin).toContain(`npm run bench -- ${name}`)
  }
})
