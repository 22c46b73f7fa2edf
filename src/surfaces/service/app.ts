import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import { settingsInForce } from '../../adapters/project/settings/settings-in-force.ts'
import { boundScope, mayDo } from '../../engine/engine.ts'
import type { OpenMemory } from '../../engine/open-memory.ts'
import { ElfmemError } from '../../errors.ts'
import { readsOnly } from '../../intake/check-input.ts'
import { HTTP_BOUNDS, HTTP_PATH } from '../bounds.ts'
import { servePage } from '../dashboard/api.ts'
import { type App, type Around, type Asked, answer, createApp, only, refused, tooMany } from '../http/app.ts'
import { lastEventOf, machineTimer, serveEvents } from '../http/events.ts'
import { bearerOf, gateOfPlace, missing, type Refusal } from '../http/gate.ts'
import { type AppServer, listenApp, type Place } from '../http/listen.ts'
import { Calls, principalOf, type ServiceParts } from './calls.ts'
import { Door } from './door.ts'
import { Endpoints } from './endpoints.ts'
import type { Holder } from './holders.ts'
import { Metrics } from './metrics.ts'
import { ownersAlone, Pages } from './pages.ts'
import { callRoute, openApi, toldFailure } from './rest.ts'

/** Serves memories over HTTP; nothing of any is told without a token. Rejects with `INVALID_INPUT` if it cannot listen. */
export async function listenService(place: Place, parts: ServiceParts): Promise<AppServer> {
  const { listening, onerror } = parts
  const service = new Service(parts)
  const server = await listenApp(place, {
    ...{ bounds: HTTP_BOUNDS, app: service.app, onerror },
    gate: () => gateOfPlace(listening),
    endWork: () => service.close(),
  })
  service.begin()
  return server
}

/** The routes of a service, and who is let in at each. */
class Service {
  readonly app: App
  readonly #parts: ServiceParts
  readonly #metrics = new Metrics()
  readonly #door: Door
  readonly #calls: Calls
  readonly #endpoints: Endpoints
  readonly #pages: Pages
  readonly #watching = new WeakMap<Holder, number>()
  readonly #ending = new AbortController()

  constructor(parts: ServiceParts) {
    this.#parts = parts
    this.#door = new Door(parts)
    this.#calls = new Calls(parts, this.#metrics)
    this.#endpoints = new Endpoints(parts, this.#calls)
    this.#pages = new Pages(parts, this.#door, this.#calls)
    const tell = ({ code, message, recovery = '' }: Refusal) => ({ error: message, code, recovery })
    this.app = createApp({ tell, around: observer(parts.log), onerror: parts.onerror })
    this.#addPublic()
    this.#addMemory()
    this.#addCalls()
    this.#addPage()
  }

  /** Looks from now on who is still let in. */
  begin(): void {
    const look = () => void this.#look().catch(this.#parts.onerror)
    const looking = setInterval(look, HTTP_BOUNDS.lookMs).unref()
    this.#ending.signal.addEventListener('abort', () => clearInterval(looking))
  }

