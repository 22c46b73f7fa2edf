import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { twoLinesProgram } from '../helpers/two-lines.ts'
import {
  emptyProject,
  installTools,
  type Programs,
  packCheckout,
  quickStart,
  registryInUse,
  runIn,
} from './place.ts'
import { serveTarball } from './registry.ts'

const folder = mkdtempSync(join(tmpdir(), 'elfmem-packed-'))
const FOUND = 'Staging listens on port 4210.'
let tarball: string
let programs: Programs
/** Where npm installed the package. */
let place: string

beforeAll(async () => {
  ;[tarball, programs] = await Promise.all([packCheckout(folder), installTools(folder)])
  place = project('by-npm')
  await runIn(place, ['npm', 'install', '--no-audit', '--no-fund', tarball])
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A project with the quick start in it. */
function project(name: string): string {
  const place = emptyProject(join(folder, name))
  writeFileSync(join(place, 'first.js'), quickStart())
  return place
}

/** Runs a program with the quick start's memory gone. */
async function runFresh(place: string, command: readonly string[]): Promise<string> {
  for (const end of ['', '-wal', '-shm', '-index'])
    rmSync(join(place, `agent.db${end}`), { recursive: true, force: true })
  return runIn(place, command)
}

describe('an empty project with the packed tarball', () => {
  test.each(['npm', 'pnpm', 'bun'] as const)('that %s installed runs the quick start', async (installer) => {
    const { node, oldestNode, bun, deno, pnpm } = programs
    const own = installer === 'npm' ? place : project(`by-${installer}`)
    if (installer !== 'npm') await runIn(own, [{ pnpm, bun }[installer], 'add', tarball])
    for (const runtime of [[node], [oldestNode], [bun], [deno, 'run', '--allow-all']])
      expect(await runFresh(own, [...runtime, 'first.js']), runtime.join(' ')).toContain(FOUND)
  })

  // It asks the registry for each optional peer, too, any of which may fail once.
  test('that deno installed from a registry runs the quick start', { retry: 2 }, async () => {
    const own = project('by-deno')
    await using registry = await serveTarball(tarball, manifest, await registryInUse(own))
    const env = { NPM_CONFIG_REGISTRY: registry.url, npm_config_registry: registry.url }
    await runIn(own, [programs.deno, 'add', '--minimum-dependency-age=0', 'npm:elfmem'], env)
    const { deno, node } = programs
    for (const runtime of [[deno, 'run', '--allow-all'], [node]])
      expect(await runFresh(own, [...runtime, 'first.js']), runtime.join(' ')).toContain(FOUND)
  })

  test('runs the two lines of README in a program of the AI SDK, and needs no framework to load', async () => {
    const { node } = programs
    const loads = "await Promise.all(['ai-sdk', 'anthropic'].map((name) => import('elfmem/' + name)))"
    await runIn(place, [node, '--input-type=module', '-e', loads])
    symlinkSync(join(import.meta.dirname, '../../node_modules/ai'), join(place, 'node_modules/ai'))
    writeFileSync(join(place, 'two-lines.js'), twoLinesProgram({ root: 'elfmem', aiSdk: 'elfmem/ai-sdk' }))
    const printed = await runIn(place, [node, 'two-lines.js'])
    expect(printed).toMatch(/^It is 4210\. .*<memory .*Staging listens on port 4210\./)
    expect(printed).toContain('[1] Releases go out on Tuesdays.')
  })

  test('runs the commands of README on Node, Bun and Deno, each reading what another wrote', async () => {
    const { node, oldestNode, bun, deno } = programs
    const bin = 'node_modules/elfmem/dist/bin.js'
    const runtimes = [[node], [oldestNode], [bun], [deno, 'run', '--allow-all']]
    for (const [i, runtime] of runtimes.entries())
      await runIn(place, [...runtime, bin, 'remember', `Machine ${i} listens on port 421${i}.`])
    await runIn(place, [bun, bin, 'dream'])
    for (const [i, runtime] of runtimes.entries())
      expect(await runIn(place, [...runtime, bin, 'recall', `which port does machine ${i} use`])).toContain(
        `421${i}`,
      )
  })
})

test('sets up Claude Code from the packed tarball, with its hooks, and the server that it names starts', async () => {
  const { node } = programs
  const bin = 'node_modules/elfmem/dist/bin.js'
  await runIn(place, [node, bin, 'init', '--client', 'claude-code', '--hooks', '--yes'])
  const looked = await runIn(place, [node, bin, 'doctor', '--clients'])
  expect(looked).toMatch(
    /✓ Claude Code\n.*\n.*\n {2}reachable {3}\d+ tools.*\n {2}hooks .*as elfmem wrote it/,
  )
  await runIn(place, [node, bin, 'uninstall', '--client', 'all', '--yes'])
  expect(readdirSync(place)).not.toContain('.mcp.json')
})

describe('a bundle of the quick start that leaves elfmem outside', () => {
  test('runs after esbuild with its option external', async () => {
    const bundle = ['--bundle', '--platform=node', '--format=esm', '--outfile=out/first.js']
    const esbuild = join(programs.tools, 'node_modules/.bin/esbuild')
    await runIn(place, [esbuild, 'first.js', ...bundle, '--external:elfmem'])
    expect(await runFresh(place, [programs.node, 'out/first.js'])).toContain(FOUND)
  })

  test('runs after webpack with externals', async () => {
    writeFileSync(
      join(place, 'bundle.js'),
      `import { createRequire } from 'node:module'
const webpack = createRequire(${JSON.stringify(join(programs.tools, 'package.json'))})('webpack')
webpack({
  mode: 'production', target: 'node22', entry: './first.js',
  experiments: { outputModule: true }, output: { path: process.cwd() + '/out', module: true },
  externals: ['elfmem'], externalsType: 'module',
}, (error, stats) => { if (error || stats.hasErrors()) throw error ?? new Error(stats.toString()) })
`,
    )
    await runIn(place, [programs.node, 'bundle.js'])
    expect(await runFresh(place, [programs.node, 'out/main.mjs'])).toContain(FOUND)
  })

  test('runs after vite builds it for a server, with no configuration', async () => {
    const vite = join(programs.tools, 'node_modules/.bin/vite')
    await runIn(place, [vite, 'build', '--ssr', 'first.js', '--outDir', 'out'])
    expect(await runFresh(place, [programs.node, 'out/first.js'])).toContain(FOUND)
  })
})

test('a bundle that took elfmem in says to leave it outside', async () => {
  const esbuild = join(programs.tools, 'node_modules/.bin/esbuild')
  const bundle = ['--bundle', '--platform=node', '--format=esm', '--outfile=out/first.js']
  await runIn(place, [esbuild, 'first.js', ...bundle])
  const error = await runFresh(place, [programs.node, 'out/first.js']).catch(String)
  expect(error).toContain('name elfmem as external')
})

test('a runtime without node:sqlite is told at opening which have it', async () => {
  writeFileSync(
    join(place, 'hide.cjs'),
    `const { getBuiltinModule } = process
process.getBuiltinModule = (name) => (name === 'node:sqlite' ? undefined : getBuiltinModule(name))
`,
  )
  const error = await runFresh(place, [programs.node, '--require', './hide.cjs', 'first.js']).catch(String)
  expect(error).toContain('has no node:sqlite, which elfmem keeps its memory in.')
})
