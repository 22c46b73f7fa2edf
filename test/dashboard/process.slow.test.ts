import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { elfmem, HASHING, temporaryDirectory } from '../surfaces/helpers/cli.ts'
import { send } from './helpers/served.ts'

const BIN = join(import.meta.dirname, '..', '..', 'src', 'bin.ts')
const json = { 'content-type': 'application/json' }

/** A process of `elfmem dashboard`, once it has printed its link. */
async function started(home: string, flags: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [BIN, 'dashboard', ...flags], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, ...HASHING, ...env },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [printed] = (await once(child.stdout, 'data')) as [Buffer]
  const url = new URL(String(printed).trim())
  return { child, link: url.href, port: Number(url.port), code: url.hash.replace('#code=', '') }
}

async function tokenOf({ port, code }: { readonly port: number; readonly code: string }): Promise<string> {
  const body = JSON.stringify({ code })
  return String((await send(port, '/api/session', { method: 'POST', headers: json, body })).body.token)
}

/** Resolves to the exit code, or the signal that ended it. */
async function ended(child: ChildProcess): Promise<unknown> {
  const [code, signal] = await once(child, 'exit')
  return code ?? signal
}

/** A memory of a home directory, and what lies beside it. */
async function household() {
  const home = temporaryDirectory()
  await elfmem(['remember', 'Tea is at four.'], { home })
  return {
    home,
    beside: () => readdirSync(join(home, '.elfmem')).filter((name) => /-dashboard|-wal/.test(name)),
  }
}

/** Whether a process handles SIGTERM itself. A command does not within 40 ms of a statement. */
function handlesTermination({ pid }: ChildProcess): boolean {
  if (process.platform !== 'linux') return true
  const [, caught = '0'] = /^SigCgt:\s*(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return ((BigInt(`0x${caught}`) >> BigInt(constants.signals.SIGTERM - 1)) & 1n) === 1n
}

test('SIGTERM ends the streams and the process, which leaves no file behind', async () => {
  const { home, beside } = await household()
  const { child, ...found } = await started(home, ['--no-open'])
  const authorization = `Bearer ${await tokenOf(found)}`
  const response = await fetch(`http://127.0.0.1:${found.port}/api/events`, { headers: { authorization } })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader.read()).value).toContain('event: hello')
  expect(beside()).toContain('agent.db-dashboard')
  const exit = ended(child)
  await expect.poll(() => handlesTermination(child)).toBe(true)
  child.kill('SIGTERM')
  let said = ''
  for (let part = await reader.read(); !part.done; part = await reader.read()) said += part.value
  expect(said).toContain('event: bye')
  expect(await exit).toBe(0)
  expect(beside()).toEqual([])
})

test('an acknowledged write survives SIGKILL, and the next start takes the port with a new token', async () => {
  const { home, beside } = await household()
  const { child, ...found } = await started(home, ['--no-open'])
  const headers = { ...json, authorization: `Bearer ${await tokenOf(found)}` }
  const body = JSON.stringify({ content: 'The kettle is blue.' })
  expect((await send(found.port, '/api/operations/remember', { method: 'POST', headers, body })).status).toBe(
    200,
  )
  const exit = ended(child)
  child.kill('SIGKILL')
  expect(await exit).toBe('SIGKILL')
  expect(beside()).toContain('agent.db-dashboard')
  const again = await started(home, ['--no-open'])
  expect(again.port).toBe(found.port)
  const renewed = { ...json, authorization: `Bearer ${await tokenOf(again)}` }
  const ls = (given: object) =>
    send(again.port, '/api/operations/ls', {
      method: 'POST',
      headers: { ...json, ...given },
      body: '{"status":"inbox"}',
    })
  expect((await ls(renewed)).text).toContain('The kettle is blue.')
  // The token of the run before opens nothing: the page is locked.
  expect((await ls(headers)).status).toBe(401)
})

test.runIf(process.platform === 'linux')(
  'the link is one argument of xdg-open, and no shell reads it',
  async () => {
    const { home } = await household()
    const bin = join(home, 'bin')
    mkdirSync(bin)
    const opened = join(home, 'opened.txt')
    writeFileSync(
      join(bin, 'xdg-open'),
      `#!/bin/sh\nprintf '%s|' "$#" "$@" > '${opened}.new' && mv '${opened}.new' '${opened}'\n`,
    )
    chmodSync(join(bin, 'xdg-open'), 0o755)
    const path = `${bin}:${process.env.PATH}`
    const { link } = await started(home, ['who is $(touch pwned); `touch pwned`?'], {
      PATH: path,
      DISPLAY: ':0',
    })
    await expect.poll(() => existsSync(opened)).toBe(true)
    expect(readFileSync(opened, 'utf8')).toBe(`1|${link}|`)
    expect(readdirSync(home)).not.toContain('pwned')
  },
)
