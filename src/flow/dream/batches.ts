import { COSINE_ERROR, similarityThresholdsOf } from '../engine/embedding.ts'
import type { Block, BlockIndex } from '../../domain/block/block.ts'
import { TAGS_MOST, WordTags } from '../../domain/block/tags.ts'
import { defined } from '../../domain/text/text.ts'
import { type QuantisedVector, quantise, quantisedCosine } from '../../search/index/vectors.ts'
import { SCAN_BATCH } from '../../search/index/vectors.ts'
import { stemOf } from '../../search/language/choose.ts'
import type { Compared, Near } from '../../search/index/vectors.ts'
import { type Embedded, embedBlocks } from '../engine/embedding.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { nextTurn, Pauses } from '../engine/engine.ts'
import type { Analysis } from '../judge/host-analysis.ts'

/** A waiting block with its vector and its judgement. */
export interface Prepared extends Embedded {
  readonly analysis?: Analysis
  /** A model was to judge it and did not. */
  readonly judgementPending: boolean
}

/** A waiting block with all that is known of it before the transaction of its batch. */
export interface Candidate extends Prepared {
  /** The index entry of the block; made before the transaction, because analysing a long text is slow. */
  readonly entry: BlockIndex
  /** Who may be near it, active or not, most similar first. */
  readonly near: readonly Near[]
  /** Tags of the memory that its words deserve. */
  readonly wordTags: readonly string[]
}

/** Analyses by block id; blocks a model was to judge and did not are `judgementPending`. */
export interface Analyses {
  readonly found: ReadonlyMap<string, Analysis>
  readonly judgementPending: ReadonlySet<string>
}

/** The size of the batches, how far they are prepared ahead, and how they are analysed. */
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
    const { page, vectors } = await this.#engine.store.read(async (tx) => {
      const found = await tx.page({ status: 'inbox', order: 'arrival', limit, ...defined({ cursor }) })
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
    return embedded.map((each) => ({
      ...each,
      judgementPending: judgementPending.has(each.block.id),
      ...defined({ analysis: found.get(each.block.id) }),
    }))
  }
}

/** The blocks of a batch with what promoting them needs. Between its steps others have their turn: together they take some 50 ms. */
export async function candidatesOf(
  engine: Engine,
  batch: readonly Prepared[],
  tagsByWords: TagsByWords,
): Promise<Candidate[]> {
  const wordTags = await tagsByWords.of(batch.map(({ block }) => block))
  const near = neighboursOf(
    engine,
    batch.map((each, i) => comparedOf(each, wordTags[i] ?? [])),
  )
  await nextTurn()
  const candidates: Candidate[] = []
  const pauses = new Pauses()
  for (const [i, each] of batch.entries()) {
    const entry = engine.analysis.entry(each.block, each.vectors)
    candidates.push({ ...each, entry, near: near[i] ?? [], wordTags: wordTags[i] ?? [] })
    await pauses.after(each.block.content.length)
  }
  await nextTurn()
  return candidates
}

/** Neighbours worth a look when a block is linked or compared, and as many that share its session or a tag. */
export const NEIGHBOURS = 8

/**
 * Size of a batch up to which neighbours that read less alike are looked at, too, for a model or a host to judge: a change can be said
 * in quite other words.
 */
const CLOSE_MOST = 20

/** A waiting block with the tags it will have, as far as nobody refuses them. */
interface Comparable extends Compared {
  readonly id: string
  readonly session: string
  readonly tags: readonly string[]
  readonly quantised: QuantisedVector
}

function comparedOf({ block, vectors, analysis }: Prepared, wordTags: readonly string[]): Comparable {
  const { id, session, scope } = block
  const { vector } = vectors
  const tags = [...block.tags, ...wordTags, ...(analysis?.tags ?? [])]
  return { id, session, tags, vector, quantised: quantise(vector), ...defined({ scope }) }
}

/**
 * Returns who is near each waiting block in its scope, most similar first: the nearest active blocks, and all
 * of the batch before it, which may turn out not to become active. Those are not in the index yet and are
 * compared here exactly as the index would, so that no decision depends on where a batch ends. Several are
 * looked up at once, because a scan loads every row only once for all of them.
 */
function neighboursOf({ settings, embedder, index }: Engine, batch: readonly Comparable[]): Near[][] {
  const { edgeCosineFloor, edgeUnsharedCosine } = similarityThresholdsOf(settings, embedder.model)
  const kinFloor = edgeCosineFloor - COSINE_ERROR
  const isClose = batch.length <= CLOSE_MOST
  const floor = isClose ? kinFloor : Math.max(kinFloor, edgeUnsharedCosine - COSINE_ERROR)
  const known: Near[][] = []
  for (let at = 0; at < batch.length; at += SCAN_BATCH)
    known.push(...index.nearest(batch.slice(at, at + SCAN_BATCH), { count: NEIGHBOURS, floor, kinFloor }))
  return batch.map((_, i) =>
    [...(known[i] ?? []), ...mates(batch, i)]
      .filter(({ cosine, isKin }) => cosine >= (isKin ? kinFloor : floor))
      .sort((a, b) => b.cosine - a.cosine),
  )
}

/** Returns the candidates before the `i`-th, of its scope. */
function mates(batch: readonly Comparable[], i: number): Near[] {
  const own = batch[i] as Comparable
  const tags = new Set(own.tags)
  return batch.slice(0, i).flatMap((other) => {
    if (other.scope !== own.scope) return []
    const isKin = other.session === own.session || other.tags.some((tag) => tags.has(tag))
    return [{ id: other.id, cosine: quantisedCosine(own.quantised, other.quantised), isKin }]
  })
}

/** More different tags than these are not looked for in texts. */
const TAGS_MAX = 20_000

/** Tags that words give a block, the most specific first, and characters of the shortest: a shorter one stands in too many texts. */
const WORD_TAGS = { most: 3, lengthLeast: 3 }

/** The tags that the memory knows, for one dream: each scope its own. */
export class TagsByWords {
  readonly #engine: Pick<Engine, 'store'>
  readonly #byScope = new Map<string | undefined, WordTags>()

  constructor(engine: Pick<Engine, 'store'>) {
    this.#engine = engine
  }

  /** Which tags each of the blocks deserves by its words and does not have. Reads the tags of a scope once. */
  async of(blocks: readonly Block[]): Promise<string[][]> {
    const given: string[][] = []
    for (const { content, tags, scope } of blocks) {
      const known = this.#byScope.get(scope) ?? (await this.#read(scope))
      const fresh = known.tagsOf(content).filter((tag) => !tags.includes(tag))
      given.push(fresh.slice(0, Math.max(0, TAGS_MOST - tags.length)))
      known.add(tags)
    }
    return given
  }

  async #read(scope: string | undefined): Promise<WordTags> {
    const { store } = this.#engine
    const tags = await store.read((tx) => tx.tagsIn(scope, TAGS_MAX))
    const known = new WordTags(stemOf, WORD_TAGS).add(tags)
    this.#byScope.set(scope, known)
    return known
  }
}
