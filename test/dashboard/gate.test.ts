import { expect, test } from 'vitest'
import { Session } from '../../src/surfaces/dashboard/session.ts'
import { send, serve } from './helpers/served.ts'

interface Head {
  readonly method?: string
  readonly url?: string
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** Returns the status of the answer to a request that differs so from one that is let in. */
async function statusOf({
  method = 'POST',
  url = '/api/operations/status',
  headers = {},
}: Head): Promise<number> {
  const { port, token } = await serve()
  const asServed = (text: string) => text.replaceAll('4641', String(port)).replaceAll(TOKEN, token)
  const length = Number(headers['content-length'] ?? 2)
  const given = Object.entries({ ...LET_IN, ...headers }).flatMap(([name, value = []]) => {
    const told = [value].flat().map(asServed)
    return told.length === 0 ? [] : [[name, told.length === 1 ? told[0] : told]]
  })
  const isHeadOnly = length > 1_048_576
  const body = method === 'GET' || isHeadOnly ? {} : { body: `{}${' '.repeat(length - 2)}` }
  const sent = { method, headers: Object.fromEntries(given), isHeadOnly, setHost: false, ...body }
  return (await send(port, asServed(url), sent)).status
}

/** Stands for the token of a run. */
const TOKEN = 'TOKEN'
const LET_IN = {
  host: '127.0.0.1:4641',
  origin: 'http://127.0.0.1:4641',
  'sec-fetch-site': 'same-origin',
  authorization: `Bearer ${TOKEN}`,
  'content-type': 'application/json',
}

const PAGE = { method: 'GET', url: '/' } as const
const NOTHING = { authorization: undefined }

test.each<readonly [why: string, status: number, head: Head]>([
  ['a page of ours calls an operation', 200, {}],
  ['localhost', 200, { headers: { host: 'localhost:4641', origin: 'http://localhost:4641' } }],
  ['a program sends no origin', 200, { headers: { origin: undefined, 'sec-fetch-site': undefined } }],
  [
    'a page needs no token',
    200,
    { ...PAGE, headers: { authorization: undefined, 'sec-fetch-site': 'none' } },
  ],
  ['a body of 1 MB', 200, { headers: { 'content-length': '1048576' } }],
  ['no host', 421, { headers: { host: undefined } }],
  ['a name that resolves to this machine', 421, { headers: { host: 'evil.example:4641' } }],
  ['our name before another', 421, { headers: { host: 'localhost.evil.example:4641' } }],
  ['another port', 421, { headers: { host: '127.0.0.1:9' } }],
  [
    'a foreign host and everything else wrong',
    421,
    { url: '/x.y', headers: { ...NOTHING, host: 'evil.example' } },
  ],
  ['a foreign page', 403, { headers: { origin: 'https://evil.example' } }],
  ['a page without an origin', 403, { headers: { origin: 'null' } }],
  ['the same host with TLS', 403, { headers: { origin: 'https://127.0.0.1:4641' } }],
  ['another site', 403, { headers: { 'sec-fetch-site': 'cross-site' } }],
  ['another port of this machine', 403, { headers: { 'sec-fetch-site': 'same-site' } }],
  ['a foreign page asks for the page', 403, { ...PAGE, headers: { 'sec-fetch-site': 'cross-site' } }],
  ['a foreign page and no token', 403, { headers: { ...NOTHING, origin: 'https://evil.example' } }],
  ['no token', 401, { headers: { authorization: undefined } }],
  ['another token', 401, { headers: { authorization: `Bearer ${TOKEN}x` } }],
  ['two tokens', 401, { headers: { authorization: [`Bearer ${TOKEN}`, `Bearer ${TOKEN}`] } }],
  ['a token in the address', 401, { url: `/api/operations/status?token=${TOKEN}`, headers: NOTHING }],
  ['a token in a cookie', 401, { headers: { ...NOTHING, cookie: `token=${TOKEN}` } }],
  ['a stream without a token', 401, { method: 'GET', url: '/api/events', headers: NOTHING }],
  ['a call by GET', 405, { method: 'GET' }],
  ['a stream by POST', 405, { url: '/api/events' }],
  ['no such address', 404, { url: '/api/tables' }],
  ['a path behind the name', 404, { url: '/api/operations/status/../erase' }],
  ['an address of another server', 404, { url: 'http://evil.example/api/operations/status' }],
  ['a form of a page', 415, { headers: { 'content-type': 'text/plain; application/json' } }],
  ['a compressed body', 415, { headers: { 'content-encoding': 'gzip' } }],
  ['a body that is too long', 413, { headers: { 'content-length': '1048577' } }],
])('a request is answered with its status: %s, %i', async (_why, status, head) => {
  expect(await statusOf(head)).toBe(status)
})

test('a body that grows beyond 1 MB without saying so is refused with 413', async () => {
  const { port, headers } = await serve()
  const body = new Blob([JSON.stringify({ content: 'x'.repeat(1_100_000) })]).stream()
  const sent: RequestInit & { readonly duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' }
  expect((await fetch(`http://127.0.0.1:${port}/api/operations/remember`, sent)).status).toBe(413)
})

test('the code of a link gives the token once, within ten minutes', () => {
  let now = 0
  const [session, late] = [new Session(() => now), new Session(() => now)]
  for (const other of ['', 'x', session.code.slice(1)]) expect(session.trade(other)).toBeUndefined()
  now = 10 * 60_000
  expect(session.trade(session.code)).toBe(session.token)
  expect(session.trade(session.code)).toBeUndefined()
  now += 1
  expect(late.trade(late.code)).toBeUndefined()
})
