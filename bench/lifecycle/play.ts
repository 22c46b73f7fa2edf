import { systemIds } from '../../src/adapters/system/machine.ts'
import type { Embedder } from '../../src/engine/ports.ts'
import { beganTrace, withEvent } from '../../src/frames/index.ts'
import { ElfmemError, type Ids, type Memory, openMemory } from '../../src/index.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { withConstants } from '../lib/constants.ts'
import { hideWords } from '../lib/hide-words.ts'
import { dreamAll } from '../lib/memory.ts'
import { DIMENSIONS } from './facts.ts'
import type { Policy } from './policies.ts'
import { reportOn } from './report.ts'
import { actOn, SIGNALS, seenBy } from './traces.ts'
import { harms, type Query, type World } from './world.ts'

/** The worth of one question's answer. */
export interface Served {
  readonly session: number
  /** The question is about a task that has a strategy. */
  readonly onPoint: boolean
  /** 1 if the first block is useful. */
  readonly first: number
  readonly hit: number
  readonly recall: number
  readonly reciprocalRank: number
  /** Share of the five that mislead or are out of date. */
  readonly harmful: number
  /** Useful facts in the answer, and those of them that an edge brought and no match. */
  readonly found: number
  readonly expanded: number
  readonly hiddenFound: number
  readonly hidden: number
}

export interface Played {
  readonly served: readonly Served[]
  /** Share of the edges at the end that reports or joint retrieval made. */
  readonly usage: number
}

const TOP_K = 5
const HOUR_MS = 3_600_000
const BEGINNING = Date.UTC(2026, 0, 1)
const MINUTES_OF_A_YEAR = 525_600

/** Plays the first `sessions` sessions of a world by a policy. The same play always gives the same. */
export function play(world: World, policy: Policy, sessions: number): Promise<Played> {
  return withConstants(policy.constants ?? {}, () => playOnce(world, policy, sessions))
}

async function playOnce(world: World, policy: Policy, sessions: number): Promise<Played> {
  let hours = 0
  const told = new ToldEmbedder()
  const store = await openSqliteStore(':memory:')
  await using memory = await openMemory(':memory:', {
    store: policy.finds === 'vectors' ? hideWords(store) : store,
    embedder: told,
    ids: countingIds(),
    clock: { now: () => BEGINNING + hours * HOUR_MS },
    // The world counts active hours only, so no pause is too long to count.
    config: { ...policy.config, session: { gapCapMinutes: MINUTES_OF_A_YEAR } },
  })
  const player = new Player(memory, world, told, policy)
  const served: Served[] = []
  for (let session = 0; session < sessions; session++) {
    hours = world.starts[session] as number
    await player.begin(session)
    for (const query of world.queries.filter((each) => each.session === session)) {
      hours = query.hours
      served.push(await player.ask(query))
    }
  }
  const { edges, byRelation } = (await memory.status()).graph
  const used = (byRelation.co_occurs ?? 0) + (byRelation.outcome ?? 0)
  return { served, usage: used / Math.max(1, edges) }
}

/** Returns ids that are counted: equal scores are ordered by id, and chance in ids would be chance in results. */
function countingIds(): Ids {
  let made = 0
  return { ...systemIds, random: () => (++made).toString(16).padStart(16, '0') }
}

/** An embedder that was told the vector of every text beforehand. */
class ToldEmbedder implements Embedder {
  readonly model = 'told'
  readonly dimensions = DIMENSIONS
  readonly #vectors = new Map<string, Float32Array | undefined>()

  /** Makes a new text of the words and keeps its vector. A text without a vector is one that fails to be embedded. */
  tell(words: readonly string[], vector: Float32Array | undefined): string {
    // The number is written in signs that are no words: it makes the text different, and no search finds it.
    const number = this.#vectors.size.toString(2).replaceAll('0', '.').replaceAll('1', '!')
    const text = `${words.join(' ')} ${number}`.trim()
    this.#vectors.set(text, vector)
    return text
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    return texts.map((text) => {
      const vector = this.#vectors.get(text)
      if (vector) return vector.slice()
      const recovery = 'Tell it with the text.'
      throw new ElfmemError('EMBEDDER_FAILED', `Nobody told the vector of "${text}".`, { recovery })
    })
  }

  async close(): Promise<void> {}
}

interface Shown {
  readonly place: number
  readonly expanded: boolean
}