  /** Ends what holders have open whose token was revoked. */
  async #look(): Promise<void> {
    const gone = await this.#door.look()
    this.#endpoints.leave(gone)
    this.#pages.leave(gone)
  }

  async close(): Promise<void> {
    this.#ending.abort()
    this.#pages.close()
    await this.#endpoints.close()
  }

  /** Adds what tells nothing of any memory. */
  #addPublic(): void {
    const { memories, gauges } = this.#parts
    only(this.app, 'GET', '/health/live', (c) => answer(c, 200, { ok: true }))
    only(this.app, 'GET', '/health/ready', (c) =>
      memories.isReady().then(
        () => answer(c, 200, { ok: true }),
        () => answer(c, 503, { ok: false }, { 'retry-after': '1' }),
      ),
    )
    only(this.app, 'GET', '/metrics', (c) => {
      const { open, bytes } = memories
      const own = { open_memories: open, memories_bytes: bytes, calls_under_way: this.#calls.underWay }
      return c.text(this.#metrics.text({ ...own, ...gauges?.() }))
    })
  }

  #addMemory(): void {
    const { memories, version } = this.#parts
    let described: Promise<object> | undefined
    this.#forHolder('GET', '/v1/openapi.json', (c, holder) =>
      this.#counted(c, holder, () => {
        described ??= openApi(version)
        return described
      }),
    )
    const inMemory = (c: Asked, holder: Holder, work: (memory: OpenMemory) => Promise<unknown>) =>
      this.#counted(c, holder, async () => memories.named(holder, await memories.use(holder, work)))
    this.#forHolder('GET', '/v1/memory', (c, holder) =>
      inMemory(c, holder, (memory) => aboutMemory(memory, holder)),
    )
    this.#forHolder('GET', '/v1/settings', (c, holder) =>
      inMemory(c, holder, async (memory) => settingsOf(memory, holder)),
    )
    this.#forHolder('POST', '/v1/session', (c, holder, value) =>
      inMemory(c, holder, (memory) => session(memory, holder, value)),
    )
    this.#forHolder('GET', '/v1/watch', (c, holder) => this.#watch(c, holder))
    // POST calls the operation, as for any other.
    this.app.get('/v1/export', (c) => this.#door.asHolder(c, (holder) => this.#export(c, holder)))
  }

  #addCalls(): void {
    this.#forHolder('POST', HTTP_PATH, (c, holder, value) => {
      const { url, signal, headers: given } = c.req.raw
      const headers = new Headers(given)
      // The caller is known; no handler needs to see the token.
      for (const name of ['authorization', 'content-length', 'transfer-encoding']) headers.delete(name)
      return this.#endpoints.fetch(holder, new Request(url, { method: 'POST', headers, signal }), value)
    })
    this.#forHolder('POST', '/v1/:operation', (c, holder, input = {}) => {
      const name = c.req.param('operation') ?? ''
      c.set('operation', name)
      return this.#told(c, holder, async () => {
        const asked = { name, input, once: keyOf(c), signal: c.req.raw.signal }
        return callRoute(this.#calls, holder, asked)
      })
    })
    this.app.all('/v1/*', (c) => refused(c, missing()))
  }

  /** Adds the dashboard, whose page nobody gets with the token of an agent. */
  #addPage(): void {
    this.app.get('/*', async (c, next) => {
      const token = c.req.path.startsWith('/api/') ? undefined : bearerOf(c.env.incoming)
      const holder = token === undefined ? undefined : await this.#door.find(token)
      return holder === undefined || holder.capability === 'owner' ? next() : refused(c, ownersAlone())
    })
    servePage(this.app, this.#pages)
  }

  /** Adds a route for holders of tokens; one that takes POST is given the JSON that was sent, undefined for none. */
  #forHolder(
    method: 'GET' | 'POST',
    path: string,
    work: (c: Asked, holder: Holder, value?: unknown) => Response | Promise<Response>,
  ): void {
    only(this.app, method, path, (c) =>
      this.#door.asHolder(c, (holder) =>
        method === 'GET'
          ? work(c, holder)
          : this.#door.withBody(c, holder, async (value) => work(c, holder, value)),
      ),
    )
  }

  #watch(c: Asked, holder: Holder): Response | Promise<Response> {
    const open = this.#watching.get(holder) ?? 0
    if (open >= HTTP_BOUNDS.streams) return refused(c, tooMany('streams'))
    let scope: string | undefined
    try {
      this.#calls.count(holder)
      scope = scopeOf(holder, c.req.query('scope'))
    } catch (cause) {
      return this.#failed(c, holder, cause)
    }
    this.#watching.set(holder, open + 1)
    const { onerror } = this.#parts
    return serveEvents(c, { timer: machineTimer, onerror }, async (stream) => {
      const signal = AbortSignal.any([stream.signal, this.#ending.signal])
      try {
        for await (const entry of this.#calls.watch(holder, { scope, after: lastEventOf(c), signal }))
          await stream.send(entry, { id: entry.id })
      } finally {
        this.#watching.set(holder, (this.#watching.get(holder) ?? 1) - 1)
      }
    })
  }

  /** Answers with all that a memory holds, a line at a time as it is read; only an owner may name the place `-`. */
  #export(c: Asked, holder: Holder): Promise<Response> {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const { promise, resolve } = Promise.withResolvers<Response>()
    const whole = c.body(readable, 200, { 'content-type': 'application/jsonl' })
    const write = (text: string) => {
      resolve(whole)
      return writer.write(Buffer.from(text)).catch(() => Promise.reject(left()))
    }
    const asked = { name: 'export', input: { path: '-' }, once: undefined, signal: c.req.raw.signal, write }
    const failed = (cause: unknown) => {
      resolve(this.#failed(c, holder, cause))
      // An answer that has begun breaks off, so that nobody takes it for whole.
      return writer.abort(cause)
    }
    callRoute(this.#calls, holder, asked)
      .then(() => writer.close(), failed)
      .catch(() => undefined)
    return promise
  }

  #counted(c: Asked, holder: Holder, work: () => Promise<unknown>): Promise<Response> {
    return this.#told(c, holder, async () => {
      this.#calls.count(holder)
      return work()
    })
  }

  /** Answers with what some work returns, or with its failure. */
  async #told(c: Asked, holder: Holder, work: () => Promise<unknown>): Promise<Response> {
    try {
      return answer(c, 200, (await work()) ?? null)
    } catch (cause) {
      return this.#failed(c, holder, cause)
    }
  }

  async #failed(c: Asked, holder: Holder, cause: unknown): Promise<Response> {
    const { status, body, headers } = toldFailure(cause, holder)
    if (status === 500) this.#parts.onerror(cause instanceof Error ? cause : new Error(String(cause)))
    return answer(c, status, this.#parts.memories.named(holder, body), headers)
  }
}

