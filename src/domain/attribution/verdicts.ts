import type { Earlier, Trace } from './trace.ts'
import {
  type Comparing,
  citedPlaces,
  namedIn,
  type ShownFrame,
  shownFrame,
  wordsUsed,
} from './used-blocks.ts'
import { type Mark, SIGNALS, type SignalName, walked } from './walk.ts'

/** The word of a trace about one block. */
export interface Verdict {
  readonly id: string
  readonly says: 'helped' | 'misled'
  /** Above 0, at most 1: one trace is no more than one report. */
  readonly weight: number
  /** The signals that say so, each once. */
  readonly signals: readonly SignalName[]
  /** Parts of the block that stood in the command, edit, answer or correction. */
  readonly evidence: readonly string[]
}

/** The result of a trace. */
export interface Settled {
  readonly verdicts: readonly Verdict[]
  /** Blocks that were used, of which nobody knows how it went: they stay fresh. */
  readonly used: readonly string[]
}

/** The weight of each signal, and the rules of a language. */
export interface Weighing {
  /** From 0 to 1 by signal; one that is 0 or absent says nothing. */
  readonly weights: Readonly<Partial<Record<SignalName, number>>>
  /** True if the user's message says that the answer before it was wrong. */
  readonly isCorrection: (reply: string) => boolean
  readonly comparing: Comparing
}

/**
 * Reads a trace: a verdict for blocks that are cited, or whose identifier, path or number stands in a command, an edit or a
 * correction; use for those whose words alone do. Signals of one kind count once a block, and the last one decides between helped
 * and misled, since it knew most. What was not used gets no verdict. Cost: a few passes over the texts.
 */
export function settledOf(trace: Trace, { weights, isCorrection, comparing }: Weighing): Settled {
  const frame = shownFrame(trace.blocks, trace.asked)
  const { marks, used } = walked(trace, frame)
  const isAgain = isAskedAgain(trace)
  const cited = isAgain ? [] : citations(trace, frame)
  const said = [...marks, ...cited, ...corrections(trace, frame, isCorrection)]
  const verdicts = verdictsOf(said, weights)
  if (isAgain) return { verdicts, used: [] }
  const judged = new Set(verdicts.map(({ id }) => id))
  const places = new Set([...used, ...placesUsed(trace, frame, comparing)])
  const ids = [...places].sort((one, other) => one - other).flatMap((place) => frame.blocks[place]?.id ?? [])
  return { verdicts, used: ids.filter((id) => !judged.has(id)) }
}

/** Returns the matters that a trace leaves open for the next message of its conversation. */
export function earlierOf(trace: Trace): Earlier {
  return walked(trace, shownFrame(trace.blocks, trace.asked)).earlier
}

function verdictsOf(marks: readonly Mark[], weights: Weighing['weights']): Verdict[] {
  const counted = marks.filter(({ signal }) => (weights[signal] ?? 0) > 0)
  return [...Map.groupBy(counted, ({ id }) => id)].map(([id, own]) => {
    const says = SIGNALS[(own.at(-1) as Mark).signal]
    const agreeing = own.filter(({ signal }) => SIGNALS[signal] === says)
    const signals = [...new Set(agreeing.map(({ signal }) => signal))]
    const weight = signals.reduce((sum, signal) => sum + (weights[signal] ?? 0), 0)
    const evidence = [...new Set(agreeing.flatMap((mark) => mark.evidence))]
    return { id, says, weight: Math.min(1, weight), signals, evidence }
  })
}

function citations({ answer }: Trace, frame: ShownFrame): Mark[] {
  return citedPlaces(frame, answer, true).map((place) => {
    const id = frame.blocks[place]?.id ?? ''
    return { id, signal: 'citation', evidence: [id] }
  })
}

/** A correction is about what was done: naming what was left undone says that it was right. */
function corrections(trace: Trace, frame: ShownFrame, isCorrection: Weighing['isCorrection']): Mark[] {
  const { reply } = trace
  if (reply === '' || !isCorrection(reply)) return []
  const done = namedIn(
    frame,
    doneText(trace, () => true),
  )
  const named = namedIn(frame, reply)
  const cited = new Set(citedPlaces(frame, reply, false))
  return frame.blocks.flatMap(({ id }, place): Mark[] => {
    const did = new Set(done.get(place))
    const evidence = (named.get(place) ?? []).filter((token) => did.has(token))
    if (cited.has(place)) evidence.push(id)
    return evidence.length === 0 ? [] : [{ id, signal: 'correction', evidence }]
  })
}

function placesUsed(trace: Trace, frame: ShownFrame, comparing: Comparing): readonly number[] {
  const did = doneText(trace, (ok) => ok)
  return [
    ...wordsUsed(frame.blocks, did, trace.asked, comparing).keys(),
    ...namedIn(frame, trace.answer).keys(),
    ...citedPlaces(frame, trace.answer, true),
  ]
}

/** The inputs of the calls, by how they went, and the answer. */
function doneText({ did, answer }: Trace, takes: (ok: boolean) => boolean): string {
  const inputs = did.flatMap((step) =>
    step.kind === 'tool' && takes(step.ok) ? [step.edited ?? '', step.input] : [],
  )
  return [...inputs, answer].join('\n')
}

/** True if the user asks the same again: nobody knows what the answer was good for then. */
function isAskedAgain({ asked, reply }: Trace): boolean {
  const words = wordsOf(reply)
  return words !== '' && words === wordsOf(asked)
}

function wordsOf(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')
}
