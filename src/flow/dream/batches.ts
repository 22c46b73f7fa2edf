import type { CallContext, Engine } from '../engine.ts'
import { type Embedded, embedBlocks } from './embed.ts'

/** The inbox in embedded batches, oldest first. While one is promoted the next is being embedded. */
export class Batches {
  readonly #engine: Engine
  readonly #context: CallContext
  #left: number
  #cursor: string | undefined
  #ahead: Promise<Embedded[]> | undefined

  /** @param total at most so many blocks in all */
  constructor(engine: Engine, context: CallContext, total: number) {
    this.#engine = engine
    this.#context = context
    this.#left = total
  }

  /** The next batch; empty at the end. Throws what the embedder throws, not before its batch is asked for. */
  async next(): Promise<Embedded[]> {
    const batch = await (this.#ahead ?? this.#embed())
    this.#ahead = batch.length === 0 ? undefined : this.#embed()
    // Whoever stops early never asks for it; its failure is then nobody's.
    this.#ahead?.catch(() => undefined)
    return batch
  }

  async #embed(): Promise<Embedded[]> {
    const limit = Math.min(this.#engine.settings.memory.embedBatch, this.#left)
    if (limit === 0) return []
    const cursor = this.#cursor
    const page = await this.#engine.store.read((tx) =>
      tx.page({ status: 'inbox', order: 'arrival', limit, ...(cursor === undefined ? {} : { cursor }) }),
    )
    this.#cursor = page.cursor
    this.#left = page.cursor === undefined ? 0 : this.#left - page.blocks.length
    return page.blocks.length === 0 ? [] : embedBlocks(this.#engine, page.blocks, this.#context)
  }
}
