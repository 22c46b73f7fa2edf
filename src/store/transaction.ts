import type { DayCounts } from '../domain/advice/counts.ts'
import { type Columns, type RowOf, type Table, type View, viewOf } from '../ports/store/description.ts'
import type { Key, Rows, State } from '../ports/store/rows.ts'
import type { ClockReading } from '../ports/store/transaction.ts'
import { blocks } from './tables.ts'

const KNOWN = viewOf(blocks, ['id', 'arrival', 'scope'])

/** The facts about a block that never change. */
export interface KnownBlock {
  readonly id: string
  readonly arrival: number
  readonly scope?: string
}

/** Finds a block by its id among those that a transaction may see. */
export type LookUp = (id: string) => KnownBlock | undefined

/** Something that was done, and in which scope, if in one. */
export interface Done {
  readonly scope?: string | undefined
  readonly counts: Partial<DayCounts>
}

/** One transaction as the rules about rows use it, with what it need not ask twice: nobody else changes it meanwhile. */
export class Transaction {
  readonly rows: Rows
  /** Numbers of the entries that were logged, in their order. */
  readonly logged: number[] = []
  /** The acts since the last entry was logged, to be counted with the next. */
  readonly done: Done[] = []
  #state: State | undefined
  readonly #known = new Map<string, KnownBlock | undefined>()

  /** @param state the state of the database, where it is known already */
  constructor(rows: Rows, state?: State) {
    this.rows = rows
    this.#state = state
  }

  get scope(): string | undefined {
    return this.rows.scope
  }

  /** The same over the whole store, for what a block takes along wherever it is joined. */
  get whole(): Transaction {
    return this.scope === undefined ? this : new Transaction(this.rows.whole)
  }

  /** The state of the store, read once a transaction. */
  async state(): Promise<State> {
    this.#state ??= await this.rows.state()
    return this.#state
  }

  /** Notes the clock that an entry of the log set. */
  setClock(clock: ClockReading): void {
    if (this.#state !== undefined) this.#state = { ...this.#state, clock }
  }

  /** Notes that this many rows of blocks came or changed, all under one number. */
  setSequence(sequence: number): void {
    if (this.#state !== undefined) this.#state = { ...this.#state, sequence }
  }

  /** The number of a change that is written now. */
  async nextSequence(): Promise<number> {
    const sequence = (await this.state()).sequence + 1
    this.setSequence(sequence)
    return sequence
  }

  /** Finds the blocks with these ids, in one statement for those that are not known yet. */
  async lookUp(ids: Iterable<string>): Promise<LookUp> {
    const fresh = [...new Set(ids)].filter((id) => !this.#known.has(id))
    for (const id of fresh) this.#known.set(id, undefined)
    for (const block of await this.blocks(KNOWN, fresh)) this.#known.set(block.id, block)
    return (id) => this.#known.get(id)
  }

  /** The blocks with these ids, in their order; each once. */
  blocks<R>(view: View<R>, ids: Iterable<string>): Promise<R[]> {
    const keys = Array.from(ids, (id) => [id])
    return this.rows.get(view, keys, 'unique')
  }

  /** Removes rows that were read, their keys at least; returns them. */
  remove<C extends Columns>(
    table: Table<C>,
    read: readonly Partial<RowOf<Table<C>>>[],
  ): Promise<RowOf<Table<C>>[]> {
    const keys = read.map((row) => keyIn(table, row))
    return this.rows.remove(table, keys)
  }

  /** Forgets what was known: blocks came back or went, and their numbers with them. */
  forget(): void {
    this.#known.clear()
    this.#state = undefined
  }

  /** Notes a block that was inserted. */
  noteBlock(block: KnownBlock): void {
    this.#known.set(block.id, block)
  }
}

/** The key of a row. */
export function keyIn({ key }: Table, row: object): Key {
  const values = row as Readonly<Record<string, string | number>>
  return key.map((property) => values[property] as string | number)
}

/** The scope of what joins two blocks: the one that both have. */
export function sharedScope(one: KnownBlock | undefined, other: KnownBlock | undefined): { scope?: string } {
  return one?.scope !== undefined && one.scope === other?.scope ? { scope: one.scope } : {}
}
