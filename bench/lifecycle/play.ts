import { systemIds } from '../../src/adapters/system/machine.ts'
import { beganTrace, withEvent } from '../../src/frames/index.ts'
import { type Ids, type Memory, openMemory } from '../../src/index.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { withConstants } from '../lib/constants.ts'
import { dreamAll } from '../lib/dream-all.ts'
import { hideWords } from '../lib/hide-words.ts'
import { type GraphState, readGraph } from './graph-state.ts'
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
  /** Share of the useful facts that a curation had archived by then. */
  readonly archived: number
}

/** What a curation found and did to the edges. */
interface Curated {
  /** Pairs that came to be joined for coming together, since the curation before. */
  readonly promoted: number
  readonly pruned: number
}

export interface Played {
  readonly served: readonly Served[]
  /** One at the start of each session. */
  readonly curated: readonly Curated[]
  /** After each tenth of the sessions. */
  readonly graph: readonly GraphState[]
  readonly archived: number
  /** Edges that the agent made. */
  readonly connected: number
  readonly seconds: number
}

const TOP_K = 5
const TENTHS = 10
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
    const curated: Curated[] = []
    const graph: GraphState[] = []
    for (let session = 0; session < sessions; session++) {
      hours = world.starts[session] as number
      curated.push(await player.begin(session))
      for (const query of world.queries.filter((each) => each.session === session)) {
        hours = query.hours
        served.push(await player.ask(query))
      }
      if (endsTenth(session, sessions)) graph.push(readGraph(path, session + 1))
    }
    const seconds = (performance.now() - started) / 1000
    const { archived, connected } = player
    return { served, curated, graph, archived: archived.size, connected, seconds }
  } finally {
    await store.close()
  }
}

/** Tenth of the sessions that a session belongs to, 0 to 9. */
export function tenthOf(session: number, sessions: number): number {
  return Math.floor((session * TENTHS) / sessions)
}

function endsTenth(session: number, sessions: number): boolean {
  return session + 1 === sessions || tenthOf(session, sessions) < tenthOf(session + 1, sessions)
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
  readonly archived = new Set<number>()
  /** Edges that the agent made. */
  connected = 0
  readonly #memory: Memory
  readonly #world: World
  readonly #told: ToldEmbedder
  readonly #finds: Policy['finds']
  readonly #signals: Policy['signals']
  readonly #plain: boolean
  readonly #connects: boolean
  readonly #ids: (string | undefined)[] = []
  readonly #places = new Map<string, number>()
  readonly #contents = new Map<number, string>()
  #promoted = 0

  constructor(memory: Memory, { world, told, policy }: { world: World; told: ToldEmbedder; policy: Policy }) {
    this.#memory = memory
    this.#world = world
    this.#told = told
    this.#finds = policy.finds
    this.#signals = policy.signals
    this.#plain = policy.plainStrategies === true
    this.#connects = policy.connects === true
  }

  /** Learns what arrives in the session, dreams and curates. */
  async begin(session: number): Promise<Curated> {
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
    return this.#curate()
  }

  async #curate(): Promise<Curated> {
    const result = await this.#memory.curate()
    for (const id of result.archived) this.archived.add(this.#places.get(id) as number)
    const promoted = this.#promoted + promotedBy(result)
    this.#promoted = 0
    return { promoted, pruned: result.edgesPruned + result.edgesDecayed }
  }

  async ask(query: Query): Promise<Served> {
    const answer = await this.#answer(query)
    const shown = answer.map(({ place }) => place)
    const useful = shown.filter((place) => query.useful.has(place))
    if (this.#world.reports === 'traces') await this.#settle(shown, query)
    const missed = query.followUp && !shown.includes(query.followUp.target) ? query.followUp : undefined
    const more = missed ? (await this.#answer(missed)).map(({ place }) => place) : []
    if (missed && (this.#world.reports === 'mixed' || this.#world.reports === 'cited')) {
      const helped = new Set([...useful, ...more.filter((place) => query.useful.has(place))])
      if (helped.size > 0) await this.#memory.outcome({ helped: this.#idsOf([...helped]) })
      if (this.#connects && more.includes(missed.target)) await this.#connect(useful, missed.target)
    } else {
      for (const report of reportOn(shown, query, this.#world)) await this.#report(report)
    }
    return this.#judge(query, answer)
  }

  /** The agent joins what it had to ask for by name to the best of what it was for. */
  async #connect([source]: readonly number[], target: number): Promise<void> {
    if (source === undefined || source === target) return
    const [from = '', to = ''] = this.#idsOf([source, target])
    await this.#memory.connect({ source: from, target: to, relation: 'elaborates' })
    this.connected += 1
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

  async #report({ facts, signal, scope, isCitation }: Report): Promise<void> {
    const ids = this.#idsOf(facts)
    if (isCitation) await this.#memory.outcome({ answer: ids.map((id) => `[${id}]`).join(' ') })
    else await this.#memory.outcome({ blockIds: ids, signal, about: scope })
  }

  async #answer({ words, vector }: Pick<Query, 'words' | 'vector'>): Promise<Shown[]> {
    if (this.#finds === 'newest')
      return [...this.#places.values()]
        .slice(-TOP_K)
        .reverse()
        .map((place) => ({ place, expanded: false }))
    const { blocks, edgesPromoted } = await this.#memory.recall({
      query: this.#told.tell(words, this.#finds === 'words' ? undefined : vector),
      ...(this.#world.strategies === undefined
        ? { topK: TOP_K, minStrength: 0 }
        : { frame: 'task' as const }),
      tokenBudget: 1_000_000,
    })
    this.#promoted += edgesPromoted
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
      archived: [...useful].filter((place) => this.archived.has(place)).length / useful.size,
    }
  }
}

/** Pairs that a curation itself joined, where it does so. */
function promotedBy(curated: object): number {
  return 'promoted' in curated && typeof curated.promoted === 'number' ? curated.promoted : 0
}
