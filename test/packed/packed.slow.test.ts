import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { twoLinesProgram } from '../helpers/two-lines.ts'
import { emptyProject, NODES, packCheckout, quickStart, runIn } from './place.ts'

const folder = mkdtempSync(join(tmpdir(), 'elfmem-packed-'))
const BIN = 'node_modules/elfmem/dist/bin.js'
/** A project in which npm installed the packed tarball. */
const place = emptyProject(join(folder, 'by-npm'))

beforeAll(async () => {
  await runIn(place, ['npm', 'install', '--no-audit', '--no-fund', await packCheckout(folder)])
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('an installation is elfmem alone, at most 35 MB in 250 files', () => {
  const modules = join(place, 'node_modules')
  expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(['elfmem'])
  const entries = readdirSync(join(modules, 'elfmem'), { recursive: true, withFileTypes: true })
  const sizes = entries
    .filter((each) => each.isFile())
    .map((each) => statSync(join(each.parentPath, each.name)).size)
  expect(sizes.length).toBeLessThanOrEqual(250)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(35_000_000)
})

test('the types of each entry check by themselves, without those of Node', async () => {
  // The declarations of the other entries need the types of their frameworks.
  const entries = ['', '/client', '/frames', '/mcp', '/claude-agent', '/opencode', '/anthropic']
  writeFileSync(
    join(place, 'types.ts'),
    entries.map((entry, i) => `import type * as entry${i} from 'elfmem${entry}'\n`).join(''),
  )
  const tsc = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc')
  const options = '--noEmit --strict --module nodenext --target es2023 --skipLibCheck false --types'.split(
    ' ',
  )
  await runIn(place, [process.execPath, tsc, ...options, '', 'types.ts'])
}, 60_000)

test('elfmem/client loads no module of Node', () => {
  const dist = join(place, 'node_modules/elfmem/dist')
  const seen = new Set<string>()
  const follow = (file: string) => {
    if (seen.has(file)) return
    seen.add(file)
    const code = readFileSync(file, 'utf8')
    expect(code, file).not.toMatch(/from "node:/)
    for (const [, next = ''] of code.matchAll(/(?:from |import\(|import )"(\.[^"]+)"/g))
      follow(join(file, '..', next))
  }
  follow(join(dist, 'client/index.js'))
})

test.each(NODES)('the quick start of README runs on %s', async (node) => {
  for (const end of ['', '-wal', '-shm', '-index']) rmSync(join(place, `agent.db${end}`), { force: true })
  writeFileSync(join(place, 'first.js'), quickStart())
  expect(await runIn(place, [node, 'first.js'])).toContain('Staging listens on port 4210.')
})

test.each(NODES)('the commands remember, dream and recall run on %s', async (node) => {
  await runIn(place, [node, BIN, 'remember', 'The host listens on port 4211.'])
  await runIn(place, [node, BIN, 'dream'])
  expect(await runIn(place, [node, BIN, 'recall', 'which port does the host use'])).toContain('4211')
})

test('the two lines of README put a memory before a model of the AI SDK', async () => {
  symlinkSync(join(import.meta.dirname, '../../node_modules/ai'), join(place, 'node_modules/ai'))
  writeFileSync(join(place, 'two-lines.js'), twoLinesProgram({ root: 'elfmem', aiSdk: 'elfmem/ai-sdk' }))
  const printed = await runIn(place, [process.execPath, 'two-lines.js'])
  expect(printed).toMatch(/^It is 4210\. .*<memory .*Staging listens on port 4210\./)
})

test('elfmem/ai-sdk and elfmem/anthropic load without their frameworks', async () => {
  const loads = "await Promise.all(['ai-sdk', 'anthropic'].map((name) => import('elfmem/' + name)))"
  await runIn(place, [process.execPath, '--input-type=module', '-e', loads])
})

test('init sets up Claude Code with a server that starts, and uninstall takes it out', async () => {
  const elfmem = (...argv: string[]) => runIn(place, [process.execPath, BIN, ...argv])
  await elfmem('init', '--client', 'claude-code', '--hooks', '--yes')
  expect(await elfmem('doctor', '--clients')).toMatch(/✓ Claude Code\n.*\n {2}reachable {3}\d+ tools/)
  await elfmem('uninstall', '--client', 'all', '--yes')
  expect(readdirSync(place)).not.toContain('.mcp.json')
})

test('a runtime without node:sqlite is refused with the names of those that have it', async () => {
  const hide =
    'const { getBuiltinModule } = process\n' +
    "process.getBuiltinModule = (name) => (name === 'node:sqlite' ? undefined : getBuiltinModule(name))\n"
  writeFileSync(join(place, 'hide.cjs'), hide)
  const failure = runIn(place, [process.execPath, '--require', './hide.cjs', 'first.js'])
  await expect(failure).rejects.toThrow('node:sqlite')
})
