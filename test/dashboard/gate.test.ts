import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Gate, isPassed, verdictOf } from '../../src/surfaces/dashboard/gate.ts'
import { Session } from '../../src/surfaces/dashboard/session.ts'
import { send, serve } from './helpers/served.ts'

const TOKEN = 'dG9rZW4tb2YtdGhpcy1ydW4tYW5kLW5vLW90aGVy'
const GATE: Gate = {
  hosts: new Set(['127.0.0.1:4641', 'localhost:4641', 'tunnel.example:9000']),
  origins: new Set(['http://127.0.0.1:4641', 'http://localhost:4641', 'http://tunnel.example:9000']),
  isToken: (given) => given === TOKEN,
}

interface Head {
  readonly method?: string
  readonly url?: string
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
}

const LET_IN = {
  host: '127.0.0.1:4641',
  origin: 'http://127.0.0.1:4641',
  'sec-fetch-site': 'same-origin',
  authorization: `Bearer ${TOKEN}`,
  'content-type': 'application/json',
}

/** The status of a head that differs from one that is let in: 200 if it is, too. */
function statusOf({ method = 'POST', url = '/api/operations/status', headers = {} }: Head): number {
  const given = Object.entries({ ...LET_IN, ...headers }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, typeof value === 'string' ? [value] : [...value]] as const],
  )
  const verdict = verdictOf({ method, url, headersDistinct: Object.fromEntries(given) }, GATE)
  return isPassed(verdict) ? 200 : verdict.status
}

const PAGE = { method: 'GET', url: '/' } as const

test.each<readonly [why: string, status: number, head: Head]>([
  ['a page of ours calls an operation', 200, {}],
  [
    'localhost is this machine',
    200,
    { headers: { host: 'localhost:4641', origin: 'http://localhost:4641' } },
  ],
  ['names of hosts have no case', 200, { headers: { host: 'LOCALHOST:4641' } }],
  [
    'a forwarded port',
    200,
    { headers: { host: 'tunnel.example:9000', origin: 'http://tunnel.example:9000' } },
  ],
  ['a program, which sends no origin', 200, { headers: { origin: undefined, 'sec-fetch-site': undefined } }],
  ['a link that was typed', 200, { ...PAGE, headers: { 'sec-fetch-site': 'none', origin: undefined } }],
  ['a page needs no token', 200, { ...PAGE, headers: { authorization: undefined } }],
  ['a path of the page', 200, { ...PAGE, url: '/memory?cls=peer' }],
  ['the charset is said', 200, { headers: { 'content-type': 'application/json; charset=utf-8' } }],
  ['no host', 421, { headers: { host: undefined } }],
  ['two hosts', 421, { headers: { host: ['127.0.0.1:4641', '127.0.0.1:4641'] } }],
  ['a name that resolves to this machine', 421, { headers: { host: 'evil.example:4641' } }],
  ['another port', 421, { headers: { host: '127.0.0.1:4642' } }],
  ['another address of this machine', 421, { headers: { host: '[::1]:4641' } }],
  ['a host is looked at before all else', 421, { ...PAGE, url: '/x.y', headers: { host: 'evil.example' } }],
  ['a foreign page', 403, { headers: { origin: 'https://evil.example' } }],
  ['a page without an origin', 403, { headers: { origin: 'null' } }],
  ['the same host with TLS', 403, { headers: { origin: 'https://127.0.0.1:4641' } }],
  ['two origins', 403, { headers: { origin: ['http://127.0.0.1:4641', 'https://evil.example'] } }],
  ['another site', 403, { headers: { 'sec-fetch-site': 'cross-site' } }],
  ['another port of this machine', 403, { headers: { 'sec-fetch-site': 'same-site' } }],
  ['a foreign page asks for the page', 403, { ...PAGE, headers: { 'sec-fetch-site': 'cross-site' } }],
  ['no token', 401, { headers: { authorization: undefined } }],
  ['another token', 401, { headers: { authorization: `Bearer ${TOKEN}x` } }],
  ['two tokens', 401, { headers: { authorization: [`Bearer ${TOKEN}`, `Bearer ${TOKEN}`] } }],
  ['another scheme', 401, { headers: { authorization: `Basic ${TOKEN}` } }],
  [
    'a token in the address',
    401,
    { url: `/api/operations/status?token=${TOKEN}`, headers: { authorization: undefined } },
  ],
  ['a cookie is nothing', 401, { headers: { authorization: undefined, cookie: `token=${TOKEN}` } }],
  [
    'a stream without a token',
    401,
    { method: 'GET', url: '/api/events', headers: { authorization: undefined } },
  ],
  ['a view without a token', 401, { url: '/api/views/place', headers: { authorization: undefined } }],
  ['a call by GET', 405, { method: 'GET' }],
  ['a stream by POST', 405, { url: '/api/events' }],
  ['a page by POST', 405, { method: 'POST', url: '/' }],
  ['OPTIONS has no answer', 405, { method: 'OPTIONS' }],
  ['no such address', 404, { url: '/api/tables' }],
  ['no name', 404, { url: '/api/operations/' }],
  ['a path behind the name', 404, { url: '/api/operations/status/../erase' }],
  ['an address of another server', 404, { url: 'http://evil.example/api/operations/status' }],
  ['a form of a page', 415, { headers: { 'content-type': 'text/plain' } }],
  ['JSON that is none', 415, { headers: { 'content-type': 'text/plain; application/json' } }],
  ['no type', 415, { headers: { 'content-type': undefined } }],
  ['a compressed body', 415, { headers: { 'content-encoding': 'gzip' } }],
  [
    'a session takes JSON alone, too',
    415,
    { url: '/api/session', headers: { 'content-type': 'text/plain' } },
  ],
  ['a body that is too long', 413, { headers: { 'content-length': '1048577' } }],
  ['a body as long as it may be', 200, { headers: { 'content-length': '1048576' } }],
])('%s: %i', (_why, status, head) => {
  expect(statusOf(head)).toBe(status)
})

