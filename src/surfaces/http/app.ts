import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { compress } from 'hono/compress'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { attempt, ElfmemError } from '../../errors.ts'
import { missing, type Refusal } from './gate.ts'

/** The parts of a request that the server below an app knows. */
interface Bindings extends HttpBindings {
  /** The gate's refusal; whatever else the request says is not looked at. */
  readonly refusal: Refusal | undefined
  /** Says that a token was shown that opens something. */
  readonly know: () => void
}

/** The words of a refusal for the callers of an address. */
export type Tell = (refusal: Refusal) => object

interface AppEnv {
  Bindings: Bindings
  /** The holder and the operation of a request, for logs. */
  Variables: { tell: Tell; holder?: string; operation?: string }
}
export type App = Hono<AppEnv>
export type Asked = Context<AppEnv>
export type Around = MiddlewareHandler<AppEnv>

const POLICY = [
  "default-src 'none'",
  ...["script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'", "worker-src 'self'"],
  ...["font-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ...["require-trusted-types-for 'script'", 'trusted-types elfmem'],
].join('; ')

/** The headers of every answer; what says nothing else is not kept by anybody. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Answers of fewer bytes go out as they are: a packet holds them. */
const PLAIN_BYTES = 1_400

/** The parts of an app that differ between servers. */
interface AppParts {
  readonly tell: Tell
  /** Sees all requests, refused ones too. */
  readonly around?: Around
  readonly onerror: (error: Error) => void
}

/** An app without routes: it refuses what the gate refused, and gives every answer the headers that keep other pages out. */
export function createApp({ tell, around, onerror }: AppParts): App {
  const app: App = new Hono()
  app.use(async (c, next) => {
    c.set('tell', tell)
    await next()
    for (const [name, value] of Object.entries(HEADERS)) c.res.headers.set(name, value)
    if (!c.res.headers.has('cache-control')) c.res.headers.set('cache-control', 'no-store')
  })
  if (around !== undefined) app.use(around)
  app.use(compress({ threshold: PLAIN_BYTES, encoding: 'gzip' }))
  app.use(async (c, next) => (c.env.refusal === undefined ? next() : refused(c, c.env.refusal)))
  app.notFound((c) => refused(c as Asked, missing()))
  app.onError((cause, c) => {
    if (isStoreFailure(cause)) return refused(c as Asked, unavailable(cause.code))
    if (!c.env.incoming.destroyed) onerror(cause)
    const message = 'The server failed in a way it should not.'
    return refused(c as Asked, { status: 500, code: 'UNEXPECTED', message })
  })
  return app
}

/** True for a failure of a store, which may pass. */
export function isStoreFailure(cause: unknown): cause is ElfmemError {
  return ElfmemError.is(cause) && cause.code.startsWith('STORE_')
}

/** Returns the refusal of a request whose token could not be looked up; nothing of the store is told to somebody unknown. */
function unavailable(code: string): Refusal {
  const message = 'The service cannot reach its store just now.'
  return { status: 503, code, message, recovery: 'Ask again in a moment.', headers: { 'retry-after': '1' } }
}

/** Answers with JSON. */
export function answer(
  c: Asked,
  status: ContentfulStatusCode,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const text = JSON.stringify(body)
  const length = String(Buffer.byteLength(text))
  const about = { 'content-type': 'application/json; charset=utf-8', 'content-length': length }
  return c.body(text, status, { ...about, ...headers })
}

/** Answers with a refusal, in the words of its address. */
export function refused(c: Asked, refusal: Refusal): Response {
  return answer(c, refusal.status, c.get('tell')(refusal), refusal.headers)
}

/** Serves one method at a path; the others are told so. */
export function only(
  app: App,
  method: 'GET' | 'POST',
  path: string,
  handler: (c: Asked) => Response | Promise<Response>,
): void {
  app.all(path, (c) => {
    if (c.req.method === method) return handler(c)
    const message = `This address takes ${method} alone.`
    return refused(c, { status: 405, code: 'WRONG_METHOD', message, headers: { allow: method } })
  })
}

/** Returns the refusal of a request beyond the most that are allowed at once. */
export function tooMany(what: string, status: 429 | 503 = 429): Refusal {
  const message = `Too many ${what} at once. Ask again in a moment.`
  return { status, code: 'TOO_MANY', message, headers: { 'retry-after': '1' } }
}

/** True for a refusal among other results. */
export function isRefusal(given: Buffer | Refusal): given is Refusal {
  return 'status' in given
}

const JSON_TYPE = /^application\/json(?: ?; ?charset=utf-8)?$/i

/** Returns the body of a request that declares JSON, or the reason why it is refused. */
export async function bodyOf({ env }: Asked, most: number): Promise<Buffer | Refusal> {
  const {
    'content-length': length,
    'content-type': type,
    'content-encoding': encoding,
  } = env.incoming.headersDistinct
  if (Number(length?.[0] ?? 0) > most) return tooLarge(most)
  if (type?.length !== 1 || !JSON_TYPE.test(type[0] ?? '') || encoding !== undefined)
    return {
      ...{
        status: 415,
        code: 'WRONG_TYPE',
        message: 'The body must be application/json, and not compressed.',
      },
      recovery: 'Send JSON with the header Content-Type: application/json; {} for no arguments.',
    }
  return (await readBody(env.incoming, most)) ?? tooLarge(most)
}

function tooLarge(most: number): Refusal {
  return {
    ...{ status: 413, code: 'LIMIT_EXCEEDED', message: `The request has more than ${most} bytes.` },
    recovery: 'Send less at once.',
  }
}

/** Returns the JSON of a body in a box; undefined for text that is none. */
export function parsed(body: Buffer): { readonly value: unknown } | undefined {
  return attempt(() => ({ value: JSON.parse(body.toString('utf8')) as unknown }))
}

/**
 * Reads a body as it comes; undefined once it has more bytes than it may. Rejects if the client goes away before its end. How long it may
 * take is the server's `requestTimeout`.
 */
async function readBody(request: HttpBindings['incoming'], most: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    bytes += part.length
    // The rest is read and dropped once the answer is written, or the sender would lose it.
    if (bytes > most) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}
