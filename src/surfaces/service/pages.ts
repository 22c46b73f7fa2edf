import { randomBytes } from 'node:crypto'
import { tokenHash } from '../../adapters/project/tokens/token-store.ts'
import type { OpenMemory } from '../../engine/open-memory.ts'
import { isListed } from '../../operations/tool-sets.ts'
import { createDesk, type Desk, type PageDoor, unknownCaller } from '../dashboard/api.ts'
import { type Assets, loadAssets } from '../dashboard/static.ts'
import type { Asked } from '../http/app.ts'
import { machineTimer } from '../http/events.ts'
import { bearerOf, type Refusal } from '../http/gate.ts'
import type { Calls, ServiceParts } from './calls.ts'
import type { Door } from './door.ts'
import type { Holder } from './holders.ts'

/** The page of an owner: what it asks, and the token that it asks with. */
interface Page {
  readonly desk: Promise<Desk>
  readonly token: string
}

/** The dashboards of owners: each shows the one memory of a token, and its page has a token of its own. */
export class Pages implements PageDoor {
  readonly assets: Assets
  readonly #parts: ServiceParts
  readonly #door: Door
  readonly #calls: Calls
  readonly #pages = new Map<Holder, Page>()
  /** The holders of pages by the hash of a page's token. */
  readonly #holders = new Map<string, Holder>()

  constructor(parts: ServiceParts, door: Door, calls: Calls) {
    this.#parts = parts
    this.#door = door
    this.#calls = calls
    this.assets = loadAssets(parts.page)
  }

  /** Trades an owner's token, in the header or as the code of a link, for one of the page. */
  async trade(c: Asked, { code }: Readonly<Record<string, unknown>>) {
    const token = bearerOf(c.env.incoming) ?? code
    const holder = typeof token === 'string' ? await this.#door.find(token) : undefined
    if (holder === undefined) return unknownCaller()
    if (holder.capability !== 'owner') return ownersAlone()
    const page = this.#pageOf(holder)
    return { token: page.token, desk: await page.desk }
  }

  async deskOf(token: string, c: Asked): Promise<Desk | Refusal | undefined> {
    const known = this.#holders.get(tokenHash(token))
    const holder =
      known !== undefined && (await this.#door.isStill(known)) ? known : await this.#door.find(token)
    if (holder === undefined) return undefined
    if (holder.capability !== 'owner') return ownersAlone()
    this.#door.enter(c, holder)
    return this.#pageOf(holder).desk
  }

  /** Ends the pages of holders that are none any more. */
  leave(gone: Iterable<Holder>): void {
    for (const holder of gone) {
      const page = this.#pages.get(holder)
      if (page === undefined) continue
      this.#pages.delete(holder)
      this.#holders.delete(tokenHash(page.token))
      page.desk.then(({ streams }) => streams.close()).catch(() => undefined)
    }
  }

  /** Ends all. */
  close(): void {
    this.leave(this.#pages.keys())
  }

  #pageOf(holder: Holder): Page {
    const known = this.#pages.get(holder)
    if (known !== undefined) return known
    const { memories, version, onerror } = this.#parts
    const shownOf = ({ project, scope, location }: OpenMemory) => ({
      ...{ project, location: memories.named(holder, location) },
      scope,
    })
    const desk = memories.use(holder, async (memory) =>
      createDesk(this.#calls.watchableOf(holder), shownOf(memory), {
        ...{ version, readOnly: false, scope: holder.scope, timer: machineTimer, onerror },
        isOffered: (operation) => isListed(operation, holder.tools),
      }),
    )
    const page = { desk, token: randomBytes(32).toString('base64url') }
    this.#pages.set(holder, page)
    this.#holders.set(tokenHash(page.token), holder)
    desk.catch(() => this.leave([holder]))
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
