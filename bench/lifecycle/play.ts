import { type Memory, openMemory, type SettingsInput } from '../../src/index.ts'
import type { Embedder } from '../../src/ports/embedder.ts'
import { dreamAll } from '../lib/dream-all.ts'
import { isHarmful } from './facts.ts'
import { reportOn } from './report.ts'
import { DIMENSIONS } from './vectors.ts'
import type { Query, World } from './world.ts'

/** What one question's answer was worth. */
export interface Served {
  readonly session: number
  readonly hit: number
  readonly recall: number
  readonly reciprocalRank: number
  /** Share of the five that mislead or are out of date. */
  readonly harmful: number
  readonly hiddenFound: number
  readonly hidden: number
  /** Share of the useful facts that a curation had archived by then. */
  readonly archived: number
}

export interface Played {
  readonly served: readonly Served[]
  readonly archived: number
  readonly seconds: number
}

const TOP_K = 5
const HOUR_MS = 3_600_000
const BEGINNING = Date.UTC(2026, 0, 1)
const MINUTES_OF_A_YEAR = 525_600

/** Plays the first `sessions` sessions of a world against the library with the given settings. */
export async function play(
  world: World,
  { path, config, sessions }: { path: string; config: SettingsInput; sessions: number },
): Promise<Played> {
  const started = performance.now()
  let hours = 0
  const told = new ToldEmbedder()
  await using memory = await openMemory(path, {
    embedder: told,
    clock: { now: () => BEGINNING + hours * HOUR_MS },
    // The world counts active hours only, so no pause is too long to count.
    config: { ...config, session: { gapCapMinutes: MINUTES_OF_A_YEAR } },
  })
  const player = new Player(memory, world, told)
  const served: Served[] = []
  for (let session = 0; session < sessions; session++) {
    hours = world.starts[session] as number
    await player.begin(session)
    for (const query of world.queries.filter((each) => each.session === session)) {
      hours = query.hours
      served.push(await player.ask(query))
    }
  }
  return { served, archived: player.archived.size, seconds: (performance.now() - started) / 1000 }
}

class Player {
  readonly archived = new Set<number>()
  readonly #memory: Memory
  readonly #world: World
  readonly #told: ToldEmbedder
  readonly #ids: (string | undefined)[] = []
  readonly #places = new Map<string, number>()

  constructor(memory: Memory, world: World, told: ToldEmbedder) {
    this.#memory = memory
    this.#world = world
    this.#told = told
  }

  /** Learns what arrives in the session, and dreams. */
  async begin(session: number): Promise<void> {
    await this.#memory.beginSession()
    for (const [place, { arrives, words, vector }] of this.#world.facts.entries()) {
      if (arrives !== session) continue
      const content = this.#told.tell(words, vector)
      // A session each: neighbours that lend each other words are not what is measured here.
      const { blockId } = await this.#memory.remember({ content, session: `fact-${place}` })
      this.#ids[place] = blockId
      this.#places.set(blockId, place)
    }
    await dreamAll(this.#memory)
    const { archived } = await this.#memory.curate()
    for (const id of archived) this.archived.add(this.#places.get(id) as number)
  }

  async ask(query: Query): Promise<Served> {
    const shown = await this.#recall(query)
    const useful = shown.filter((place) => query.useful.has(place))
    if (query.followUp && !shown.includes(query.followUp.target)) {
      const more = await this.#recall(query.followUp)
      const helped = new Set([...useful, ...more.filter((place) => query.useful.has(place))])
      if (helped.size > 0) await this.#memory.outcome({ helped: this.#idsOf([...helped]) })
    } else {
      for (const { facts, signal, scope } of reportOn(shown, query, this.#world))
        await this.#memory.outcome({ blockIds: this.#idsOf(facts), signal, scope })
    }
    return this.#judge(query, shown, useful.length)
  }

  async #recall({ words, vector }: Pick<Query, 'words' | 'vector'>): Promise<number[]> {
    const { blockIds } = await this.#memory.recall({
      query: this.#told.tell(words, vector),
      topK: TOP_K,
      minStrength: 0,
      tokenBudget: 1_000_000,
    })
    return blockIds.map((id) => this.#places.get(id) as number)
  }

  #idsOf(places: readonly number[]): string[] {
    return places.map((place) => this.#ids[place] as string)
  }

  #judge({ session, useful, hidden }: Query, shown: readonly number[], found: number): Served {
    const first = shown.findIndex((place) => useful.has(place))
    const { facts } = this.#world
    const harmful = shown.filter((place) => isHarmful(facts[place] as World['facts'][number], session))
    return {
      session,
      hit: found > 0 ? 1 : 0,
      recall: found / useful.size,
      reciprocalRank: first < 0 ? 0 : 1 / (first + 1),
      harmful: harmful.length / TOP_K,
      hiddenFound: hidden.filter((place) => shown.includes(place)).length,
      hidden: hidden.length,
      archived: [...useful].filter((place) => this.archived.has(place)).length / useful.size,
    }
  }
}

/** An embedder that was told the vector of every text beforehand. */
class ToldEmbedder implements Embedder {
  readonly model = 'told'
  readonly dimensions = DIMENSIONS
  readonly #vectors = new Map<string, Float32Array>()

  /** Makes a text of the words that nobody else has, and remembers its vector. */
  tell(words: readonly string[], vector: Float32Array): string {
    // The number is written in signs that are no words, so that it counts for nothing but its being different.
    const number = this.#vectors.size.toString(2).replaceAll('0', '.').replaceAll('1', '!')
    const text = `${words.join(' ')} ${number}`.trim()
    this.#vectors.set(text, vector)
    return text
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    return texts.map((text) => {
      const vector = this.#vectors.get(text)
      if (!vector) throw new Error(`nobody told the vector of "${text}"`)
      return vector.slice()
    })
  }

  async close(): Promise<void> {}
}
