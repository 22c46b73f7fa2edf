import { etag } from 'hono/etag'
import { settingsInForce } from '../../adapters/project/settings/settings-in-force.ts'
import type { OpenMemory } from '../../engine/open-memory.ts'
import type { Timer } from '../../engine/ports.ts'
import type { Operation } from '../../operations/operation.ts'
import { createViews } from '../../views/views.ts'
import {
  type App,
  type Asked,
  answer,
  bodyOf,
  isRefusal,
  only,
  parsed,
  refused,
  tooMany,
} from '../http/app.ts'
import { bearerOf, missing, type Refusal } from '../http/gate.ts'
import { Streams, type Watchable } from './events.ts'
import { Routes, tellPage } from './routes.ts'
import type { Assets } from './static.ts'

/** The calls and the streams of one who may look. */
export interface Desk {
  readonly routes: Routes
  readonly streams: Streams
}

/** The parts of a desk beside the memory. */
interface DeskParts {
  readonly version: string
  readonly readOnly: boolean
  /** The scope that no call leaves; that of the memory unless given. */
  readonly scope?: string | undefined
  /** The name of a memory that is made anew at each start. */
  readonly name?: string | undefined
  readonly isOffered?: (operation: Operation) => boolean
  readonly timer: Timer
  readonly onerror: (error: Error) => void
}

/**
 * Makes the calls and the streams of one who may look.
 *
 * @param asked the memory as it is called
 * @param shown the memory whose settings and place are shown
 */
export function createDesk(
  asked: Watchable,
  shown: Pick<OpenMemory, 'project' | 'scope' | 'location'>,
  { version, readOnly, scope = shown.scope, name, isOffered, timer, onerror }: DeskParts,
): Desk {
  const { settings, sourceOf, database, configs = [] } = shown.project
  const views = createViews({
    ...{ database, configs, version, readOnly },
    settings: () => settingsInForce(settings, sourceOf),
  })
  const hello = {
    ...{ version, readOnly, location: shown.location },
    ...(scope === undefined ? {} : { scope }),
    ...(name === undefined ? {} : { name }),
  }
  const streams = new Streams(asked, hello, { timer, onerror })
  const routes = new Routes({
    ...{ memory: asked, views, readOnly, timer, ...(isOffered && { isOffered }) },
    operations: async () => (await import('../../operations/table.ts')).operations,
    progress: (call, progress) => streams.progress(call, progress),
  })
  return { routes, streams }
}

/** The parts of a page's server that say who may look. */
export interface PageDoor {
  readonly assets: Assets
  /** Returns the desk of a token, the refusal of one that opens none here, or undefined. */
  deskOf(token: string, c: Asked): Promise<Desk | Refusal | undefined> | Desk | undefined
  /** Trades what a page shows for a token of its own. */
  trade(c: Asked, fields: Fields): Promise<{ readonly token: string; readonly desk: Desk } | Refusal>
}

/** The fields of a body, as somebody sent them. */
type Fields = Readonly<Record<string, unknown>>

/** Serves the page and what it asks. Everything else that an app has at these paths was added to it before. */
export function servePage(app: App, door: PageDoor): void {
  app.use('/api/*', async (c, next) => {
    c.set('tell', tellPage)
    await next()
  })
  only(app, 'POST', '/api/session', async (c) => {
    const body = await bodyOf(c, FIELDS_BYTES)
    if (isRefusal(body)) return refused(c, body)
    const traded = await door.trade(c, Object(parsed(body)?.value))
    if ('status' in traded) return refused(c, traded)
    c.env.know()
    return answer(c, 200, { token: traded.token, ...(await traded.desk.streams.greeting()) })
  })
  only(app, 'GET', '/api/events', (c) =>
    withDesk(c, door, ({ streams }) => (streams.isFull ? refused(c, tooMany('streams')) : streams.serve(c))),
  )
  for (const [kind, to] of [['operations', 'operation'] as const, ['views', 'view'] as const])
    only(app, 'POST', `/api/${kind}/:name{[A-Za-z]{1,40}}`, (c) =>
      withDesk(c, door, ({ routes }) => routes.answer(c, to)),
    )
  app.all('/api/*', (c) =>
    refused(c, missing('There is nothing at this address. The page asks /api/operations.')),
  )
  app.get('/*', etag(), (c) => {
    const asset = door.assets(c.req.path)
    if (asset === undefined) return refused(c, missing('The page has no such file.'))
    return c.body(asset.bytes, 200, {
      'content-type': asset.type,
      'content-length': String(asset.bytes.length),
      'cache-control': asset.isLasting ? 'private, max-age=31536000, immutable' : 'no-cache',
    })
  })
}

/** The most bytes of a body that somebody sends who is not let in yet. */
const FIELDS_BYTES = 4_096

/** Answers who shows a token that opens a desk. */
async function withDesk(c: Asked, door: PageDoor, work: (desk: Desk) => Response | Promise<Response>) {
  const token = bearerOf(c.env.incoming)
  const desk = token === undefined ? undefined : await door.deskOf(token, c)
  if (desk === undefined) return refused(c, unknownCaller())
  if ('status' in desk) return refused(c, desk)
  c.env.know()
  return work(desk)
}

/** The refusal of who cannot show that it may look. */
export function unknownCaller(): Refusal {
  return {
    status: 401,
    code: 'LOCKED',
    message: 'Open the link that elfmem dashboard printed; each link works once.',
    headers: { 'www-authenticate': 'Bearer realm="elfmem dashboard"' },
  }
}
