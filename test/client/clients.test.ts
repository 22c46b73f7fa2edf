import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Place } from '../../src/surfaces/cli/clients/clients.ts'
import { CLIENTS } from '../../src/surfaces/cli/clients/clients.ts'
import { startService } from '../service/helpers/service.ts'
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

const ALL = CLIENTS.flatMap(({ name, server, remote }) =>
  (Object.keys(server) as Place[]).map((place) => [name, place, remote?.(URL, place) !== undefined] as const),
)

test.each(ALL)(
  '%s of a %s is set up for a service with a file of a token, and by a variable if it can (%s), and taken back',
  async (client, place, takesVariable) => {
    const { cwd, run } = world()
    writeFileSync(join(cwd, 'token'), 'secret-token\n', { mode: 0o600 })
    const init = ['init', '--client', client, `--${place}`, '--url', URL, '--yes', '--json']
    const bridged = await run(...init, '--token-file', 'token')
    expect([bridged.code, bridged.err]).toEqual([0, ''])
    const [{ path }] = JSON.parse(bridged.out).changes
    const written = readFileSync(path, 'utf8')
    for (const word of ['--url', URL, '--token-file', join(cwd, 'token')]) expect(written).toContain(word)
    expect((await run(...init, '--token-file', 'token')).out).toContain(path)
    const direct = await run(...init)
    expect(direct.code).toBe(takesVariable ? 0 : 2)
    if (takesVariable) {
      const text = readFileSync(path, 'utf8')
      expect(text).toContain(`${URL}/mcp`)
      expect(text).toContain('ELFMEM_TOKEN')
      expect(text).not.toContain('--token-file')
    }
    expect(bridged.out + direct.out + readFileSync(path, 'utf8')).not.toContain('secret-token')
    expect((await run('uninstall', '--client', client, '--yes')).code).toBe(0)
    expect(existsSync(path)).toBe(false)
  },
)

test('doctor asks the service that an entry names', async () => {
  const { run } = world()
  const service = await startService()
  await run('init', '--client', 'cursor', '--user', '--url', service.url, '--yes')
  const doctor = () => run('doctor', '--clients', '--client', 'cursor', '--json')
  const reachable = async () => JSON.parse((await doctor()).out).clients[0].configured[0].reachable
  expect(await reachable()).toMatchObject({ service: `${service.url}/mcp` })
  await service.close()
  expect(await reachable()).toHaveProperty('failure')
})

test.each([
  ['--url', 'http://memory.example'],
  ['--url', 'https://ann:secret@memory.example'],
  ['--url', URL, '--hooks'],
  ['--url', URL, '--scope', 'x'],
  ['--url', URL, '--whole'],
])('init with %j %j %j is refused, and changes nothing', async (...flags) => {
  const { run, home } = world()
  const { code, err } = await run('init', '--client', 'cursor', '--yes', ...flags)
  expect(code).toBe(2)
  expect(err).not.toContain('secret')
  expect(existsSync(join(home, '.cursor'))).toBe(false)
})

test('init with a service and without a client is refused', async () => {
  const { run, home } = world()
  expect((await run('init', '--url', URL)).code).toBe(2)
  expect(existsSync(join(home, '.elfmem'))).toBe(false)
})
