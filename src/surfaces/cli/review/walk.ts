import type { CallableMemory } from '../../../engine/open-memory.ts'
import { ElfmemError } from '../../../errors.ts'
import { type DecisionView, needsPerson } from '../../../operations/decide/decision-view.ts'
import { decisions } from '../../../operations/decide/decisions.ts'

/** The decisions that are wanted. */
export interface Wanted {
  readonly kind?: string
  readonly scope?: string
}

type Page = Awaited<ReturnType<typeof decisions.run>>

/** Ids read at a time. */
const PAGE = 50

/** The decisions that were there at the beginning, in their order; each is read again when it is looked at. */
export class Walk {
  readonly #memory: Pick<CallableMemory, 'call'>
  readonly #wanted: Wanted
  readonly #ids: string[] = []
  #next: string | undefined
  #isWhole = false
  /** The first page, which has the number of decisions, and of each kind. */
  first: Page | undefined

  constructor(memory: Pick<CallableMemory, 'call'>, wanted: Wanted) {
    this.#memory = memory
    this.#wanted = wanted
  }

  /** The number of wanted decisions; if no kind was asked for, all that only a person settles. */
  get total(): number {
    const { counts = {}, total = 0 } = this.first ?? {}
    return this.#wanted.kind === undefined ? total : (counts[this.#wanted.kind] ?? 0)
  }

  /** The id at a place; undefined behind the last. */
  async at(place: number): Promise<string | undefined> {
    while (!this.#isWhole && place >= this.#ids.length) await this.#load()
    return this.#ids[place]
  }

  /** A decision as it stands now; undefined when it is none any more. */
  async look(id: string): Promise<DecisionView | undefined> {
    try {
      const { decisions: found } = await this.#read({ id })
      return found[0]
    } catch (error) {
      if (ElfmemError.is(error) && error.code === 'NOT_FOUND') return undefined
      throw error
    }
  }

  async #load(): Promise<void> {
    const cursor = this.#next === undefined ? {} : { cursor: this.#next }
    const page = await this.#read({ ...this.#wanted, limit: PAGE, ...cursor })
    this.first ??= page
    const isWanted = ({ kind }: DecisionView) => this.#wanted.kind !== undefined || needsPerson(kind)
    const wanted = page.decisions.filter(isWanted)
    this.#ids.push(...wanted.map(({ id }) => id))
    this.#next = page.cursor
    this.#isWhole = page.cursor === undefined || wanted.length < page.decisions.length
  }

  #read(input: object): Promise<Page> {
    const scope = this.#wanted.scope === undefined ? {} : { scope: this.#wanted.scope }
    return this.#memory.call(decisions, { ...scope, ...input }) as Promise<Page>
  }
}
