import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { type World, world } from './world.ts'

const SERVER = `#!${process.execPath}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id } = JSON.parse(line)
  if (id) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [] } }))
})
`
const NPM = { npm_execpath: '/x/npm-cli.js' }
const GYP = '/x/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin'

/** A program of this package, found as `elfmem` and `elfmem-hook` in a folder. */
function programIn(at: World, folder: string): readonly [string, string] {
  at.write('lib/bin.js', SERVER)
  chmodSync(join(dirname(at.home), 'lib/bin.js'), 0o755)
  const script = join(dirname(at.home), 'lib/bin.js')
  mkdirSync(folder, { recursive: true })
  for (const name of ['elfmem', 'elfmem-hook']) symlinkSync(script, join(folder, name))
  return [process.execPath, script]
}

const commandIn = (at: World, path: string) => JSON.parse(at.read(path)).mcpServers.elfmem.command

test.each([
  ['node_modules/.bin', (folder: string) => folder, {}],
  ['node_modules/.bin/', (folder: string) => folder, {}],
  ['bin', (folder: string) => [folder, GYP, '/usr/bin'].join(delimiter), NPM],
])(
  'a program that only npm finds, in %s, is named by its path in entries and hooks',
  async (name, pathOf, env) => {
    const at = world()
    const folder = join(at.project, name)
    const program = programIn(at, folder)
    const argv = ['init', '--client', 'claude-code,gemini', '--hooks', '--yes']
    await at.run(argv, {
      program,
      env: { ...env, PATH: pathOf(`${folder}${name.endsWith('/') ? '/' : ''}`) },
    })
    expect(commandIn(at, 'project/.mcp.json')).toBe(process.execPath)
    expect(at.read('project/.gemini/settings.json')).not.toContain('elfmem-hook')
  },
)

test.each([
  ['from a shell', (folder: string) => folder, {}],
  ['by npm', (folder: string) => ['/a/node_modules/.bin', GYP, folder].join(delimiter), NPM],
])('a program that a shell finds, too, is named by its name, started %s', async (_, pathOf, env) => {
  const at = world()
  const folder = join(at.home, 'bin')
  const program = programIn(at, folder)
  const argv = ['init', '--client', 'claude-code,gemini', '--hooks', '--yes']
  await at.run(argv, { program, env: { ...env, PATH: pathOf(folder) } })
  expect(commandIn(at, 'project/.mcp.json')).toBe('elfmem')
  expect(at.read('project/.gemini/settings.json')).toContain('"elfmem-hook gemini"')
})

test('doctor does not find with the PATH of npx what no client finds', async () => {
  const at = world({ 'home/.cursor/mcp.json': '{ "mcpServers": { "elfmem": { "command": "elfmem" } } }' })
  const folder = join(at.project, 'node_modules/.bin')
  programIn(at, folder)
  programIn(at, join(at.home, 'bin'))
  const reached = async (PATH: string) => {
    const { code, out } = await at.run(['doctor', '--clients', '--json'], { env: { ...NPM, PATH } })
    return [code, JSON.parse(out).clients[0].configured[0].reachable]
  }
  expect(await reached([folder, GYP, '/usr/bin'].join(delimiter))).toEqual([
    1,
    { failure: expect.stringContaining('ENOENT') },
  ])
  expect(await reached([folder, GYP, join(at.home, 'bin')].join(delimiter))).toEqual([
    0,
    expect.objectContaining({ tools: 0 }),
  ])
})
