import { milliseconds, percent } from '../lib/table.ts'
import { megabytesOf, tokensOf } from './footprint/present.ts'
import type { PeerResult } from './peers.ts'

/** A measure in which somebody may be ahead of elfmem; it returns nothing where it was not measured. */
type Measure = readonly [
  what: string,
  of: (peer: PeerResult) => number | undefined,
  show: (value: number) => string,
]

const ms = (value: number) => `${milliseconds(value)} ms`
const share = (value: number) => `${percent(value)} %`
const megabytes = (value: number) => `${megabytesOf(1e6 * value)} MB`
const tokens = (characters: number) => `${tokensOf(characters).toLocaleString('en')} tokens`

function sizeOf({ speed }: PeerResult, size: number) {
  return speed?.sizes.find(({ texts }) => texts === size)
}

/** Measures of which less is better. */
function costsAt(size: number): readonly Measure[] {
  const texts = `${size.toLocaleString('en')} texts`
  const at = (peer: PeerResult) => sizeOf(peer, size)
  // The time of a search says nothing about a system that finds none of its sentences.
  const finding = (peer: PeerResult) => (at(peer)?.found === 0 ? undefined : at(peer))
  return [
    [`search among ${texts}, p50`, (peer) => finding(peer)?.search.p50, ms],
    [`search among ${texts}, p95`, (peer) => finding(peer)?.search.p95, ms],
    ['adding a text, p50', (peer) => at(peer)?.add.p50, ms],
    [
      'time until an added text can be found',
      (peer) => {
        const measured = at(peer)
        return measured && measured.add.p50 + measured.settle
      },
      ms,
    ],
    ['disk', (peer) => at(peer)?.megabytes, megabytes],
    ['peak memory', ({ speed }) => speed?.peakMegabytes, megabytes],
    ['install', ({ footprint }) => footprint && footprint.installBytes / 1e6, megabytes],
    ['server lists its tools, p50', ({ footprint }) => footprint?.listed?.p50, ms],
    ['server answers a search, p50', ({ footprint }) => footprint?.answered?.p50, ms],
    ['command answers a search, p50', ({ footprint }) => footprint?.command?.p50, ms],
    ['tools in a prompt', ({ footprint }) => footprint?.tools?.characters, tokens],
  ]
}

/** Measures of which more is better. */
function gainsAt(size: number): readonly Measure[] {
  return [
    ['own sentence found', (peer) => sizeOf(peer, size)?.found, share],
    ['recall@5', ({ quality }) => quality?.recall5, share],
    ['recall@10', ({ quality }) => quality?.recall10, share],
    ['recall@20', ({ quality }) => quality?.recall20, share],
    ['hit@5', ({ quality }) => quality?.hit5, share],
    ['MRR', ({ quality }) => quality?.reciprocalRank, share],
  ]
}

/** Returns the measures in which somebody is ahead of elfmem, as a list in Markdown; computed, so that no loss is left out. */
export function winsOf(peers: readonly PeerResult[], size: number): string {
  const ours = peers.find(({ key }) => key === 'elfmem')
  if (!ours) return 'elfmem was not measured.'
  const linesOf = (measures: readonly Measure[], sign: 1 | -1) =>
    measures.flatMap(([what, of, show]) => {
      const own = of(ours)
      if (own === undefined) return []
      const ahead = peers.filter((peer) => sign * ((of(peer) ?? own) - own) > 0)
      if (ahead.length === 0) return []
      const who = ahead.map((peer) => `${peer.name} ${show(of(peer) as number)}`).join(', ')
      return [`- ${what}: ${who}; elfmem ${show(own)}`]
    })
  const lines = [...linesOf(costsAt(size), -1), ...linesOf(gainsAt(size), 1)]
  return lines.length === 0 ? 'Nobody is ahead of elfmem in anything measured here.' : lines.join('\n')
}
