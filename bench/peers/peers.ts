import { join } from 'node:path'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import { type Bench, type FlagValues, listOf, namesIn, wholeNumber } from '../lib/bench.ts'
import { textOf } from '../lib/part.ts'
import { shareEmbedder } from '../lib/shared-embedder.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import { CONTENDERS, type Contender } from './contenders.ts'
import { type Footprint, type Footprints, measureFootprints } from './footprint/footprint.ts'
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
  readonly footprint?: Footprint
  /** What of it was not measured, and why. */
  readonly notMeasured: readonly string[]
}

/** Everything a bench measured. */
export interface PeersData {
  /** Texts asked for when times are taken. */
  readonly topK: number
  /** How many were asked about; 0 without conversations. */
  readonly conversations: number
  readonly peers: readonly PeerResult[]
}

const ALL_QUESTIONS = 1_000_000
const SPEED = 'speed'
const FOOTPRINT = 'footprint'
const QUALITY = 'quality'
/** What can be measured of a contender. */
const PARTS = [SPEED, FOOTPRINT, QUALITY] as const

export const peers: Bench = {
  name: 'peers',
  summary: 'other memories beside this one: speed, size, start, tools, and what they find of the evidence',
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
    starts: { type: 'string', default: '9', description: 'Starts timed of each server and each command' },
    data: {
      type: 'string',
      place: 'FILE',
      description: 'Conversations in LoCoMo format; without them quality is left out',
    },
    questions: { type: 'string', description: 'At most so many questions of each conversation' },
    parts: { type: 'string', description: `Comma-separated: ${PARTS.join(', ')}; all by default` },
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
    const data = await withTemporaryFolder((folder) => measurePeers(flags, folder, log))
    return { report: textOf(partsOf(data)), data }
  },
  present: partsOf,
}

type Log = (line: string) => void

async function measurePeers(flags: FlagValues, folder: string, log: Log): Promise<PeersData> {
  const plan = planOf(flags, folder)
  const named = namesIn(flags, 'parts', PARTS)
  const parts = PARTS.filter((part) => named.length === 0 || named.includes(part))
  const corpus = join(folder, 'sentences')
  if (parts.includes(SPEED)) await writeSentences(corpus, plan)
  const conversations =
    parts.includes(QUALITY) && typeof flags.data === 'string'
      ? chosenQuestions(
          flags.data,
          flags.questions === undefined ? ALL_QUESTIONS : wholeNumber(flags, 'questions'),
        )
      : []
  const embedder = shareEmbedder(createMiniLmEmbedder())
  const contenders = await installAll(flags, log)
  // First, while nothing else that this bench measured has left its traces in the caches of the machine.
  const footprints = parts.includes(FOOTPRINT)
    ? await measureFootprints(contenders.flatMap(readyOf), { folder, runs: wholeNumber(flags, 'starts') })
    : (new Map() as Footprints)
  const peers: PeerResult[] = []
  for (const placed of contenders) {
    const { contender } = placed
    const measuresOf = (ready: Ready): Measures => ({
      footprint: footprints.has(contender.key)
        ? async () => footprintIn(footprints, contender.key)
        : undefined,
      speed: parts.includes(SPEED)
        ? () => measurePeerSpeed(contender, ready, { plan, corpus, log })
        : undefined,
      quality:
        conversations.length > 0
          ? () => measurePeerQuality(contender, ready, { folder, conversations, embedder })
          : undefined,
    })
    peers.push(await measureOne(placed, measuresOf, log))
  }
  return { topK: plan.topK, conversations: conversations.length, peers }
}

type Ready = Extract<Installed, { command: string }>

/** A contender and where it is, or why it is not there. */
interface Placed {
  readonly contender: Contender
  readonly installed: Installed
}

async function installAll(flags: FlagValues, log: Log): Promise<readonly Placed[]> {
  const cache = typeof flags.cache === 'string' ? flags.cache : defaultCache()
  const placed: Placed[] = []
  const only = namesIn(
    flags,
    'only',
    CONTENDERS.map(({ key }) => key),
  )
  for (const contender of CONTENDERS.filter(({ key }) => only.length === 0 || only.includes(key))) {
    if ('spec' in contender.install) log(`${contender.name}: ${contender.install.spec} in ${cache}`)
    placed.push({ contender, installed: await install(contender, cache) })
  }
  return placed
}

function readyOf({ contender, installed }: Placed): { contender: Contender; installed: Ready }[] {
  return installed.command === undefined ? [] : [{ contender, installed }]
}

/** What a contender takes; throws the reason if it could not be measured. */
function footprintIn(footprints: Footprints, key: string): Footprint | undefined {
  const found = footprints.get(key)
  if (found && 'reason' in found) throw new Error(found.reason)
  return found
}

/** How each part of a contender is measured, as far as it is wanted. */
interface Measures {
  readonly speed: (() => Promise<PeerSpeed>) | undefined
  readonly footprint: (() => Promise<Footprint | undefined>) | undefined
  readonly quality: (() => Promise<PeerQuality>) | undefined
}

/** Measures a contender; what cannot be measured is named with the reason. */
async function measureOne(
  { contender, installed }: Placed,
  measuresOf: (ready: Ready) => Measures,
  log: Log,
): Promise<PeerResult> {
  const { key, name, note } = contender
  const facts = { key, name, note, version: versionOf(contender) }
  if (installed.command === undefined) {
    log(`${name}: ${installed.reason}`)
    return { ...facts, notMeasured: [installed.reason] }
  }
  const notMeasured: string[] = []
  const measures = measuresOf(installed)
  const measured = async <Name extends keyof Measures>(part: Name) => {
    try {
      if (measures[part]) log(`${name}: ${part}`)
      const found = await measures[part]?.()
      return found === undefined ? {} : { [part]: found }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      log(`${name}, ${part}: ${reason}`)
      notMeasured.push(`${part}: ${reason}`)
      return {}
    }
  }
  const found: Omit<Partial<PeerResult>, 'notMeasured'> = {
    ...(await measured('footprint')),
    ...(await measured('speed')),
    ...(await measured('quality')),
  }
  return { ...facts, ...found, version: found.speed?.version ?? facts.version, notMeasured }
}

/** The version that was asked for; that of a checkout stands in its package. */
function versionOf({ install: wanted }: Contender): string {
  return 'spec' in wanted ? (/(?:@|==)([^@=]+)$/.exec(wanted.spec)?.[1] ?? '') : ''
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