/** Gives each request an id, and tells a sink of it: never of texts, tokens or arguments. */
function observer(log: ServiceParts['log']): Around {
  return async (c, next) => {
    const started = performance.now()
    const [given = '', ...others] = c.env.incoming.headersDistinct['x-request-id'] ?? []
    const id = others.length === 0 && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID()
    await next()
    c.res.headers.set('x-request-id', id)
    if (log === undefined) return
    const ms = Math.round((performance.now() - started) * 10) / 10
    const [time, operation = ''] = [new Date().toISOString(), c.get('operation')]
    const asked = operation === '' ? { path: c.req.path } : { operation }
    log(JSON.stringify({ time, request: id, holder: c.get('holder'), ...asked, status: c.res.status, ms }))
  }
}

/** The end of an answer whose client reads no more of it. */
function left(): ElfmemError {
  return new ElfmemError('CANCELLED', 'The client left.', { recovery: 'Ask again.' })
}

/** Returns the key by which a write is done once; throws `INVALID_INPUT` for one that is no key. */
function keyOf({ env }: Asked): string | undefined {
  const given = env.incoming.headersDistinct['idempotency-key']
  if (given === undefined) return undefined
  const [key = '', ...others] = given
  if (others.length === 0 && /^[\x21-\x7e]{1,128}$/.test(key)) return key
  throw new ElfmemError('INVALID_INPUT', 'The header Idempotency-Key is no key.', {
    recovery: 'Send one of 1 to 128 visible ASCII signs, a new one for each write.',
  })
}

/** Returns the scope that a holder watches; throws for one that is none, or another than its own. */
function scopeOf({ scope }: Holder, given: string | undefined): string | undefined {
  const asked = boundScope(given)
  if (scope === undefined || asked === undefined || asked === scope) return scope ?? asked
  throw new ElfmemError('OUT_OF_SCOPE', `This caller may use only the scope "${scope}".`, {
    recovery: 'Leave scope out.',
    details: { scope, asked },
  })
}

/** Returns what a client knows of a memory before it calls anything. */
async function aboutMemory(memory: OpenMemory, { memory: named, scope, capability }: Holder) {
  const within = scope ?? memory.scope
  return {
    // A holder has the path of a memory that is one file.
    ...{ name: basename(named, '.db'), ...(within === undefined ? {} : { scope: within }), capability },
    limits: memory.limits,
    shouldDream: await memory.shouldDream(),
    database: /^postgres(?:ql)?:/.test(memory.location) ? 'PostgreSQL' : 'SQLite',
  }
}

/** Returns all settings for an owner, but for the paths of files that set them. */
function settingsOf({ project }: OpenMemory, { capability }: Holder) {
  if (capability !== 'owner')
    throw new ElfmemError('OWNER_ONLY', 'settings shows what only the owner sees.', {
      ...{ recovery: "Ask with an owner's token.", details: { needs: 'owner', is: capability } },
    })
  const all = settingsInForce(project.settings, project.sourceOf)
  const settings = all.map(({ source, ...each }) => ({
    ...each,
    ...(source !== undefined && /^\w+$/.test(source) ? { source } : {}),
  }))
  return { settings }
}

/** Begins or ends the session of a holder. */
async function session(memory: OpenMemory, holder: Holder, asked: unknown) {
  if (!mayDo(holder, 'agent')) throw readsOnly(await principalOf('http', holder), 'session')
  const { action, taskType } = Object(asked) as Readonly<Record<string, unknown>>
  if (action === 'end' && taskType === undefined) return { hours: await memory.endSession() }
  if (action === 'begin' && (taskType === undefined || typeof taskType === 'string'))
    return { session: await memory.beginSession(taskType === undefined ? {} : { taskType }) }
  throw new ElfmemError('INVALID_INPUT', 'A session is begun or ended.', {
    recovery: 'Send { "action": "begin", "taskType": "…" } or { "action": "end" }.',
  })
}
