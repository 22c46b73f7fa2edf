import { milliseconds, percent } from '../lib/table.ts'
import { megabytesOf, tokensOf } from './footprint/present.ts'
import type { PeerResult } from './peers.ts'

/** A measure in which somebody may be ahead of elfmem. */
interface Measure {
  readonly what: string
  /** Absent where it was not measured. */
  readonly of: (peer: PeerResult) => number | undefined
  readonly better: 'less' | 'more'
  readonly show: (value: number) => string
  /** It says nothing about a system that finds none of its sentences. */
  readonly finding?: true
}

const ms = (value: number) => `${milliseconds(value)} ms`
const share = (value: number) => `${percent(value)} %`
const megabytes = (value: number) => `${megabytesOf(1e6 * value)} MB`

const FOOTPRINT: readonly Measure[] = [
  {
    what: 'install',
    of: ({ footprint }) => footprint?.installBytes,
    better: 'less',
    show: (bytes) => `${megabytesOf(bytes)} MB`,
  },
  {
    what: 'server lists its tools, p50',
    of: ({ footprint }) => footprint?.listed?.p50,
    better: 'less',
    show: ms,
  },
  {
    what: 'server answers a search, p50',
    of: ({ footprint }) => footprint?.answered?.p50,
    better: 'less',
    show: ms,
  },
  {
    what: 'command answers a search, p50',
    of: ({ footprint }) => footprint?.command?.p50,
    better: 'less',
    show: ms,
  },
  {
    what: 'tools in a prompt',
    of: ({ footprint }) => footprint?.tools?.characters,
    better: 'less',
    show: (characters) => `${tokensOf(characters).toLocaleString('en')} tokens`,
  },
]

function measuresAt(size: number): readonly Measure[] {
  const at = ({ speed }: PeerResult) => speed?.sizes.find(({ texts }) => texts === size)
  const texts = `${size.toLocaleString('en')} texts`
  return [
    {
      what: `search among ${texts}, p50`,
      of: (peer) => at(peer)?.search.p50,
      better: 'less',
      show: ms,
      finding: true,
    },
    {
      what: `search among ${texts}, p95`,
      of: (peer) => at(peer)?.search.p95,
      better: 'less',
      show: ms,
      finding: true,
    },
    { what: 'adding a text, p50', of: (peer) => at(peer)?.add.p50, better: 'less', show: ms },
    {
      what: 'time until an added text can be found',
      of: (peer) => {
        const measured = at(peer)
        return measured && measured.add.p50 + measured.settle
      },
      better: 'less',
      show: ms,
    },
    { what: 'own sentence found', of: (peer) => at(peer)?.found, better: 'more', show: share },
    { what: 'disk', of: (peer) => at(peer)?.megabytes, better: 'less', show: megabytes },
    { what: 'peak memory', of: ({ speed }) => speed?.peakMegabytes, better: 'less', show: megabytes },
    { what: 'recall@5', of: ({ quality }) => quality?.recall5, better: 'more', show: share },
    { what: 'recall@10', of: ({ quality }) => quality?.recall10, better: 'more', show: share },
    { what: 'recall@20', of: ({ quality }) => quality?.recall20, better: 'more', show: share },
    { what: 'hit@5', of: ({ quality }) => quality?.hit5, better: 'more', show: share },
    { what: 'MRR', of: ({ quality }) => quality?.reciprocalRank, better: 'more', show: share },
  ]
}

/** In which measures who is ahead of elfmem, as a list in Markdown; computed, so that no loss is left out. */
export function winsOf(peers: readonly PeerResult[], size: number): string {
  const ours = peers.find(({ key }) => key === 'elfmem')
  if (!ours) return 'elfmem was not measured.'
  const lines = [...measuresAt(size), ...FOOTPRINT].flatMap(({ what, of, better, show, finding }) => {
    const own = of(ours)
    if (own === undefined) return []
    const ahead = peers.filter((peer) => {
      const value = of(peer)
      if (value === undefined || (finding && findsNothing(peer, size))) return false
      return better === 'less' ? value < own : value > own
    })
    if (ahead.length === 0) return []
    const who = ahead.map((peer) => `${peer.name} ${show(of(peer) as number)}`).join(', ')
    return [`- ${what}: ${who}; elfmem ${show(own)}`]
  })
  return lines.length === 0 ? 'Nobody is ahead of elfmem in anything measured here.' : lines.join('\n')
}

function findsNothing({ speed }: PeerResult, size: number): boolean {
  return speed?.sizes.find(({ texts }) => texts === size)?.found === 0
}
