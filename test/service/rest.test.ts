import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv'
import { expect, test } from 'vitest'
import { operations } from '../../src/operations/table.ts'
import { temporaryFolder } from '../helpers/memory.ts'
import { callOver } from '../mcp/helpers/http.ts'
import { startService } from './helpers/service.ts'

test.each([
  ['show', { blockId: 'aaaaaaaa' }, 404, 'NOT_FOUND'],
  ['show', { block: 1 }, 400, 'INVALID_INPUT'],
  ['recall', { query: 'tea', scope: 'theirs' }, 403, 'OUT_OF_SCOPE'],
  ['erase', { blockIds: ['aaaaaaaa'] }, 403, 'OWNER_ONLY'],
  ['toString', {}, 404, 'NOT_FOUND'],
  ['__proto__', {}, 404, 'NOT_FOUND'],
  ['undo', {}, 404, 'NOT_FOUND'],
])('%s with %j is %i %s, and says what to do', async (name, input, status, code) => {
  const service = await startService()
  const token = service.token('ann', { scope: 'mine' })
  const told = await service.post(`/v1/${name}`, token, input)
  expect(told).toMatchObject({
    status,
    body: { code, error: expect.any(String), recovery: expect.any(String) },
  })
  expect(told.text).not.toContain(service.path)
})

test('the tools of a token bound its operations, its pages and its tools alike', async () => {
  const service = await startService()
  const token = service.token('few', { capability: 'owner', tools: ['recall', 'remember'] })
  expect((await service.post('/v1/recall', token, { query: 'tea' })).status).toBe(200)
  for (const path of ['/v1/backup', '/v1/erase', '/v1/writeItems'])
    expect(await service.post(path, token), path).toMatchObject({
      status: 403,
      body: { code: 'TOOL_NOT_LISTED' },
    })
  expect((await service.post('/api/operations/backup', token)).status).toBe(404)
  expect((await service.post('/api/operations/recall', token, { query: 'tea' })).status).toBe(200)
})

test("no route takes a path of the server's machine, from an owner neither", async () => {
  const service = await startService()
  const owner = service.token('boss', { capability: 'owner' })
  await service.post('/v1/remember', owner, { content: 'Tea is at four' })
  const outside = join(temporaryFolder(), 'out.db')
  const local = operations.filter(({ local }) => Object.keys(local ?? {}).length > 0)
  expect(local.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['backup', 'export', 'import', 'importFrom']),
  )
  for (const { name, local: places = {} } of local)
    for (const place of Object.keys(places)) {
      const { status } = await service.post(`/v1/${name}`, owner, { [place]: outside })
      expect([400, 404], `${name} ${place}`).toContain(status)
    }
  expect(existsSync(outside)).toBe(false)
  const { status, text } = await service.post('/v1/import', owner, { path: '/etc/passwd' })
  expect([status, text.includes('root:')]).toEqual([400, false])
})

test('calls over the rate of a holder are 429 with Retry-After, over REST and MCP together', async () => {
  const service = await startService({ burstCalls: 4, callsPerMinute: 6 })
  const [one, other] = [service.token('one'), service.token('other')]
  const answers = []
  for (let call = 0; call < 6; call += 1) answers.push(await service.post('/v1/status', one))
  const limited = answers.filter(({ status }) => status === 429)
  expect(limited.length).toBeGreaterThanOrEqual(1)
  for (const { headers, body } of limited) {
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(body.code).toBe('RATE_LIMITED')
  }
  expect((await callOver(service.url, one, 'status')).result?.structuredContent).toMatchObject({
    code: 'RATE_LIMITED',
  })
  expect((await service.post('/v1/status', other)).status).toBe(200)
})

test('OpenAPI names each route, with schemas that take its arguments and its answers', async () => {
  const service = await startService()
  const { status, body } = await service.get('/v1/openapi.json', service.token('ann'))
  expect([status, body.openapi]).toEqual([200, '3.1.0'])
  const paths = body.paths as unknown as Record<string, { post?: Post }>
  expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/v1/recall', '/v1/rememberMany', '/v1/settle']))
  expect(Object.keys(paths)).not.toContain('/v1/importFrom')
  const ajv = new AjvJsonSchemaValidator()
  const validator = ({ content }: Json) => ajv.getValidator(content['application/json'].schema)
  for (const [path, { post }] of Object.entries(paths))
    for (const each of [post!.requestBody, post!.responses['200']])
      expect(() => validator(each), path).not.toThrow()
  const taken = validator(paths['/v1/backup']!.post!.requestBody)
  expect([taken({}).valid, taken({ path: '/x.db' }).valid]).toEqual([true, false])
  const told = await service.post('/v1/remember', service.token('eve'), { content: 'Tea is at four' })
  const fits = validator(paths['/v1/remember']!.post!.responses['200'])
  expect([fits(told.body).valid, fits({ code: 'CLOSED' }).valid]).toEqual([true, false])
  const refs = JSON.stringify(body).match(/"\$ref":"([^"]+)"/g) ?? []
  expect(new Set(refs)).toEqual(new Set(['"$ref":"#/components/responses/Failed"']))
})

type JsonSchema = Parameters<AjvJsonSchemaValidator['getValidator']>[0]
interface Post {
  readonly requestBody: Json
  readonly responses: { readonly 200: Json }
}
interface Json {
  readonly content: { readonly 'application/json': { readonly schema: JsonSchema } }
}

test('the routes of a memory tell its limits, an owner its settings without paths, and a session begins and ends', async () => {
  const service = await startService()
  const [agent, owner] = [
    service.token('ann', { scope: 'mine' }),
    service.token('boss', { capability: 'owner' }),
  ]
  expect(await service.get('/v1/memory', agent)).toMatchObject({
    status: 200,
    body: { name: 'memory', scope: 'mine', capability: 'agent', shouldDream: false, database: 'SQLite' },
  })
  expect((await service.get('/v1/memory', agent)).body.limits).toHaveProperty('requestBytes')
  expect((await service.get('/v1/settings', agent)).status).toBe(403)
  const settings = await service.get('/v1/settings', owner)
  expect(settings.body.settings).toEqual(
    expect.arrayContaining([expect.objectContaining({ name: 'memory.inbox_threshold' })]),
  )
  expect(settings.text).not.toContain(service.path)
  await service.post('/v1/remember', agent, { content: 'Tea is at four' })
  const begun = await service.post('/v1/session', agent, { action: 'begin', taskType: 'review' })
  expect(begun).toMatchObject({ status: 200, body: { session: expect.any(String) } })
  const ended = await service.post('/v1/session', agent, { action: 'end' })
  expect(ended).toMatchObject({ status: 200, body: { hours: expect.any(Number) } })
  expect((await service.post('/v1/session', agent, { action: 'pause' })).status).toBe(400)
  const reader = service.token('eyes', { capability: 'reader' })
  const refused = await service.post('/v1/session', reader, { action: 'begin' })
  expect(refused).toMatchObject({ status: 403, body: { code: 'OWNER_ONLY' } })
})
