import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const page = join(import.meta.dirname, '../../dashboard')

const filesIn = (folder: string, ending: RegExp) =>
  (readdirSync(folder, { recursive: true }) as string[])
    .filter((name) => ending.test(name))
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))

const sources = filesIn(page, /\.(?:tsx?|html|css|svg)$/)

/** Files in which a pattern stands. */
const holding = (files: readonly { name: string; text: string }[], pattern: RegExp) =>
  files.flatMap(({ name, text }) => (pattern.test(text) ? [name] : []))

/** Names of XML that nothing is loaded from. */
const withoutNames = (text: string) => text.replace(/http:\/\/www\.w3\.org\/[\w/]+/g, '')

test('no class is styled by two style sheets: which are loaded, and in which order, is up to where one has been', () => {
  const sheets = new Map<string, Set<string>>()
  for (const { name, text } of sources.filter((each) => each.name.endsWith('.css')))
    for (const [, alone] of text.matchAll(/^(\.[\w-]+)(?=,| \{)/gm))
      if (alone !== undefined) sheets.set(alone, (sheets.get(alone) ?? new Set()).add(name))
  expect(sheets.size).toBeGreaterThan(100)
  expect([...sheets].filter(([, names]) => names.size > 1).map(([name]) => name)).toEqual([])
})

test('the page takes types of the library and nothing else', () => {
  const taken = sources
    .filter(({ name }) => /\.tsx?$/.test(name))
    .flatMap(({ name, text }) =>
      [...text.matchAll(/^import (type )?[^'"]*'[./]+\/src\//gm)].map(([, type]) => ({
        name,
        areTypes: type !== undefined,
      })),
    )
  expect(taken.length).toBeGreaterThan(3)
  expect(taken.filter(({ areTypes }) => !areTypes)).toEqual([])
  expect(holding(sources, /import\(\s*['"`][./]+src\//)).toEqual([])
})

test('nothing in the page turns text into markup or code, or asks another place', () => {
  expect(holding(sources, /innerHTML|outerHTML|insertAdjacentHTML|document\.write/)).toEqual([])
  expect(holding(sources, /\beval\(|new Function\(/)).toEqual([])
  expect(holding(sources, /\son[a-z]+=["']|\sstyle=["']|javascript:/)).toEqual([])
  const named = sources.map(({ name, text }) => ({ name, text: withoutNames(text) }))
  expect(holding(named, /https?:\/\//)).toEqual([])
})

/** The built page. */
let built: readonly { name: string; text: string }[] = []
let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'elfmem-page-'))
  const vite = join(page, '../node_modules/vite/bin/vite.js')
  // As users get it, and not as a test would have it.
  const env = { ...process.env, NODE_ENV: 'production' }
  const options = ['--config', join(page, 'vite.config.ts'), '--outDir', folder, '--emptyOutDir']
  execFileSync(process.execPath, [vite, 'build', ...options], { env, stdio: 'pipe' })
  built = filesIn(folder, /\.(?:js|css|html|svg)$/)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the built page holds no code from text, no handler in markup and no other address', () => {
  expect(built.length).toBeGreaterThan(8)
  expect(holding(built, /\beval\(|new Function\(/)).toEqual([])
  // Preact can be told to set markup, in one place; nothing tells it to, and the page's policy would refuse it.
  expect(built.flatMap(({ text }) => text.match(/innerHTML=/g) ?? [])).toHaveLength(1)
  expect(holding(built, /dangerouslySetInnerHTML:/)).toEqual([])
  const html = built.filter(({ name }) => name.endsWith('.html'))
  expect(holding(html, /\son[a-z]+=|\sstyle=|<script>/)).toEqual([])
  const named = built.map(({ name, text }) => ({ name, text: withoutNames(text) }))
  expect(holding(named, /https?:\/\//)).toEqual([])
})

test('the list of what may be served names every built file and nothing else', () => {
  const assets = JSON.parse(readFileSync(join(folder, 'assets.json'), 'utf8')) as {
    name: string
    type: string
    bytes: number
    hash: string
  }[]
  expect(assets.map(({ name }) => name).sort()).toEqual(built.map(({ name }) => name).sort())
  for (const { name, bytes, hash, type } of assets) {
    expect(name).toMatch(/^(?:index\.html|assets\/[\w-]+\.(?:js|css|svg))$/)
    expect(readFileSync(join(folder, name)).length).toBe(bytes)
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    expect(type).not.toBe('')
  }
})
