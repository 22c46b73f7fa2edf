import { execFile } from 'node:child_process'
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeToolList } from '../src/surfaces/mcp/make-tool-list.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')

const place = mkdtempSync(join(tmpdir(), 'elfmem-built-'))
const elfmem = (...argv: string[]) =>
  run(process.execPath, [join(place, 'dist/bin.js'), ...argv], { env: { HOME: place }, cwd: place })

beforeAll(async () => {
  for (const each of ['model', 'kernel', 'node_modules']) symlinkSync(join(root, each), join(place, each))
  copyFileSync(join(root, 'package.json'), join(place, 'package.json'))
  const dist = join(place, 'dist')
  const node = (...argv: string[]) => run(process.execPath, argv, { cwd: root })
  const modules = join(dist, 'modules')
  await node(join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json', '--outDir', modules)
  await node('scripts/bundle.ts', dist)
}, 180_000)

afterAll(() => rmSync(place, { recursive: true, force: true }))

test('the built command remembers, dreams, recalls, learns a document, checks and erases', async () => {
  await elfmem('remember', 'Staging listens on port 4210.')
  expect((await elfmem('dream')).stdout).toContain('1 note')
  expect((await elfmem('recall', 'where does staging listen')).stdout).toContain('port 4210')
  writeFileSync(join(place, 'page.md'), '# Tea\n\nTea is at four.\n')
  await elfmem('learn-document', 'page.md')
  expect((await elfmem('ls', '--status', 'inbox')).stdout).toContain('Tea is at four')
  expect((await elfmem('doctor')).stdout).toContain('all-MiniLM-L6-v2-int8')
  expect((await elfmem('erase', '--query', 'Tea', '--yes')).stdout).toContain('erased')
})

test('the built server lists the tools that the operations make', async () => {
  const client = new Client({ name: 'a client', version: '1' })
  const args = [join(place, 'dist/bin.js'), 'serve', '--quiet']
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env: { HOME: place } }))
  const { tools } = await client.listTools()
  await client.close()
  expect(tools).toEqual(JSON.parse(JSON.stringify(makeToolList({ capability: 'agent', tools: 'agent' }))))
})

test('the bundle has the licence of each package in it, and no path of the machine that built it', () => {
  const licences = readFileSync(join(place, 'dist/LICENSES.txt'), 'utf8')
  for (const name of [
    'zod',
    'yaml',
    'porter2',
    'smol-toml',
    '@orama/stemmers',
    '@modelcontextprotocol/server',
  ])
    expect(licences).toMatch(new RegExp(`^${name}$`, 'm'))
  const folder = join(place, 'dist/shared')
  const naming = readdirSync(folder).filter((file) => readFileSync(join(folder, file), 'utf8').includes(root))
  expect(naming).toEqual([])
})
