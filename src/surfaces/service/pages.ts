import { isListed } from '../../operations/tool-sets.ts'
import { type Desk, type PageDoor, unknownCaller } from '../dashboard/api.ts'
import { createDesk, machineTimer } from '../dashboard/desk.ts'
import { Session } from '../dashboard/session.ts'
import type { Assets } from '../dashboard/static.ts'
import type { Asked } from '../http/app.ts'
import { bearerOf, type Refusal } from '../http/gate.ts'
import type { Calls } from './calls.ts'
import type { Door } from './door.ts'
import type { ServiceHolder } from './memories.ts'
import type { ServiceMemories } from './one-memory.ts'

/** The parts that pages need. */
interface PagesParts {
  readonly door: Door
  readonly calls: Calls
  readonly memories: ServiceMemories
  readonly assets: Assets
  readonly version: string
  readonly onerror: (error: Error) => void
}

/** The page of an owner: what it asks, and the token that it asks with. */
interface Page {
  readonly desk: Desk
  readonly session: Session
}

/** The dashboards of owners: each shows the one memory of a token, and its page has a token of its own. */
export class Pages implements PageDoor {
  readonly assets: Assets
  readonly #parts: PagesParts
  readonly #pages = new Map<ServiceHolder, Promise<Page>>()

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
    const { session, desk } = await this.#pageOf(holder)
    return { token: session.token, desk }
  }

  async deskOf(token: string, c: Asked): Promise<Desk | Refusal | undefined> {
    const { door } = this.#parts
    const known = await this.#holderOf(token)
    const holder = known !== undefined && (await door.isStill(known)) ? known : await door.find(token)
    if (holder === undefined) return undefined
    if (holder.capability !== 'owner') return ownersAlone()
    door.enter(c, holder)
    return (await this.#pageOf(holder)).desk
  }

  /** Ends the pages of holders that are none any more. */
  leave(gone: readonly ServiceHolder[]): void {
    for (const holder of gone) {
      void this.#pages.get(holder)?.then(({ desk }) => desk.streams.close())
      this.#pages.delete(holder)
    }
  }

  /** Ends all. */
  close(): void {
    this.leave([...this.#pages.keys()])
  }

  /** Returns the holder of the token of a page. */
  async #holderOf(token: string): Promise<ServiceHolder | undefined> {
    for (const [holder, page] of this.#pages) {
      const { session } = (await page.catch(() => undefined)) ?? {}
      if (session?.isToken(token)) return holder
    }
    return undefined
  }

  #pageOf(holder: ServiceHolder): Promise<Page> {
    const known = this.#pages.get(holder)
    if (known !== undefined) return known
    const { memories, calls, version, onerror } = this.#parts
    const page = memories.use(holder, async (memory) => ({
      desk: createDesk(calls.watchableOf(holder), memory, {
        ...{ version, readOnly: false, scope: holder.scope, timer: machineTimer, onerror },
        isOffered: (operation) => isListed(operation, holder.tools),
      }),
      session: new Session(() => performance.now()),
    }))
    this.#pages.set(holder, page)
    page.catch(() => this.#pages.delete(holder))
    return page
  }
}

/** The refusal of an agent that asks for what a page shows. */
export function ownersAlone(): Refusal {
  return {
    ...{ status: 403, code: 'OWNER_ONLY', message: "The dashboard opens with an owner's token alone." },
    recovery: 'elfmem tokens add --name NAME --as owner --tools all makes one.',
  }
}
