import { createHash, randomBytes } from 'node:crypto'
import { isListed } from '../../operations/tool-sets.ts'
import { type Desk, type PageDoor, unknownCaller } from '../dashboard/api.ts'
import { createDesk, machineTimer } from '../dashboard/desk.ts'
import type { Assets } from '../dashboard/static.ts'
import type { Asked } from '../http/app.ts'
import { bearerOf, type Refusal } from '../http/gate.ts'
import type { Calls } from './calls.ts'
import type { Door } from './door.ts'
import type { ServiceHolder } from './memories.ts'
import type { ServiceMemories } from './one-memory.ts'

/** Tokens of pages at once; of one more, the oldest opens nothing any more. */
const PAGES = 256

/** The parts that pages need. */
interface PagesParts {
  readonly door: Door
  readonly calls: Calls
  readonly memories: ServiceMemories
  readonly assets: Assets
  readonly version: string
  readonly onerror: (error: Error) => void
}

/** The dashboards of owners: each shows the one memory of a token, and a page has a token of its own for it. */
export class Pages implements PageDoor {
  readonly assets: Assets
  readonly #parts: PagesParts
  readonly #desks = new Map<ServiceHolder, Promise<Desk>>()
  /** The holder of a page's token, by the hash of it. */
  readonly #pages = new Map<string, ServiceHolder>()

  constructor(parts: PagesParts) {
    this.#parts = parts
    this.assets = parts.assets
  }

  /** Trades an owner's token, in the header or as the code of a link, for one of the page. */
  async trade(c: Asked, { code }: Readonly<Record<string, unknown>>) {
    const token = bearerOf(c.env.incoming) ?? code
    const holder = typeof token === 'string' ? await this.#parts.door.find(token) : undefined
    if (holder === undefined) return unknownCaller()
    if (holder.capability !== 'owner') return ownersAlone()
    const page = randomBytes(32).toString('base64url')
    this.#pages.set(nameOf(page), holder)
    const [oldest] = this.#pages.keys()
    if (this.#pages.size > PAGES && oldest !== undefined) this.#pages.delete(oldest)
    return { token: page, desk: await this.#deskFor(holder) }
  }

  async deskOf(token: string, c: Asked): Promise<Desk | Refusal | undefined> {
    const { door } = this.#parts
    const known = this.#pages.get(nameOf(token))
    const holder = known !== undefined && (await door.isStill(known)) ? known : await door.find(token)
    if (holder === undefined) return undefined
    if (holder.capability !== 'owner') return ownersAlone()
    door.enter(c, holder)
    return this.#deskFor(holder)
  }

  /** Ends the pages of holders that are none any more. */
  leave(gone: readonly ServiceHolder[]): void {
    for (const [name, holder] of this.#pages) if (gone.includes(holder)) this.#pages.delete(name)
    for (const holder of gone) this.#end(holder)
  }

  close(): void {
    for (const holder of this.#desks.keys()) this.#end(holder)
  }

  #end(holder: ServiceHolder): void {
    const desk = this.#desks.get(holder)
    this.#desks.delete(holder)
    desk
      ?.then(({ routes, streams }) => {
        streams.close()
        routes.close()
      })
      .catch(() => undefined)
  }

  #deskFor(holder: ServiceHolder): Promise<Desk> {
    const known = this.#desks.get(holder)
    if (known !== undefined) return known
    const { memories, calls, version, onerror } = this.#parts
    const desk = memories.use(holder, async (memory) =>
      createDesk(calls.watchableOf(holder), memory, {
        ...{ version, readOnly: false, scope: holder.scope, timer: machineTimer, onerror },
        isOffered: (operation) => isListed(operation, holder.tools),
      }),
    )
    this.#desks.set(holder, desk)
    desk.catch(() => this.#desks.delete(holder))
    return desk
  }
}

/** The refusal of an agent that asks for what a page shows. */
export function ownersAlone(): Refusal {
  return {
    ...{ status: 403, code: 'OWNER_ONLY', message: "The dashboard opens with an owner's token alone." },
    recovery: 'elfmem tokens add --name NAME --as owner --tools all makes one.',
  }
}

function nameOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
