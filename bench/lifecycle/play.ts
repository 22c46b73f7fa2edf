import { DatabaseSync } from 'node:sqlite'
import { systemIds } from '../../src/adapters/system/machine.ts'
import { beganTrace, withEvent } from '../../src/frames/index.ts'
import { type Ids, type Memory, openMemory } from '../../src/index.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { withConstants } from '../lib/constants.ts'
import { dreamAll } from '../lib/dream-all.ts'
import { hideWords } from '../lib/hide-words.ts'
import type { Policy } from './policies.ts'
import { type Report, reportOn } from './report.ts'
import { ToldEmbedder } from './told-embedder.ts'
import { actOn, SIGNALS, seenBy } from './traces.ts'
import { harms, type Query, type World } from './world.ts'

/** What one question's answer was worth. */
export interface Served {
  readonly session: number
  /** The question is about a task that has a strategy. */
  readonly onPoint: boolean
  /** 1 if the first entry is useful, else 0. */
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
  readonly seconds: number
}

const TOP_K = 5
const HOUR_MS = 3_600_000
const BEGINNING = Date.UTC(2026, 0, 1)
const MINUTES_OF_A_YEAR = 525_600

interface Playing {
  /** File of the memory, to be made. */
  readonly path: string
  readonly policy: Policy
  readonly sessions: number
}

/** Plays the first `sessions` sessions of a world by a policy. The same play always gives the same, but for the time it takes. */
export function play(world: World, playing: Playing): Promise<Played> {
  return withConstants(playing.policy.constants ?? {}, () => playOnce(world, playing))
}

async function playOnce(world: World, { path, policy, sessions }: Playing): Promise<Played> {
  const started = performance.now()
  let hours = 0
  const told = new ToldEmbedder()
  const store = await openSqliteStore(path)
  try {
    await using memory = await openMemory(path, {
      store: policy.finds === 'vectors' ? hideWords(store) : store,
      embedder: told,
      ids: countingIds(),
      clock: { now: () => BEGINNING + hours * HOUR_MS },
      // The world counts active hours only, so no pause is too long to count.
      config: { ...policy.config, session: { gapCapMinutes: MINUTES_OF_A_YEAR } },
    })
    const player = new Player(memory, { world, told, policy })
    const served: Served[] = []
    for (let session = 0; session < sessions; session++) {
      hours = world.starts[session] as number
      await player.begin(session)
      for (const query of world.queries.filter((each) => each.session === session)) {
        hours = query.hours
        served.push(await player.ask(query))
      }
    }
    const seconds = (performance.now() - started) / 1000
    return { served, usage: usageShare(path), seconds }
  } finally {
    await store.close()
  }
}

/** Reads the edges from the memory's file, and returns the share that only use makes. */
function usageShare(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true })
  const counts = database.prepare('SELECT relation, count(*) AS edges FROM edges GROUP BY relation').all()
  database.close()
  const sum = (rows: typeof counts) => rows.reduce((all, { edges }) => all + Number(edges), 0)
  const used = counts.filter(({ relation }) => relation === 'co_occurs' || relation === 'outcome')
  return sum(used) / Math.max(1, sum(counts))
}

/** Equal scores are ordered by id; chance in ids would be chance in results. */
function countingIds(): Ids {
  let made = 0
  return { ...systemIds, random: () => (++made).toString(16).padStart(16, '0') }
}

interface Shown {
  readonly place: number
  readonly expanded: boolean
}

class Player {
  readonly #memory: Memory
  readonly #world: World
  readonly #told: ToldEmbedder
  readonly #finds: Policy['finds']
  readonly #signals: Policy['signals']
  readonly #plain: boolean
  readonly #ids: (string | undefined)[] = []
  readonly #places = new Map<string, number>()
  readonly #contents = new Map<number, string>()

  constructor(memory: Memory, { world, told, policy }: { world: World; told: ToldEmbedder; policy: Policy }) {
    this.#memory = memory
    this.#world = world
    this.#told = told
    this.#finds = policy.finds
    this.#signals = policy.signals
    this.#plain = policy.plainStrategies === true
  }

  /** Learns what arrives in the session, dreams and curates. */
  async begin(session: number): Promise<void> {
    await this.#memory.beginSession()
    for (const [place, { arrives, words, vector, kind }] of this.#world.facts.entries()) {
      if (arrives !== session) continue
      const content = this.#told.tell(words, vector)
      const filed = kind === 'strategy' && !this.#plain ? { category: 'strategy' } : {}
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
    const useful = shown.filter((place) => query.useful.has(place))
    if (this.#world.reports === 'traces') await this.#settle(shown, query)
    const missed = query.followUp && !shown.includes(query.followUp.target) ? query.followUp : undefined
    const more = missed ? (await this.#answer(missed)).map(({ place }) => place) : []
    if (missed && this.#world.reports === 'mixed') {
      const helped = new Set([...useful, ...more.filter((place) => query.useful.has(place))])
      if (helped.size > 0) await this.#memory.outcome({ helped: this.#idsOf([...helped]) })
    } else {
      for (const report of reportOn(shown, query, this.#world)) await this.#report(report)
    }
    return this.#judge(query, answer)
  }

  /** Nobody reports: hooks of the agent saw what it did. */
  async #settle(shown: readonly number[], query: Query): Promise<void> {
    const blocks = shown.map((place) => ({
      id: this.#ids[place] as string,
      content: this.#contents.get(place) as string,
    }))
    const [conversation, message] = [String(query.session), query.seed.join(' ')]
    const asked = query.words.join(' ')
    const began = beganTrace({ conversation, message, asked, blocks })
    const seen = seenBy(actOn(shown, query, this.#world), this.#signals ?? SIGNALS)
    const trace = seen.reduce((all, event) => withEvent(all, event), began)
    await this.#memory.settle(trace, { origin: 'hooks' })
  }

  async #report({ facts, signal, scope }: Report): Promise<void> {
    await this.#memory.outcome({ blockIds: this.#idsOf(facts), signal, about: scope })
  }

  async #answer({ words, vector }: Pick<Query, 'words' | 'vector'>): Promise<Shown[]> {
    if (this.#finds === 'newest')
      return [...this.#places.values()]
        .slice(-TOP_K)
        .reverse()
        .map((place) => ({ place, expanded: false }))
    const { blocks } = await this.#memory.recall({
      query: this.#told.tell(words, this.#finds === 'words' ? undefined : vector),
      ...(this.#world.strategies === undefined
        ? { topK: TOP_K, minStrength: 0 }
        : { frame: 'task' as const }),
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
    const { session, useful, solvedBy, hidden, strategy } = query
    const shown = answer.map(({ place }) => place)
    const first = shown.findIndex((place) => (solvedBy ?? useful).has(place))
    const found = answer.filter(({ place }) => useful.has(place))
    const harmful = shown.filter((place) => harms(place, query, this.#world))
    return {
      session,
      onPoint: strategy !== undefined,
      first: first === 0 ? 1 : 0,
      hit: found.length > 0 ? 1 : 0,
      recall: found.length / useful.size,
      reciprocalRank: first < 0 ? 0 : 1 / (first + 1),
      harmful: harmful.length / TOP_K,
      found: found.length,
      expanded: found.filter(({ expanded }) => expanded).length,
      hiddenFound: hidden.filter((place) => shown.includes(place)).length,
      hidden: hidden.length,
    }
  }
}
