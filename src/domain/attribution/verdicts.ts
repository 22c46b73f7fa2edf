import type { Step, Trace } from './trace.ts'
import { citedPlaces, namedIn, type ShownFrame, shownFrame } from './used-blocks.ts'

/** Each signal of a trace says that a block helped, or that it misled. */
export const SIGNALS = { check: 'helped', citation: 'helped', correction: 'misled' } as const

/** The name of a signal. */
export type SignalName = keyof typeof SIGNALS

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

/** The weight of each signal, and the rule of a language. */
export interface Weighing {
  /** Weight of each signal, 0..1; a signal of weight 0 says nothing. */
  readonly weights: Readonly<Record<SignalName, number>>
  /** True if the user's message says that the answer before it was wrong. */
  readonly isCorrection: (reply: string) => boolean
}

/** A signal about a block, and the parts of the block that stood where it came from. */
interface Mark {
  readonly id: string
  readonly signal: SignalName
  readonly evidence: readonly string[]
}

/**
 * Reads a trace: one verdict for each block that the answer cites, or whose identifier, path or number stands in a command or an edit
 * before a failed command passed, or in a correction of the user. A correction decides, since the user knew most; each signal counts
 * once a block. A block without a signal gets no verdict. Cost: a few passes over the texts.
 */
export function verdictsOf(trace: Trace, { weights, isCorrection }: Weighing): Verdict[] {
  const frame = shownFrame(trace.blocks, trace.asked)
  const marks = [...checks(trace, frame), ...citations(trace, frame)]
  if (trace.reply !== '' && isCorrection(trace.reply)) marks.push(...corrections(trace, frame))
  const counted = marks.filter(({ signal }) => weights[signal] > 0)
  return [...Map.groupBy(counted, ({ id }) => id)].map(([id, own]) => {
    const says = SIGNALS[(own.at(-1) as Mark).signal]
    const agreeing = own.filter(({ signal }) => SIGNALS[signal] === says)
    const signals = [...new Set(agreeing.map(({ signal }) => signal))]
    const weight = signals.reduce((sum, signal) => sum + weights[signal], 0)
    const evidence = [...new Set(agreeing.flatMap((mark) => mark.evidence))]
    return { id, says, weight: Math.min(1, weight), signals, evidence }
  })
}

/** Marks the blocks that stand in calls between a command that failed and the pass of the same command, or in the latter. */
function checks({ did }: Trace, frame: ShownFrame): Mark[] {
  const marks: Mark[] = []
  /** Successful calls since a command failed, by the command. */
  const failing = new Map<string, Step[]>()
  for (const step of did) {
    const { input, isCommand, ok } = step
    if (!ok) {
      if (isCommand) failing.set(input, [])
      continue
    }
    for (const since of failing.values()) since.push(step)
    if (!isCommand) continue
    for (const used of failing.get(input) ?? []) marks.push(...usesIn(used, frame))
    failing.delete(input)
  }
  return marks
}

function usesIn({ edited = '', input }: Step, frame: ShownFrame): Mark[] {
  const named = namedIn(frame, `${edited}\n${input}`)
  const cited = new Set(citedPlaces(frame, input, false))
  return frame.blocks.flatMap(({ id }, place): Mark[] => {
    const evidence = [...(cited.has(place) ? [id] : []), ...(named.get(place) ?? [])]
    return evidence.length === 0 ? [] : [{ id, signal: 'check', evidence }]
  })
}

/** A question that is asked again leaves open if the cited blocks were good for anything. */
function citations({ asked, answer, reply }: Trace, frame: ShownFrame): Mark[] {
  if (wordsOf(reply) !== '' && wordsOf(reply) === wordsOf(asked)) return []
  return citedPlaces(frame, answer, true).map((place) => {
    const id = frame.blocks[place]?.id ?? ''
    return { id, signal: 'citation', evidence: [id] }
  })
}

/** A correction is about what was done: naming what was left undone says that it was right. */
function corrections({ did, answer, reply }: Trace, frame: ShownFrame): Mark[] {
  const inputs = did.flatMap(({ edited = '', input }) => [edited, input])
  const done = namedIn(frame, [...inputs, answer].join('\n'))
  const named = namedIn(frame, reply)
  const cited = new Set(citedPlaces(frame, reply, false))
  return frame.blocks.flatMap(({ id }, place): Mark[] => {
    const evidence = (named.get(place) ?? []).filter((token) => done.get(place)?.includes(token))
    if (cited.has(place)) evidence.push(id)
    return evidence.length === 0 ? [] : [{ id, signal: 'correction', evidence }]
  })
}

function wordsOf(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')
}
