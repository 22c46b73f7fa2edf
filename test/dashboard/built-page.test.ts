import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
let folder = ''
let built: readonly { readonly name: string; readonly text: string }[] = []

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'elfmem-page-'))
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  // Users get the production build.
  const env = { ...process.env, NODE_ENV: 'production' }
  const options = ['--config', 'dashboard/vite.config.ts', '--outDir', folder, '--emptyOutDir']
  execFileSync(process.execPath, [vite, 'build', ...options], { cwd: root, env, stdio: 'pipe' })
  built = (readdirSync(folder, { recursive: true }) as string[])
    .filter((name) => /\.(?:js|css|html|svg)$/.test(name))
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Returns the names of the built files that match a pattern. */
const holding = (pattern: RegExp, ending = '') =>
  built.flatMap(({ name, text }) => (name.endsWith(ending) && pattern.test(text) ? [name] : []))

test('the built page holds no code from text, no handler in markup and no address', () => {
  expect(built.length).toBeGreaterThan(8)
  expect(
    holding(/\beval\(|new Function\(|dangerouslySetInnerHTML:|insertAdjacentHTML|document\.write/),
  ).toEqual([])
  // Preact has one place that sets markup; nothing uses it, and the policy of the page would refuse it.
  expect(built.flatMap(({ text }) => text.match(/innerHTML=/g) ?? [])).toHaveLength(1)
  expect(holding(/\son[a-z]+=|\sstyle=|<script>/, '.html')).toEqual([])
  expect(holding(/https?:\/\/(?!www\.w3\.org\/)/)).toEqual([])
})
