import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Bench,
  type FlagValues,
  fileFlag,
  folderFlag,
  type Log,
  listOf,
  namesIn,
  textFlag,
} from '../lib/bench.ts'
import { sharedMiniLm } from '../lib/embedders.ts'
import { withTemporaryFolder } from '../lib/files.ts'
import { loadConversations } from '../locomo/loader.ts'
import type { Means } from '../locomo/metrics.ts'
import { CONTENDERS, type Contender } from './contenders.ts'
import { type Footprint, measureFootprints } from './footprint.ts'
import { install } from './install.ts'
import { measureQuality, measureSpeed, type PeerSpeed, type Ready } from './measure.ts'
import { partsOf } from './present.ts'

/** The measurements of one contender. */
export interface PeerResult {
  readonly key: string
  readonly name: string
  readonly version: string
  readonly note: string
  speed?: PeerSpeed
  quality?: Means
  footprint?: Footprint
  /** What of it was not measured, and why. */
  readonly notMeasured: string[]
}

const PARTS = ['speed', 'footprint', 'quality'] as const
const KEYS = CONTENDERS.map(({ key }) => key)

export const peers: Bench = {
  name: 'peers',
  summary: 'other memories beside this one: speed, size, start, tools, and what they find of the evidence',
  flags: {
    sizes: textFlag('Texts held when times are taken', '500,2000,5000'),
    data: fileFlag('Conversations in LoCoMo format; without them quality is left out'),
    parts: textFlag(`Comma-separated: ${PARTS.join(', ')}`, 'all'),
    only: textFlag(`Comma-separated: ${KEYS.join(', ')}`, 'all'),
    cache: folderFlag('Where the others are installed, from npm and PyPI; a temporary folder by default'),
  },
  run: (flags, log) => withTemporaryFolder((folder) => measurePeers(flags, folder, log)),
  present: partsOf,
}

async function measurePeers(flags: FlagValues, folder: string, log: Log): Promise<readonly PeerResult[]> {
  const cache = String(flags.cache ?? join(tmpdir(), 'elfmem-peers'))
  const sizes = listOf(flags, 'sizes').map(Number)
  const [parts, only] = [namesIn(flags, 'parts', PARTS), namesIn(flags, 'only', KEYS)]
  const conversations = typeof flags.data === 'string' ? loadConversations(flags.data) : []
  const embedder = sharedMiniLm()
  const results = new Map<Contender, PeerResult>()
  const ready: Ready[] = []
  const attempt = async (contender: Contender, part: string, work: () => Promise<unknown>) => {
    const result = results.get(contender) as PeerResult
    try {
      log(`${contender.name}: ${part}`)
      const found = await work()
      if (found !== undefined) Object.assign(result, { [part]: found })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      log(`${contender.name}, ${part}: ${reason}`)
      result.notMeasured.push(`${part}: ${reason}`)
    }
  }
  for (const contender of CONTENDERS.filter(({ key }) => only.includes(key))) {
    const { key, name, note, install: wanted } = contender
    const version = /(?:@|==)([^@=]+)$/.exec(wanted?.spec ?? '')?.[1] ?? ''
    results.set(contender, { key, name, note, version, notMeasured: [] })
    await attempt(contender, 'install', async () => {
      ready.push({ contender, installed: await install(contender, cache) })
    })
  }
  // This is measured first, before other measurements fill the caches of the machine.
  const footprints = parts.includes('footprint') ? await measureFootprints(ready, folder) : new Map()
  for (const each of ready) {
    const { contender } = each
    const home = (part: string) => join(folder, `${contender.key}-${part}`)
    const footprint = footprints.get(contender.key)
    if (footprint !== undefined)
      await attempt(contender, 'footprint', async () => {
        if (typeof footprint === 'string') throw new Error(footprint)
        return footprint
      })
    if (parts.includes('speed'))
      await attempt(contender, 'speed', () => measureSpeed(each, { home: home('speed'), sizes, log }))
    if (parts.includes('quality') && conversations.length > 0)
      await attempt(contender, 'quality', () =>
        measureQuality(each, { home: home('quality'), conversations, embedder }),
      )
  }
  return [...results.values()].map((each) => ({ ...each, version: each.speed?.version ?? each.version }))
}
