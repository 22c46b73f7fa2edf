import { healthOf, rescoreAdvice } from '../../domain/advice/health.ts'
import { count } from '../../domain/text/text.ts'
import { matchesLock, nameOf } from '../engine/embedding.ts'
import type { Engine } from '../engine/engine.ts'
import { UNFINISHED } from '../erase/erase.ts'
import type { Facts } from './facts.ts'

/** More unresolved pairs than these make a memory unreliable. */
export const OPEN_PAIRS_BEARABLE = 20

interface Known extends Facts {
  readonly unfinishedErasing: boolean
  readonly openProposals: number
}

interface Health {
  /** `attention`: something waits for somebody; `degraded`: something does not work as it should. */
  readonly health: 'good' | 'attention' | 'degraded'
  /** Why it is not good. */
  readonly reasons: readonly string[]
  /** The next step to take. */
  readonly suggestion: string
}

/** How a memory is, why it is not good, and the next step to take. */
export function judgeHealth(
  facts: Known,
  engine: Pick<Engine, 'embedder' | 'settings' | 'rest' | 'behind'>,
): Health {
  const { counts, advice, judging } = facts
  const { health, finding } = healthOf(counts.inbox, advice.threshold, counts.active)
  const waitingBlocks = `${count(counts.inbox, 'block')} ${counts.inbox === 1 ? 'waits' : 'wait'}`
  const inbox: Partial<Record<typeof finding, string>> = {
    inbox_full: `${waitingBlocks} in the inbox; a dream is due from ${advice.threshold}`,
    inbox_nearly_full: `${waitingBlocks} in the inbox; a dream is due from ${advice.threshold}`,
  }
  const troubles = troublesOf(facts, engine)
  const waiting = inbox[finding]
  const drifts = judging.model !== undefined && judging.drift
  const reasons = [
    ...troubles.map(({ reason }) => reason),
    ...(waiting === undefined ? [] : [waiting]),
    ...(drifts ? [`${judging.unjudged} active blocks were never judged, ${judging.stale} long ago`] : []),
  ]
  const [broken] = troubles.filter(({ waits }) => waits !== true)
  if (broken !== undefined) return { health: 'degraded', reasons, suggestion: broken.suggestion }
  const [worst] = troubles
  if (worst !== undefined) return { health: 'attention', reasons, suggestion: worst.suggestion }
  // That dream takes the inbox in, too.
  if (drifts)
    return {
      health: 'attention',
      reasons,
      suggestion: rescoreAdvice({ active: counts.active, ...judging }),
    }
  // What the memory does by itself needs nobody's attention.
  if (waiting !== undefined && engine.rest.mode !== 'off')
    return { health: 'good', reasons, suggestion: BY_ITSELF }
  const { openPairs } = counts
  if (finding === 'fine' && openPairs > 0)
    return {
      health,
      reasons,
      suggestion: `Nothing is due; resolve() decides about ${count(openPairs, 'open pair')}, which inbox({ openPairs: 20 }) lists.`,
    }
  return { health, reasons, suggestion: SUGGESTIONS[finding] }
}

const BY_ITSELF =
  'Nothing to do: it dreams by itself when enough waits and all is quiet; dream() does it now.'

const SUGGESTIONS = {
  inbox_full: 'Call dream() at the next pause.',
  inbox_nearly_full: 'Call dream() soon.',
  empty: 'Begin with setup() (identity, values, seed) or remember() something.',
  fine: 'Nothing to do.',
} as const satisfies Record<ReturnType<typeof healthOf>['finding'], string>

/** A reason why a memory is not good. */
interface Trouble {
  readonly reason: string
  readonly suggestion: string
  /** True if nothing is broken: something waits for a decision of somebody. */
  readonly waits?: true
}

function troublesOf(
  { counts, lock, shadow, lastTrouble: trouble, unfinishedErasing, openProposals }: Known,
  { embedder, settings, rest, behind }: Pick<Engine, 'embedder' | 'settings' | 'rest' | 'behind'>,
) {
  const { pendingAlert } = settings.graph
  const troubles: Trouble[] = []
  if (unfinishedErasing) troubles.push(UNFINISHED)
  if (!matchesLock(lock, embedder))
    troubles.push({
      reason: `the stored vectors are of ${lock?.model}, the embedder is ${embedder.model}: recall finds by words alone`,
      suggestion: `Call reembed() to change all vectors, or configure the embedder ${lock?.model} again.`,
    })
  else if (shadow?.kept === false)
    troubles.push({
      reason: `a change of all vectors to ${nameOf(shadow)} was begun and not finished`,
      suggestion: `Configure ${shadow.model} and call reembed() to go on, or reembed() with drop to give it up.`,
    })
  if (trouble)
    troubles.push({
      reason: `the language model did not judge all it was asked at ${trouble.at}: ${trouble.message}`,
      suggestion: 'Call doctor({ resolve: true }), which asks the model once and says what is wrong.',
    })
  if (rest.trouble !== undefined)
    troubles.push({
      reason: `the last dream at rest failed: ${rest.trouble}`,
      suggestion: 'Call dream(), which tells what is wrong and what to do; it is tried again by itself, too.',
    })
  if (behind.trouble !== undefined)
    troubles.push({
      reason: `the use of what the last recall showed could not be written: ${behind.trouble}`,
      suggestion: 'Nothing was lost but that use; if it happens again, call doctor().',
    })
  if (openProposals > 0)
    troubles.push({
      waits: true,
      reason: `${count(openProposals, 'proposal')} ${openProposals === 1 ? 'waits' : 'wait'} for the owner`,
      suggestion: 'The owner decides: decisions() lists them, elfmem review asks one by one.',
    })
  if (counts.openPairs > OPEN_PAIRS_BEARABLE)
    troubles.push({
      waits: true,
      reason: `${counts.openPairs} pairs of near-duplicates or contradictions are unresolved`,
      suggestion: 'Decide about pairs with resolve(); inbox({ openPairs: 20 }) lists them.',
    })
  if (counts.pendingConnections > pendingAlert)
    troubles.push({
      waits: true,
      reason: `${counts.pendingConnections} connections wait for room`,
      suggestion:
        'Call curate(), which admits what has room; ls() with pending lists them, disconnect() makes room.',
    })
  return troubles
}
