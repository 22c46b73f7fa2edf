import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import { type Bench, type FlagValues, listOf, wholeNumber } from '../lib/bench.ts'
import { textOf } from '../lib/part.ts'
import { shareEmbedder } from '../lib/shared-embedder.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import { CONTENDERS, type Contender } from './contenders.ts'
import { defaultCache, type Installed, install } from './install.ts'
import { partsOf } from './present.ts'
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

/** Everything the bench measured. */
export interface PeersData {
  readonly topK: number
  readonly conversations: number
  readonly peers: readonly PeerResult[]
}

const ALL_QUESTIONS = 1_000_000

export const peers: Bench = {
  name: 'peers',
  summary: 'other memories beside this one: same texts, same questions, same vectors, same run',
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
    data: {
      type: 'string',
      place: 'FILE',
      description: 'Also what is found of the evidence in these conversations in LoCoMo format',
    },
    questions: { type: 'string', description: 'At most so many questions of each conversation' },
    only: {
      type: 'string',
      description: `Comma-separated: ${CONTENDERS.map(({ key }) => key).join(', ')}; all by default`,
    },
    cache: {
      type: 'string',
      place: 'DIR',
      description: `Where the others are installed, from npm and PyPI; ${defaultCache()} by default`,
    },
  },
  run: async (flags, log) => {
    const contenders = contendersNamed(listOf(flags, 'only'))
    const cache = typeof flags.cache === 'string' ? flags.cache : defaultCache()
    const installed: Installed[] = []
    for (const contender of contenders) {
      if (contender.install.from !== 'nothing')
        log(`${contender.name}: ${contender.install.spec} in ${cache}`)
      installed.push(await install(contender, cache))
    }
    const data = await withTemporaryFolder((folder) => measure({ contenders, installed, flags, folder, log }))
    return { report: textOf(partsOf(data)), data }
  },
  present: partsOf,
}

function contendersNamed(names: readonly string[]): readonly Contender[] {
  const unknown = names.filter((name) => !CONTENDERS.some(({ key }) => key === name))
  if (unknown.length > 0)
    throw new Error(`--only knows ${CONTENDERS.map(({ key }) => key).join(', ')}; not ${unknown.join(', ')}`)
  return CONTENDERS.filter(({ key }) => names.length === 0 || names.includes(key))
}

interface Wanted {
  readonly contenders: readonly Contender[]
  readonly installed: readonly Installed[]
  readonly flags: FlagValues
  readonly folder: string
  readonly log: (line: string) => void
}

async function measure({ contenders, installed, flags, folder, log }: Wanted): Promise<PeersData> {
  const plan = planOf(flags, join(folder, 'speed'))
  const corpus = join(folder, 'sentences')
  mkdirSync(plan.folder)
  await writeSentences(corpus, plan)
  const most = flags.questions === undefined ? ALL_QUESTIONS : wholeNumber(flags, 'questions')
  const conversations = typeof flags.data === 'string' ? chosenQuestions(flags.data, most) : []
  const quality = {
    folder: join(folder, 'quality'),
    conversations,
    embedder: shareEmbedder(createMiniLmEmbedder()),
  }
  const results: PeerResult[] = []
  for (const [i, contender] of contenders.entries()) {
    const place = installed[i] as Installed
    const notMeasured: string[] = []
    const attempt = async <T>(what: string, work: (place: Ready) => Promise<T>): Promise<T | undefined> => {
      try {
        if (place.command === undefined) throw new Error(place.reason)
        return await work(place)
      } catch (error) {
        const reason = `${what}: ${error instanceof Error ? error.message : String(error)}`
        log(`${contender.name}, ${reason}`)
        notMeasured.push(reason)
        return undefined
      }
    }
    const speed = await attempt('speed', (ready) => measurePeerSpeed(contender, ready, { plan, corpus, log }))
    if (conversations.length > 0) log(`${contender.name}: conversations`)
    const found =
      conversations.length === 0
        ? undefined
        : await attempt('quality', (ready) => measurePeerQuality(contender, ready, quality))
    results.push({
      key: contender.key,
      name: contender.name,
      version: speed?.version ?? '',
      note: contender.note,
      ...(speed ? { speed } : {}),
      ...(found ? { quality: found } : {}),
      notMeasured,
    })
  }
  return { topK: plan.topK, conversations: conversations.length, peers: results }
}

type Ready = Extract<Installed, { command: string }>

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
