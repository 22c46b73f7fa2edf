import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyProject, installTools, NODES, packCheckout, quickStart, runIn, type Tools } from './place.ts'

const folder = mkdtempSync(join(tmpdir(), 'elfmem-runtimes-'))
const FOUND = 'Staging listens on port 4210.'
let tarball: string
let tools: Tools
/** A project in which npm installed the packed tarball. */
let place: string

beforeAll(async () => {
  ;[tarball, tools] = await Promise.all([packCheckout(folder), installTools(folder)])
  place = project('by-npm')
  await runIn(place, ['npm', 'install', '--no-audit', '--no-fund', tarball])
}, 900_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }), 300_000)

/** A project with the quick start in it. */
function project(name: string): string {
  const own = emptyProject(join(folder, name))
  writeFileSync(join(own, 'first.js'), quickStart())
  return own
}

/** Runs a program with the quick start's memory gone. */
async function runFresh(own: string, command: readonly string[]): Promise<string> {
  for (const end of ['', '-wal', '-shm', '-index'])
    rmSync(join(own, `agent.db${end}`), { recursive: true, force: true })
  return runIn(own, command)
}

test.each(['npm', 'pnpm', 'bun'] as const)(
  'the quick start runs on Node, Bun and Deno after %s installed the package',
  async (installer) => {
    const { bun, deno, pnpm } = tools
    const own = installer === 'npm' ? place : project(`by-${installer}`)
    if (installer !== 'npm') await runIn(own, [{ pnpm, bun }[installer], 'add', tarball])
    for (const runtime of [...NODES.map((node) => [node]), [bun], [deno, 'run', '--allow-all']])
      expect(await runFresh(own, [...runtime, 'first.js']), runtime.join(' ')).toContain(FOUND)
  },
)

test('Node, Bun and Deno read what each other wrote', async () => {
  const bin = 'node_modules/elfmem/dist/bin.js'
  const runtimes = [...NODES.map((node) => [node]), [tools.bun], [tools.deno, 'run', '--allow-all']]
  for (const [i, runtime] of runtimes.entries())
    await runIn(place, [...runtime, bin, 'remember', `Machine ${i} listens on port 421${i}.`])
  await runIn(place, [tools.bun, bin, 'dream'])
  for (const [i, runtime] of runtimes.entries())
    expect(await runIn(place, [...runtime, bin, 'recall', `which port does machine ${i} use`])).toContain(
      `421${i}`,
    )
})

const ESBUILD = ['first.js', '--bundle', '--platform=node', '--format=esm', '--outfile=out/first.js']

test('a bundle of esbuild with elfmem external runs the quick start', async () => {
  await runIn(place, [tools.esbuild, ...ESBUILD, '--external:elfmem'])
  expect(await runFresh(place, [process.execPath, 'out/first.js'])).toContain(FOUND)
})

test('a bundle that took elfmem in is refused with the advice to name it as external', async () => {
  await runIn(place, [tools.esbuild, ...ESBUILD])
  await expect(runFresh(place, [process.execPath, 'out/first.js'])).rejects.toThrow('external')
})
