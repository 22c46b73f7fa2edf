import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { elfmem, temporaryDirectory } from '../surfaces/helpers/cli.ts'
import { atService } from './world.ts'

/** A service, a home without a memory, and the file of a token. */
async function world() {
  const { service, memory, token } = await atService()
  const home = temporaryDirectory()
  const file = join(home, 'token')
  writeFileSync(file, `${token}\n`, { mode: 0o600 })
  const run = (argv: readonly string[], more: object = {}) =>
    elfmem([...argv, '--url', service.url, '--token-file', file], { home, ...more })
  return { service, memory, token, home, file, run }
}

test('commands speak to the service that is named, and make no memory here', async () => {
  const { run, memory, home, service, file, token } = await world()
  const { out, code } = await run(['remember', 'Tea is at four', '--json'])
  expect(code).toBe(0)
  const { block_id: blockId } = JSON.parse(out)
  expect((await memory.show({ blockId })).block.content).toBe('Tea is at four')
  expect((await run(['recall', 'when is tea'])).out).toContain('Tea is at four')
  const told = await run(['forget', blockId, '--reason', 'test'], { tty: true })
  expect(told.out).toContain(`--url ${service.url} --token-file ${file}`)
  const ENV = { ELFMEM_URL: service.url, ELFMEM_TOKEN: token }
  expect((await elfmem(['status'], { home, env: ENV })).err).toBe('')
  const env = { ELFMEM_URL: service.url, ELFMEM_TOKEN_FILE: file }
  expect((await elfmem(['ls', '--json'], { home, env })).code).toBe(0)
  expect((await run(['decisions', '--json'])).code).toBe(0)
  expect(readdirSync(home)).toEqual(['token'])
})

test('a document is read here and learned there; a place of one machine is refused', async () => {
  const { run, memory, home } = await world()
  writeFileSync(join(home, 'house.md'), '# Kitchen\n\nThe kettle is blue.')
  expect((await run(['learn-document', 'house.md'])).code).toBe(0)
  expect((await memory.recall({ query: 'which colour has the kettle' })).blocks).toHaveLength(1)
  for (const argv of [
    ['export', '--path', 'all.jsonl'],
    ['export', '--path', '-'],
    ['import', '--path', 'house.md'],
    ['backup', '--path', 'copy.db'],
    ['import-from', '--path', 'house.md', '--format', 'markdown'],
  ]) {
    const { code, err } = await run(argv)
    expect([argv, code]).toEqual([argv, 2])
    expect(err).toContain('place of one machine')
  }
  expect(readdirSync(home).sort()).toEqual(['house.md', 'token'])
})

test.each([
  ...['dashboard', 'tokens', 'config', 'trust', 'demo', 'uninstall'].map((command) => [command]),
  ...[['--db', 'x.db'], ['--config', 'x.yaml'], ['--env-file', 'x'], ['--new'], ['--as', 'reader']].map(
    (flags) => ['status', ...flags],
  ),
])('%s %s is about this machine and refuses a service', async (...argv) => {
  const { run } = await world()
  const { code, err } = await run(argv)
  expect([code, err.includes('--url')]).toEqual([2, true])
})

test('a token that others may read is not used, nor is there a flag for one', async () => {
  const { run, file, home, token, service } = await world()
  chmodSync(file, 0o644)
  const { code, err } = await run(['status'])
  expect([code, err.includes('chmod 600')]).toEqual([1, true])
  expect((await elfmem(['status', '--url', service.url, '--token', token], { home })).code).toBe(2)
  expect((await elfmem(['status', '--url', service.url], { home })).err).toContain('ELFMEM_TOKEN')
  expect((await elfmem(['status', '--token-file', file], { home })).code).toBe(2)
  mkdirSync(join(home, 'folder'))
  expect((await elfmem(['status', '--url', service.url, '--token-file', 'folder'], { home })).code).toBe(1)
})