class Player {
  readonly #memory: Memory
  readonly #world: World
  readonly #told: ToldEmbedder
  readonly #policy: Policy
  readonly #ids: string[] = []
  readonly #places = new Map<string, number>()
  readonly #contents = new Map<number, string>()

  constructor(memory: Memory, world: World, told: ToldEmbedder, policy: Policy) {
    this.#memory = memory
    this.#world = world
    this.#told = told
    this.#policy = policy
  }

  /** Learns what arrives in the session, dreams and curates. */
  async begin(session: number): Promise<void> {
    await this.#memory.beginSession()
    for (const [place, { arrives, words, vector, kind }] of this.#world.facts.entries()) {
      if (arrives !== session) continue
      const content = this.#told.tell(words, vector)
      const filed = kind === 'strategy' && !this.#policy.plainStrategies ? { category: 'strategy' } : {}
      // A session each: neighbours that lend each other words are not what is measured here.
      const { blockId } = await this.#memory.remember({ content, session: `fact-${place}`, ...filed })
      this.#ids[place] = blockId
      this.#places.set(blockId, place)
      this.#contents.set(place, content)
    }
    await dreamAll(this.#memory)
    await this.#memory.curate()
  }

  async ask(query: Query): Promise<Served> {
    const answer = await this.#answer(query)
    const shown = answer.map(({ place }) => place)
    const missed = query.followUp && !shown.includes(query.followUp.target) ? query.followUp : undefined
    if (this.#world.conditions.traces) await this.#settle(shown, query)
    const more = missed ? (await this.#answer(missed)).map(({ place }) => place) : []
    if (this.#world.conditions.traces) return this.#judge(query, answer)
    if (missed) {
      const helped = new Set([...shown, ...more].filter((place) => query.useful.has(place)))
      if (helped.size > 0) await this.#memory.outcome({ helped: this.#idsOf([...helped]) })
    } else
      for (const { facts, signal, scope } of reportOn(shown, query, this.#world))
        await this.#memory.outcome({ blockIds: this.#idsOf(facts), signal, about: scope })
    return this.#judge(query, answer)
  }

  /** Nobody reports: hooks of the agent saw what it did. */
  async #settle(shown: readonly number[], query: Query): Promise<void> {
    const blocks = shown.map((place) => ({
      id: this.#ids[place] as string,
      content: this.#contents.get(place) as string,
    }))
    const [conversation, message] = [String(query.session), query.seed.join(' ')]
    const began = beganTrace({ conversation, message, asked: query.words.join(' '), blocks })
    const seen = seenBy(actOn(shown, query, this.#world), this.#policy.signals ?? SIGNALS)
    await this.#memory.settle(seen.reduce(withEvent, began), { origin: 'hooks' })
  }

  async #answer({ words, vector }: Pick<Query, 'words' | 'vector'>): Promise<Shown[]> {
    const { finds } = this.#policy
    if (finds === 'newest') {
      const newest = [...this.#places.values()].slice(-TOP_K).reverse()
      return newest.map((place) => ({ place, expanded: false }))
    }
    const { blocks } = await this.#memory.recall({
      query: this.#told.tell(words, finds === 'words' ? undefined : vector),
      ...(this.#world.conditions.strategies ? { frame: 'task' } : { topK: TOP_K, minStrength: 0 }),
      tokenBudget: 1_000_000,
    })
    return blocks.map(({ id, wasExpanded, strength }) => ({
      place: this.#places.get(id) as number,
      expanded: wasExpanded && strength === undefined,
    }))
  }

  #idsOf(places: readonly number[]): string[] {
    return places.map((place) => this.#ids[place] as string)
  }

  #judge(query: Query, answer: readonly Shown[]): Served {
    const { session, useful, solvedBy = useful, hidden, strategy } = query
    const shown = answer.map(({ place }) => place)
    const first = shown.findIndex((place) => solvedBy.has(place))
    const found = answer.filter(({ place }) => useful.has(place))
    return {
      ...{ session, onPoint: strategy !== undefined, first: Number(first === 0) },
      hit: Number(found.length > 0),
      recall: found.length / useful.size,
      reciprocalRank: first < 0 ? 0 : 1 / (first + 1),
      harmful: shown.filter((place) => harms(place, query, this.#world)).length / TOP_K,
      ...{ found: found.length, expanded: found.filter(({ expanded }) => expanded).length },
      ...{ hidden: hidden.length, hiddenFound: hidden.filter((place) => shown.includes(place)).length },
    }
  }
}
