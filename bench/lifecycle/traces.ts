import type { TraceEvent } from '../../src/frames/index.ts'
import { createRandom } from '../lib/random.ts'
import { isHarmful } from './facts.ts'
import type { Query, World } from './world.ts'

/**
 * Chances of what an agent does with a fact that it was shown, and of what comes of it. They are assumed: nobody measured them.
 * Where a fact that is no more true is told from a useful one, the two are written in this order.
 */
const ACTING = {
  /** That it is acted on: useful, neither, harmful. */
  acts: [0.7, 0.1, 0.35],
  /** That each of its words stands in what is done. */
  says: 0.5,
  /** That a call with it succeeds. */
  succeeds: [0.95, 0.9, 0.75],
  /** That a call edits a file. */
  edits: 0.5,
  /** Chance that the answer cites a fact: a useful one, neither, a harmful one. */
  cites: [0.95, 0.02, 0.05],
  /** That there is a check, and that it fails before anything is done. */
  checks: 0.5,
  failsFirst: 0.6,
  /** That the check passes in the end: with nothing harmful in what was done, and with something. */
  passes: [0.9, 0.15],
  /** That the user corrects. */
  corrects: [0.02, 0.3],
} as const

/** What a trace may say. */
export const SIGNALS = ['check', 'citation', 'correction'] as const
/** The name of a signal. */
export type Signal = (typeof SIGNALS)[number]

/** Returns what hooks see that see these signals alone: a check that failed, what the answer cites, a correction. */
export function seenBy(events: readonly TraceEvent[], signals: readonly Signal[]): TraceEvent[] {
  return events.flatMap((event): TraceEvent[] => {
    if (event.kind === 'reply') return signals.includes('correction') ? [event] : []
    if (event.kind === 'answer') return [signals.includes('citation') ? event : { ...event, text: 'Done.' }]
    return event.ok || signals.includes('check') ? [event] : []
  })
}

/** What becomes of a fact. */
interface Fate {
  readonly place: number
  /** 0 useful, 1 neither, 2 harmful. */
  readonly is: 0 | 1 | 2
  readonly words: readonly string[]
  readonly isActedOn: boolean
  readonly succeeds: boolean
  readonly isEdit: boolean
  readonly isCited: boolean
}

/**
 * What happens after an answer, as the hooks of a coding agent see it. Luck is drawn for every fact of the world, so that it is
 * the same whatever was shown.
 */
export function actOn(shown: readonly number[], query: Query, world: World): TraceEvent[] {
  const random = createRandom(...query.seed, 9)
  const luck = Array.from({ length: 5 }, () => random.next())
  const [checks = 0, failsFirst = 0, passes = 0, corrects = 0, named = 0] = luck
  const fates = world.facts.map((_, place) => fateOf(place, query, { world, random }))
  const seen = shown.map((place) => fates[place] as Fate)
  const used = seen.filter(({ isActedOn }) => isActedOn)
  const done = used.filter(({ succeeds }) => succeeds)
  const isHarmed = done.some(({ is }) => is === 2) ? 1 : 0
  const check = run(`check-${query.seed.join('-')}`)
  const hasCheck = checks < ACTING.checks
  const isPassed = passes < ACTING.passes[isHarmed]
  return [
    ...(hasCheck ? [check(failsFirst >= ACTING.failsFirst)] : []),
    ...used.map(callWith),
    ...(hasCheck ? [check(isPassed)] : []),
    { kind: 'answer', text: citing(seen) },
    ...(corrects < ACTING.corrects[isHarmed]
      ? [correction(isHarmed ? done.filter(({ is }) => is === 2) : done, named)]
      : []),
  ]
}

function fateOf(
  place: number,
  { useful, session }: Query,
  { world, random }: { readonly world: World; readonly random: ReturnType<typeof createRandom> },
): Fate {
  const fact = world.facts[place] as World['facts'][number]
  const is = useful.has(place) ? 0 : isHarmful(fact, session) ? 2 : 1
  const words = fact.words.filter(() => random.next() < ACTING.says)
  return {
    ...{ place, is, words },
    isActedOn: random.next() < ACTING.acts[is],
    succeeds: random.next() < ACTING.succeeds[is],
    isEdit: random.next() < ACTING.edits,
    isCited: random.next() < ACTING.cites[is],
  }
}

function callWith({ place, words, succeeds: ok, isEdit }: Fate): TraceEvent {
  const input = words.join(' ')
  return isEdit ? { kind: 'tool', tool: 'Edit', edited: `f/${place}`, input, ok } : run(`use ${input}`)(ok)
}

function run(input: string): (ok: boolean) => TraceEvent {
  return (ok) => ({ kind: 'tool', tool: 'Bash', isCommand: true, input, ok })
}

/** Places count from 1 in what was shown. */
function citing(seen: readonly Fate[]): string {
  const cited = seen.flatMap(({ isCited, isActedOn }, at) => (isCited && isActedOn ? [` [${at + 1}]`] : []))
  return `Done${cited.join('')}.`
}

/** The user speaks of one thing that was done, in its words. */
function correction(done: readonly Fate[], named: number): TraceEvent {
  const about = done[Math.floor(named * done.length)]
  const words = about === undefined ? '' : about.words.join(' ')
  return { kind: 'reply', text: `No, that's wrong: ${words}` }
}
