import type { Block } from '../../domain/block/block.ts'
import { type Embedded, embedBlocks } from '../blocks/embed-blocks.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { nextTurn } from '../engine/pauses.ts'
import type { Analysis } from '../judge/host-analysis.ts'

/** A waiting block with what is needed to promote it. */
export interface Prepared extends Embedded {
  readonly analysis?: Analysis
  /** A model was to judge it and did not. */
  readonly judgementPending: boolean
}

/** Analyses by block id; blocks a model was to judge and did not are `judgementPending`. */
export interface Analyses {
  readonly found: ReadonlyMap<string, Analysis>
  readonly judgementPending: ReadonlySet<string>
}

export interface BatchesOptions {
  /** At most so many blocks in all. */
  readonly total: number
  /** Asked before each batch. */
  readonly batchSize: () => number
  /** So many batches are being prepared while one is promoted. */
  readonly ahead: number
  readonly analyse: (blocks: readonly Block[]) => Promise<Analyses>
}

/** The inbox in batches that are embedded and analysed, oldest first. While one is promoted the next are being prepared. */
export class Batches {
  readonly #engine: Engine
  readonly #context: CallContext
  readonly #options: BatchesOptions
  readonly #ahead: Promise<Prepared[]>[] = []
  #embedding: Promise<unknown> = Promise.resolve()
  #left: number
  #cursor: string | undefined

  constructor(engine: Engine, context: CallContext, options: BatchesOptions) {
    this.#engine = engine
    this.#context = context
    this.#options = options
    this.#left = options.total
  }

  /** The next batch; empty at the end. Throws what the embedder throws, not before its batch is asked for. */
  async next(): Promise<Prepared[]> {
    while (this.#ahead.length <= this.#options.ahead) this.#ahead.push(this.#prepare())
    const [next] = this.#ahead.splice(0, 1)
    return (await next) ?? []
  }

  /** Pages are read and embedded one after the other; analysing one goes on while the next is embedded. */
  #prepare(): Promise<Prepared[]> {
    const embedding = this.#embedding.then(() => this.#embed())
    this.#embedding = embedding
    const prepared = embedding.then((embedded) => this.#analyse(embedded))
    // Whoever stops early never asks for it; its failure is then nobody's.
    embedding.catch(() => undefined)
    prepared.catch(() => undefined)
    return prepared
  }

  async #embed(): Promise<Embedded[]> {
    const limit = Math.min(this.#options.batchSize(), this.#left)
    if (limit === 0) return []
    const cursor = this.#cursor
    const place = cursor === undefined ? {} : { cursor }
    const { page, vectors } = await this.#engine.store.read(async (tx) => {
      const found = await tx.page({ status: 'inbox', order: 'arrival', limit, ...place })
      return { page: found, vectors: await tx.vectors(found.blocks.map(({ id }) => id)) }
    })
    this.#cursor = page.cursor
    this.#left = page.cursor === undefined ? 0 : this.#left - page.blocks.length
    // An embedder in this very thread works in the same turn as whoever promotes the batch before.
    await nextTurn()
    return page.blocks.length === 0 ? [] : embedBlocks(this.#engine, page.blocks, this.#context, vectors)
  }

  async #analyse(embedded: readonly Embedded[]): Promise<Prepared[]> {
    const { found, judgementPending } = await this.#options.analyse(embedded.map(({ block }) => block))
    return embedded.map((each) => {
      const analysis = found.get(each.block.id)
      return {
        ...each,
        judgementPending: judgementPending.has(each.block.id),
        ...(analysis ? { analysis } : {}),
      }
    })
  }
}