describe('whatever else a head says', () => {
  const urls = fc.constantFrom(
    '/api/operations/erase',
    '/api/views/place',
    '/api/events',
    '/api/session',
    '/api/code',
    '/',
    '/memory',
  )
  const methods = fc.constantFrom('GET', 'POST', 'HEAD', 'PUT')
  const near = (right: string) =>
    fc.oneof(
      fc.string(),
      fc.constantFrom(
        `${right}.`,
        ` ${right}`,
        `${right}:80`,
        `${right}/`,
        right.slice(1),
        `x${right}`,
        `${right}@evil.example`,
        `evil.example#${right}`,
      ),
    )
  const lists = (right: string) =>
    fc.oneof(
      near(right).map((each) => [each]),
      fc.array(fc.oneof(near(right), fc.constant(right)), { minLength: 2, maxLength: 3 }),
    )
  const others = fc.record(
    {
      authorization: fc.constantFrom(LET_IN.authorization, 'Bearer x'),
      'content-type': fc.string(),
      origin: fc.constantFrom(LET_IN.origin),
      'x-forwarded-host': fc.string(),
    },
    { requiredKeys: [] },
  )
  const isIn = (known: ReadonlySet<string>, given: readonly string[]) =>
    given.length === 1 && known.has(given[0]!.toLowerCase())

  test('with a wrong host it is not let in', () => {
    fc.assert(
      fc.property(lists('127.0.0.1:4641'), urls, methods, others, (host, url, method, headers) => {
        fc.pre(!isIn(GATE.hosts, host))
        expect(statusOf({ url, method, headers: { ...headers, host } })).toBe(421)
      }),
    )
  })

  test('with a wrong origin it is not let in', () => {
    fc.assert(
      fc.property(lists('http://127.0.0.1:4641'), urls, methods, others, (origin, url, method, headers) => {
        fc.pre(!isIn(GATE.origins, origin))
        expect(statusOf({ url, method, headers: { ...headers, origin } })).toBe(403)
      }),
    )
  })

  test('from another site it is not let in', () => {
    fc.assert(
      fc.property(lists('same-origin'), urls, methods, others, (site, url, method, headers) => {
        fc.pre(!isIn(new Set(['same-origin', 'none']), site))
        expect(statusOf({ url, method, headers: { ...headers, 'sec-fetch-site': site } })).toBe(403)
      }),
    )
  })

  test('without the token nothing but the page and the trade of a code is let in', () => {
    fc.assert(
      fc.property(
        fc.option(lists(LET_IN.authorization), { nil: undefined }),
        urls,
        methods,
        (authorization, url, method) => {
          fc.pre(
            authorization?.length !== 1 ||
              !/^bearer +dG9rZW4tb2YtdGhpcy1ydW4tYW5kLW5vLW90aGVy$/i.test(authorization[0]!),
          )
          const status = statusOf({ url, method, headers: { authorization } })
          if (status === 200) expect(['/', '/memory', '/api/session', '/api/code']).toContain(url)
          else expect([401, 405]).toContain(status)
        },
      ),
    )
  })
})

test('a head that is refused is answered before its body is there', async () => {
  const { port, headers } = await serve()
  const long = { ...headers, 'content-length': '1000' }
  const refused = async (more: Readonly<Record<string, string>>) =>
    (
      await send(port, '/api/operations/status', {
        method: 'POST',
        isHeadOnly: true,
        headers: { ...long, ...more },
      })
    ).status
  expect(await refused({ host: 'evil.example' })).toBe(421)
  expect(await refused({ origin: 'https://evil.example' })).toBe(403)
  expect(await refused({ 'sec-fetch-site': 'cross-site' })).toBe(403)
  expect(await refused({ authorization: 'Bearer nothing' })).toBe(401)
  expect(await refused({ 'content-type': 'text/plain' })).toBe(415)
  expect(await refused({ 'content-length': '2000000' })).toBe(413)
})

test('a body that grows beyond what it may be is refused, though its head did not say so', async () => {
  const { port, headers } = await serve()
  const body = new Blob([JSON.stringify({ content: 'x'.repeat(1_100_000) })]).stream()
  const sent: RequestInit & { readonly duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' }
  expect((await fetch(`http://127.0.0.1:${port}/api/operations/remember`, sent)).status).toBe(413)
})

test('the code of a link is traded once, and only while it is young', async () => {
  const { port, dashboard, token } = await serve()
  const trade = (code: unknown) =>
    send(port, '/api/session', {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code }) },
    })
  const code = dashboard.newCode()
  expect(await trade(code)).toMatchObject({ status: 200, body: { token } })
  expect(await trade(code)).toMatchObject({ status: 401, body: { error: 'LOCKED' } })
  for (const other of ['', 'x', code.slice(1), null, { code }, 7])
    expect((await trade(other)).status).toBe(401)
  // Of more than sixteen that nobody used, the oldest counts no longer.
  const codes = Array.from({ length: 17 }, () => dashboard.newCode())
  expect((await trade(codes[0])).status).toBe(401)
  expect((await trade(codes[1])).status).toBe(200)
})

test('a code counts for ten minutes', () => {
  let now = 0
  const session = new Session(() => now)
  const [early, late] = [session.newCode(), session.newCode()]
  now = 10 * 60_000
  expect(session.trade(early)).toMatch(/^[\w-]{43}$/)
  now += 1
  expect(session.trade(late)).toBeUndefined()
})
