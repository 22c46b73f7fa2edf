import { readFileSync } from 'node:fs'
import type { Result } from '../lib/result.ts'
import { CONTENDERS } from './contenders.ts'
import type { PeerResult, PeersData } from './peers.ts'

/** Where a part was measured that an earlier result is kept for. */
export interface Kept extends Omit<Result, 'data'> {
  readonly part: Part
}

type Part = 'speed' | 'footprint' | 'quality'

/** Reads an earlier result of the peers. */
export function readResult(path: string): Result {
  return JSON.parse(readFileSync(path, 'utf8')) as Result
}

/** A result in which parts that were not measured now are those of an earlier one, and say where they come from. */
export function withKept(
  now: PeersData,
  { earlier, measured }: { readonly earlier: Result | undefined; readonly measured: readonly Part[] },
): PeersData {
  if (earlier === undefined) return now
  const { data: before, ...origin } = earlier
  const { peers, conversations, kept = [] } = before as PeersData
  const parts = (['speed', 'footprint', 'quality'] as const).filter(
    (part) => !measured.includes(part) && peers.some((peer) => peer[part] !== undefined),
  )
  return {
    ...now,
    conversations: parts.includes('quality') ? conversations : now.conversations,
    peers: parts.reduce((own, part) => joined(own, peers, part), now.peers),
    // What it kept itself comes from where that was measured.
    kept: parts.map((part) => kept.find((each) => each.part === part) ?? { ...origin, part }),
  }
}

/** Both results of each contender, one part of them from the earlier one. */
function joined(
  own: readonly PeerResult[],
  earlier: readonly PeerResult[],
  part: Part,
): readonly PeerResult[] {
  return CONTENDERS.flatMap(({ key }) => {
    const [one, other] = [own, earlier].map((peers) => peers.find((peer) => peer.key === key))
    if (one === undefined || other === undefined) return one ?? other ?? []
    return {
      ...one,
      ...(other[part] === undefined ? {} : { [part]: other[part] }),
      version: one.version || other.version,
      notMeasured: [...new Set([...one.notMeasured, ...other.notMeasured])],
    }
  })
}
