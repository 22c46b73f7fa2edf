import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findRunning } from '../../src/surfaces/dashboard/instance.ts'
import { refusal, temporaryFolder } from '../helpers/memory.ts'
import { send, serve } from './helpers/served.ts'

const fileOf = (path: string) => `${path}-dashboard`
const SECRET = 'x'.repeat(43)

test('the file of a dashboard is for its user alone, holds no token, and goes with it', async () => {
  const { path, port, token, dashboard } = await serve({ path: join(temporaryFolder(), 'memory.db') })
  const text = readFileSync(fileOf(path), 'utf8')
  expect(statSync(fileOf(path)).mode & 0o777).toBe(0o600)
  expect(JSON.parse(text)).toEqual({ pid: process.pid, port, secret: expect.stringMatching(/^[\w-]{43}$/) })
  expect(text).not.toContain(token)
  await dashboard.close()
  expect(existsSync(fileOf(path))).toBe(false)
})

test('who can read the file gets a code that opens the page once', async () => {
  const { path, port, token } = await serve()
  const running = await findRunning(path)
  expect(running).toMatchObject({ port, readOnly: false, code: expect.any(String) })
  const trade = () =>
    send(port, '/api/session', {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ code: running?.code }),
    })
  expect((await trade()).body).toMatchObject({ token })
  expect((await trade()).status).toBe(401)
})

test('a code is given to nobody who does not show that it read the file', async () => {
  const { port, path } = await serve()
  const { secret } = JSON.parse(readFileSync(fileOf(path), 'utf8')) as { secret: string }
  const ask = (body: unknown) =>
    send(port, '/api/code', {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
    })
  const nonce = 'n'.repeat(22)
  for (const body of [
    {},
    { nonce },
    { nonce, proof: '' },
    { nonce, proof: secret },
    { secret },
    { nonce, proof: 'a'.repeat(43) },
    [],
  ])
    expect(await ask(body)).toMatchObject({ status: 401, body: { error: 'LOCKED' } })
})

test('a file that a killed dashboard left is removed, whoever has its port now', async () => {
  const path = join(temporaryFolder(), 'memory.db')
  // Another program took the port; it says yes to everything.
  const heard: string[] = []
  const other = createServer((request, response) => {
    request.on('data', (part: Buffer) => heard.push(part.toString()))
    request.on('end', () =>
      response.end(JSON.stringify({ code: 'c'.repeat(22), proof: 'p', readOnly: false })),
    )
  })
  await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void other.close())
  const { port } = other.address() as AddressInfo
  writeFileSync(fileOf(path), JSON.stringify({ pid: 1, port, secret: SECRET }), { mode: 0o600 })
  expect(await findRunning(path)).toBeUndefined()
  expect(existsSync(fileOf(path))).toBe(false)
  expect(heard.join('')).toContain('nonce')
  expect(heard.join('')).not.toContain(SECRET)
})

test.each([
  ['no JSON', 'hello', 0o600],
  ['no secret', '{"pid":1,"port":4600}', 0o600],
  ['a port that is none', JSON.stringify({ pid: 1, port: 0, secret: SECRET }), 0o600],
  ['much too long', ' '.repeat(5_000), 0o600],
  ['others may write it', JSON.stringify({ pid: 1, port: 4600, secret: SECRET }), 0o666],
])('a file that says nothing (%s) is replaced by the next dashboard', async (_why, text, mode) => {
  const path = join(temporaryFolder(), 'memory.db')
  writeFileSync(fileOf(path), text)
  chmodSync(fileOf(path), mode)
  const { port } = await serve({ path })
  // No memory is there yet, so nothing was made beside it but this.
  expect(JSON.parse(readFileSync(fileOf(path), 'utf8'))).toMatchObject({ port, pid: process.pid })
  expect(statSync(fileOf(path)).mode & 0o777).toBe(0o600)
})

test('no link in the place of the file is followed', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'memory.db')
  const target = join(folder, 'target.txt')
  writeFileSync(target, 'mine')
  symlinkSync(target, fileOf(path))
  expect(await refusal(findRunning(path))).toMatchObject({
    code: 'INVALID_INPUT',
    recovery: expect.stringContaining('Remove it'),
  })
  expect(await refusal(serve({ path }))).toMatchObject({ code: 'INVALID_INPUT' })
  expect(readFileSync(target, 'utf8')).toBe('mine')
})

test('a second dashboard of a memory is the first one; one that is to show something else is refused', async () => {
  const { path } = await serve()
  await expect(serve({ path })).rejects.toThrow('a dashboard runs already')
  expect(await refusal(serve({ path, readOnly: true }))).toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining('for reading and writing'),
  })
  expect(await refusal(serve({ path, scope: 'mine' }))).toMatchObject({ code: 'CONFLICT' })
})

test('a dashboard that ends leaves the file of another one alone', async () => {
  const { path, dashboard } = await serve()
  const other = JSON.stringify({ pid: 1, port: 4600, secret: SECRET })
  writeFileSync(fileOf(path), other, { mode: 0o600 })
  await dashboard.close()
  expect(readFileSync(fileOf(path), 'utf8')).toBe(other)
})
