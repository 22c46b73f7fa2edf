import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Place } from '../../src/surfaces/cli/clients/clients.ts'
import { CLIENTS } from '../../src/surfaces/cli/clients/clients.ts'
import { elfmem, temporaryDirectory } from '../surfaces/helpers/cli.ts'

const URL = 'https://memory.example/team'

function world() {
  const home = temporaryDirectory()
  const cwd = join(home, 'project')
  mkdirSync(join(cwd, '.git'), { recursive: true })
  const run = (...argv: readonly string[]) =>
    elfmem(argv, { home, cwd, program: ['/usr/bin/node', '/opt/elfmem/bin.js'] })
  return { home, cwd, run }
}

const ALL = CLIENTS.flatMap(({ name, server }) =>
  (Object.keys(server) as Place[]).map((place) => [name, place]),
)

test.each(ALL)(
  '%s of a %s is set up for a service with a file of a token, and taken back',
  async (client, place) => {
    const { cwd, run } = world()
    writeFileSync(join(cwd, 'token'), 'secret-token\n', { mode: 0o600 })
    const flags = place === 'user' ? ['--user', '--yes', '--json'] : ['--yes', '--json']
    const init = ['init', '--client', String(client), '--url', URL, ...flags]
    const { code, err, out } = await run(...init, '--token-file', 'token')
    expect([code, err]).toEqual([0, ''])
    const [{ path }] = JSON.parse(out).changes
    const written = readFileSync(path, 'utf8')
    for (const word of ['--url', URL, '--token-file', join(cwd, 'token')]) expect(written).toContain(word)
    expect(out + written).not.toContain('secret-token')
    expect((await run('uninstall', '--client', String(client), '--yes')).code).toBe(0)
    expect(existsSync(path)).toBe(false)
  },
)

test.each([
  ['--url', 'http://memory.example'],
  ['--url', 'https://ann:secret@memory.example'],
  ['--url', URL, '--hooks'],
  ['--url', URL, '--scope', 'x'],
  ['--url', URL, '--whole'],
])('init with %j %j %j is refused, and changes nothing', async (...flags) => {
  const { run, home } = world()
  writeFileSync(join(home, 'token'), 'secret-token\n', { mode: 0o600 })
  const file = ['--token-file', join(home, 'token')]
  const { code, err } = await run('init', '--client', 'cursor', '--yes', ...file, ...flags)
  expect(code).toBe(2)
  expect(err).not.toContain('secret')
  expect(existsSync(join(home, '.cursor'))).toBe(false)
})

test('init with a service and without a client is refused', async () => {
  const { run, home } = world()
  expect((await run('init', '--url', URL)).code).toBe(2)
  expect(existsSync(join(home, '.elfmem'))).toBe(false)
})
