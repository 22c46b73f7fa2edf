import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../../src/surfaces/cli/run.ts'
import { elfmem, HASHING, temporaryDirectory } from '../surfaces/helpers/cli.ts'
import { send } from './helpers/served.ts'

/** Runs `elfmem dashboard` in this process until the test ends. */
async function dashboard(home: string, ...flags: readonly string[]) {
  const stopping = new AbortController()
  const link = Promise.withResolvers<string>()
  const said: string[] = []
  const running = runCli(['dashboard', '--no-open', ...flags], {
    stdout: { write: (text) => link.resolve(text.trim()) },
    stderr: { write: (text) => void said.push(text) },
    readStdin: async () => '',
    env: { ...HASHING, DISPLAY: ':0' },
    cwd: home,
    home,
    version: '0.0.0-test',
    signal: stopping.signal,
    streams: () => ({ stdin: new PassThrough(), stdout: new PassThrough() }),
  })
  const stop = () => {
    stopping.abort()
    return running
  }
  onTestFinished(async () => void (await stop()))
  const refused = running.then((code) => Promise.reject(new Error(`${code}: ${said.join('')}`)))
  refused.catch(() => undefined)
  const url = new URL(await Promise.race([link.promise, refused]))
  return {
    url,
    port: Number(url.port),
    code: url.hash.replace('#code=', ''),
    said: () => said.join(''),
    stop,
  }
}

const json = { 'content-type': 'application/json' }

/** A page that was let in by the code of a link. */
async function enter(
  { port, code }: { readonly port: number; readonly code: string },
  host = `127.0.0.1:${port}`,
) {
  const { body } = await send(port, '/api/session', {
    method: 'POST',
    headers: { ...json, host },
    body: JSON.stringify({ code }),
  })
  const headers = { ...json, host, authorization: `Bearer ${String(body.token)}` }
  return (name: string, input: object = {}) =>
    send(port, `/api/operations/${name}`, { method: 'POST', headers, body: JSON.stringify(input) })
}

test('elfmem dashboard prints a link, serves the memory as its owner, and leaves no file behind', async () => {
  const home = temporaryDirectory()
  await elfmem(['remember', 'Tea is at four.'], { home })
  const { url, said, stop, ...link } = await dashboard(home)
  expect(url.href).toMatch(/^http:\/\/127\.0\.0\.1:46\d\d\/#code=[\w-]{22}$/)
  expect(said()).toContain('agent.db')
  const call = await enter(link)
  expect((await call('ls', { status: 'inbox' })).text).toContain('Tea is at four.')
  await call('remember', { content: 'Vouched for.', sourceClass: 'user' })
  expect((await call('status')).body).toMatchObject({ autoDream: { mode: 'off' } })
  expect(await stop()).toBe(0)
  expect(readdirSync(join(home, '.elfmem')).filter((name) => /dashboard|-wal/.test(name))).toEqual([])
  const { operations } = JSON.parse((await elfmem(['history', '--json'], { home })).out)
  expect(operations.at(-1)).toMatchObject({ actor: 'dashboard', operation: 'remember' })
})

test('a second dashboard of a memory takes another port', async () => {
  const home = temporaryDirectory()
  const [first, second] = [await dashboard(home), await dashboard(home, '--read-only')]
  expect(second.port).not.toBe(first.port)
  const call = await enter(second)
  expect((await call('remember', { content: 'x' })).body.error).toBe('READ_ONLY')
})

test.each([
  ['--port', '70000'],
  ['--demo', '--scope=mine'],
])('elfmem dashboard %s %s is refused', async (...flags) => {
  const { code, err, out } = await elfmem(['dashboard', '--no-open', ...flags], {
    home: temporaryDirectory(),
  })
  expect([code, out]).toEqual([2, ''])
  expect(err).toContain('--')
})

test('elfmem dashboard --demo is read-only and leaves no file', async () => {
  const home = temporaryDirectory()
  const found = await dashboard(home, '--demo')
  const call = await enter(found)
  expect((await call('remember', { content: 'x' })).body.error).toBe('READ_ONLY')
  expect((await call('ls', { limit: 200 })).body.blocks).not.toHaveLength(0)
  const shown = String(/"([^"]*elfmem-demo-[^"]*)\/memory\.db/.exec((await call('status')).text)?.[1])
  expect(existsSync(shown)).toBe(true)
  expect(await found.stop()).toBe(0)
  expect(existsSync(shown)).toBe(false)
  expect(readdirSync(home)).toEqual([])
}, 120_000)
