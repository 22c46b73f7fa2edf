import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'
import { readSources } from '../scripts/counts/sources.ts'

const root = join(import.meta.dirname, '..')
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')
const page = textOf('ARCHITECTURE.md')

/** The folders of `src`, and those in them. */
const folders = new Set(
  readSources(join(root, 'src')).flatMap(({ file }) => {
    const [first = '', second] = posix.dirname(file).split('/')
    return first === '.' ? [] : second === undefined ? [first] : [first, `${first}/${second}`]
  }),
)

/** Folders whose parts are told in words. */
const IN_WORDS = ['ports/store', 'surfaces/cli', 'surfaces/hooks', 'surfaces/mcp']

/** The part of the page about a folder of `src`. */
function sectionOf(folder: string): string {
  return page.split(/^## /m).find((section) => section.startsWith(`${titleOf(folder)}\n`)) ?? ''
}

function titleOf(folder: string): string {
  const titles = [...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title ?? '')
  return titles.find((title) => title.includes(`src/${folder}/`)) ?? 'The folders of `src/`'
}

test('ARCHITECTURE.md says of each folder of src the question that it answers', () => {
  expect(folders.size).toBeGreaterThan(50)
  const silent = [...folders].filter((folder) => {
    const [first = '', second] = folder.split('/')
    const section = second === undefined ? sectionOf('') : sectionOf(first)
    const row = section.split('\n').find((line) => line.startsWith(`| \`${second ?? first}/\``))
    return !IN_WORDS.includes(folder) && !/\?/.test(row ?? '')
  })
  expect(silent).toEqual([])
})

test('AGENTS.md names the folders of flow and no others', () => {
  const [, listed = ''] =
    /the stages of the data, one a file: (.*?)\n {2}operations/s.exec(textOf('AGENTS.md')) ?? []
  const there = [...folders].flatMap((folder) => (folder.startsWith('flow/') ? [folder.slice(5)] : []))
  expect(listed.split(/,\s+/).toSorted()).toEqual(there.toSorted())
})

test('the files and commands that the recipes name are there', () => {
  const [, recipes = ''] = page.split('\n## Four recipes\n')
  const [own = ''] = recipes.split('\n## ')
  const named = [...own.matchAll(/`((?:src|test|bench|docs)\/[^`<]*)`/g)].map(([, path]) => path ?? '')
  const run = [...own.matchAll(/`(?:vitest|npm run test:slow --) ([^`]*)`/g)].flatMap(([, list = '']) =>
    list.split(' ').filter((each) => each.startsWith('test/')),
  )
  expect(Math.min(named.length, run.length)).toBeGreaterThan(10)
  const isThere = (path: string) =>
    ['', '.test.ts', '.slow.test.ts'].some((end) => existsSync(join(root, path + end)))
  expect([...named, ...run].filter((path) => !isThere(path))).toEqual([])
  const scripts = Object.keys(JSON.parse(textOf('package.json')).scripts)
  const asked = [...own.matchAll(/`[^`]*npm run ([\w:]+)/g)].map(([, script]) => script ?? '')
  expect(asked.filter((script) => !scripts.includes(script))).toEqual([])
})
