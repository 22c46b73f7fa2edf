import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }

const root = join(import.meta.dirname, '..')
const pages = ['.', 'docs', 'examples'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
)
const textOf = (page: string) => readFileSync(join(root, page), 'utf8')

/** The heading as the end of an address names it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : join(dirname(page), path)
  if (!existsSync(join(root, target))) return false
  if (anchor === undefined || !target.endsWith('.md')) return true
  return [...textOf(target).matchAll(/^#+ (.*)$/gm)].some(([, heading = '']) => anchorOf(heading) === anchor)
}

test.each(pages)('every link of %s leads to a file and a heading that are there', (page) => {
  const prose = textOf(page).replaceAll(/```[\s\S]*?```|`[^`]*`/g, '')
  const links = [...prose.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, link = '']) => link)
  expect(links.filter((link) => !leadsSomewhere(page, link))).toEqual([])
})

test('the commands that the pages for contributors name are scripts of the package', () => {
  const text = ['CONTRIBUTING.md', 'ARCHITECTURE.md', 'AGENTS.md', 'docs/benchmarks.md']
    .map(textOf)
    .join('\n')
  const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, script = '']) => script)
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((script) => !(script in manifest.scripts))).toEqual([])
})
