import { join } from 'node:path'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import { type Bench, type Flag, type FlagValues, listOf, wholeNumber } from '../lib/bench.ts'
import { textOf } from '../lib/part.ts'
import { shareEmbedder } from '../lib/shared-embedder.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import { CONTENDERS, type Contender } from './contenders.ts'
import { defaultCache, type Installed, install } from './install.ts'
import { foundParts, partsOf } from './present.ts'
import { chosenQuestions, measurePeerQuality, type PeerQuality } from './quality-part.ts'
import { measurePeerSpeed, type PeerSpeed, type SpeedPlan, writeSentences } from './speed-part.ts'

/** What was measured of one contender. */
export interface PeerResult {
  readonly key: string
  readonly name: string
  readonly version: string
  readonly note: string
  readonly speed?: PeerSpeed
  readonly quality?: PeerQuality
  /** What of it was not measured, and why. */
  readonly notMeasured: readonly string[]
}

/** Everything a bench measured. */
export interface PeersData {
  readonly topK: number
  readonly conversations: number
  readonly peers: readonly PeerResult[]
}

const ALL_QUESTIONS = 1_000_000

/** Which contenders, and where they are. */
const WHO: Readonly<Record<string, Flag>> = {
  only: {
    type: 'string',
    description: `Comma-separated: ${CONTENDERS.map(({ key }) => key).join(', ')}; all by default`,
  },
  cache: {
    type: 'string',
    place: 'DIR',
    description: `Where the others are installed, from npm and PyPI; ${defaultCache()} by default`,
  },
}

export const peers: Bench = {
  name: 'peers',
  summary: 'how quick other memories are beside this one: same texts, same questions, same vectors, same run',
  flags: {
    sizes: { type: 'string', default: '500,2000,5000,20000', description: 'Texts held when times are taken' },
    searches: { type: 'string', default: '100', description: 'Searches timed at each size' },
    adds: { type: 'string', default: '50', description: 'Additions timed at each size' },
    'fill-seconds': {
      type: 'string',
      default: '600',
      description: 'A system that takes longer to reach a size is not measured there',
    },
    'search-seconds': {
      type: 'string',
      default: '30',
      description: 'Searching at one size ends after these, and five searches at least',
    },
    ...WHO,
  },
  run: async (flags, log) => {
    const data = await withTemporaryFolder(async (folder): Promise<PeersData> => {
      const plan = planOf(flags, folder)
      const corpus = join(folder, 'sentences')
      await writeSentences(corpus, plan)
      const measured = await eachContender(flags, log, async (contender, ready) => {
        const speed = await measurePeerSpeed(contender, ready, { plan, corpus, log })
        return { version: speed.version, speed }
      })
      return { topK: plan.topK, conversations: 0, peers: measured }
    })
    return { report: textOf(partsOf(data)), data }
  },
  present: partsOf,
}

export const peersQuality: Bench = {
  name: 'peers-quality',
  summary: 'what other memories find of the evidence in conversations, beside this one',
  flags: {
    data: { type: 'string', place: 'FILE', description: 'Conversations in LoCoMo format' },
    questions: { type: 'string', description: 'At most so many questions of each conversation' },
    ...WHO,
  },
  run: async (flags, log) => {
    if (typeof flags.data !== 'string') throw new Error('--data FILE is needed')
    const most = flags.questions === undefined ? ALL_QUESTIONS : wholeNumber(flags, 'questions')
    const conversations = chosenQuestions(flags.data, most)
    const embedder = shareEmbedder(createMiniLmEmbedder())
    const data = await withTemporaryFolder(async (folder): Promise<PeersData> => {
      const measured = await eachContender(flags, log, async (contender, ready) => {
        log(`${contender.name}: conversations`)
        const quality = await measurePeerQuality(contender, ready, { folder, conversations, embedder })
        return { version: '', quality }
      })
      return { topK: 20, conversations: conversations.length, peers: measured }
    })
    return { report: textOf(foundParts(data)), data }
  },
  present: foundParts,
}

function contendersNamed(names: readonly string[]): readonly Contender[] {
  const unknown = names.filter((name) => !CONTENDERS.some(({ key }) => key === name))
  if (unknown.length > 0)
    throw new Error(`--only knows ${CONTENDERS.map(({ key }) => key).join(', ')}; not ${unknown.join(', ')}`)
  return CONTENDERS.filter(({ key }) => names.length === 0 || names.includes(key))
}

type Ready = Extract<Installed, { command: string }>

/** Installs and measures one after the other; who cannot be measured is named with the reason. */
async function eachContender(
  flags: FlagValues,
  log: (line: string) => void,
  measure: (contender: Contender, ready: Ready) => Promise<Pick<PeerResult, 'version' | 'speed' | 'quality'>>,
): Promise<PeerResult[]> {
  const contenders = contendersNamed(listOf(flags, 'only'))
  const cache = typeof flags.cache === 'string' ? flags.cache : defaultCache()
  const installed: Installed[] = []
  for (const contender of contenders) {
    if (contender.install.from !== 'nothing') log(`${contender.name}: ${contender.install.spec} in ${cache}`)
    installed.push(await install(contender, cache))
  }
  const results: PeerResult[] = []
  for (const [i, contender] of contenders.entries()) {
    const { key, name, note } = contender
    const place = installed[i] as Installed
    try {
      if (place.command === undefined) throw new Error(place.reason)
      results.push({ key, name, note, ...(await measure(contender, place)), notMeasured: [] })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      log(`${name}: ${reason}`)
      results.push({ key, name, note, version: '', notMeasured: [reason] })
    }
  }
  return results
}

function planOf(flags: FlagValues, folder: string): SpeedPlan {
  const sizes = listOf(flags, 'sizes').map(Number)
  if (sizes.length === 0 || sizes.some((size) => !Number.isInteger(size) || size < 20))
    throw new Error('--sizes wants whole numbers of 20 or more')
  return {
    folder,
    topK: 5,
    sizes: sizes.sort((a, b) => a - b),
    searches: wholeNumber(flags, 'searches'),
    adds: wholeNumber(flags, 'adds'),
    fillSeconds: wholeNumber(flags, 'fill-seconds'),
    searchSeconds: wholeNumber(flags, 'search-seconds'),
  }
}
