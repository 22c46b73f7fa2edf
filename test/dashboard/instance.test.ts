import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findRunning } from '../../src/surfaces/dashboard/instance.ts'
import { refusal, temporaryFolder } from '../helpers/memory.ts'
import { send, serve } from './helpers/served.ts'

const fileOf = (path: string) => `${path}-dashboard`
const SECRET = 'x'.repeat(43)

test('the file of a running dashboard has mode 0600, holds no token and goes with it', async () => {
  const { path, port, token, dashboard } = await serve({ path: join(temporaryFolder(), 'memory.db') })
  const text = readFileSync(fileOf(path), 'utf8')
  expect(statSync(fileOf(path)).mode & 0o777).toBe(0o600)
  expect(JSON.parse(text)).toEqual({ pid: process.pid, port, secret: expect.stringMatching(/^[\w-]{43}$/) })
  expect(text).not.toContain(token)
  await dashboard.close()
  expect(existsSync(fileOf(path))).toBe(false)
})

test('a code is refused without a proof of the secret in the file', async () => {
  const { port, path } = await serve()
  const { secret } = JSON.parse(readFileSync(fileOf(path), 'utf8')) as { secret: string }
  const ask = (body: unknown) =>
    send(port, '/api/code', {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
    })
  const nonce = 'n'.repeat(22)
  for (const body of [{ nonce }, { nonce, proof: secret }, { secret }, { nonce, proof: 'a'.repeat(43) }])
    expect(await ask(body)).toMatchObject({ status: 401, body: { error: 'LOCKED' } })
})

test('a file that a killed dashboard left is removed, and its secret is not told to the program at its port', async () => {
  const path = join(temporaryFolder(), 'memory.db')
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
  expect(heard.join('')).not.toContain(SECRET)
})

test('a symbolic link in the place of the file is refused and not followed', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'memory.db')
  const target = join(folder, 'target.txt')
  writeFileSync(target, 'mine')
  symlinkSync(target, fileOf(path))
  expect(await refusal(findRunning(path))).toMatchObject({ code: 'INVALID_INPUT' })
  expect(await refusal(serve({ path }))).toMatchObject({ code: 'INVALID_INPUT' })
  expect(readFileSync(target, 'utf8')).toBe('mine')
})
