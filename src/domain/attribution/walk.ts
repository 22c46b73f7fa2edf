import { type GitAct, gitActsIn, programOf } from './commands.ts'
import type { Earlier, EarlierUse, Step, ToolCall, Trace } from './trace.ts'
import { citedPlaces, namedIn, type ShownFrame } from './used-blocks.ts'

/** Signals that a trace holds about single blocks, and what each says. */
export const SIGNALS = {
  tool: 'helped',
  check: 'helped',
  commit: 'helped',
  citation: 'helped',
  revert: 'misled',
  retry: 'misled',
  correction: 'misled',
} as const

/** The name of a signal. */
export type SignalName = keyof typeof SIGNALS

/** A signal about a block, and what of the block stood where it came from. */
export interface Mark {
  readonly id: string
  readonly signal: SignalName
  readonly evidence: readonly string[]
}

/** The result of reading the steps of a trace. */
export interface Walked {
  /** In the order they were seen. */
  readonly marks: readonly Mark[]
  /** Places of blocks whose identifiers stand in a step that did not fail. */
  readonly used: ReadonlySet<number>
  /** Open for the next message of the conversation. */
  readonly earlier: Earlier
}

/** Failing commands, and uses, that a conversation is held to. */
const EARLIER_MOST = 64

/** A step with the evidence in it. */
interface Seen {
  readonly at: number
  readonly call: ToolCall
  readonly named: ReadonlyMap<number, readonly string[]>
}

/** Reads the steps of a trace in their order. Cost: one pass over the inputs, and one over earlier steps for each check. */
export function walked(trace: Trace, frame: ShownFrame): Walked {
  const walk = new Walk(frame, trace.earlier)
  for (const [at, step] of trace.did.entries()) walk.take(step, at)
  return walk.done()
}

class Walk {
  readonly #frame: ShownFrame
  #marks: Mark[] = []
  readonly #used = new Set<number>()
  readonly #passed: Seen[] = []
  /** By what is tried: the calls that failed and were not done otherwise since. */
  readonly #failed = new Map<string, Seen[]>()
  /** Commands that fail, with the step they failed in last; before the first for those of earlier messages. */
  readonly #failing: Map<string, number>
  #edits: readonly EarlierUse[]
  #committed: readonly EarlierUse[]

  constructor(frame: ShownFrame, { failing, edits, committed }: Earlier) {
    this.#frame = frame
    this.#failing = new Map(failing.map((command) => [command, -1]))
    this.#edits = edits
    this.#committed = committed
  }

  take(step: Step, at: number): void {
    if (step.kind === 'commit') this.#git({ does: 'commit' })
    else if (step.kind === 'revert')
      this.#git(step.of === 'commit' ? { does: 'revert' } : { does: 'discard', paths: step.paths ?? [] })
    else this.#call(step, at)
  }

  done(): Walked {
    const newest = <T>(all: readonly T[]): readonly T[] => all.slice(-EARLIER_MOST)
    return {
      marks: this.#marks,
      used: this.#used,
      earlier: {
        failing: newest([...this.#failing.keys()]),
        edits: newest(this.#edits),
        committed: newest(this.#committed),
      },
    }
  }

  #call(call: ToolCall, at: number): void {
    const seen = { at, call, named: this.#namedIn(call) }
    const tried = triedBy(call)
    if (!call.ok) {
      this.#failed.set(tried, [...(this.#failed.get(tried) ?? []), seen])
      if (call.isCommand) this.#fails(call.input, at)
      return
    }
    this.#passed.push(seen)
    for (const [place, evidence] of seen.named) {
      this.#used.add(place)
      this.#mark('tool', this.#idAt(place), evidence)
    }
    this.#otherwise(seen, tried)
    if (call.edited !== undefined) this.#edit(seen, call.edited)
    if (!call.isCommand) return
    this.#passes(call.input)
    for (const act of gitActsIn(call.input)) this.#git(act)
  }

  #namedIn({ input, edited = '' }: ToolCall): Seen['named'] {
    const named = new Map(namedIn(this.#frame, `${edited}\n${input}`))
    for (const place of citedPlaces(this.#frame, input, false))
      named.set(place, [this.#idAt(place), ...(named.get(place) ?? [])])
    return named
  }

  #fails(command: string, at: number): void {
    this.#failing.delete(command)
    this.#failing.set(command, at)
  }

  /** A command that failed passes: what was used since, or in it, put it right. */
  #passes(command: string): void {
    const failedAt = this.#failing.get(command)
    if (failedAt === undefined) return
    this.#failing.delete(command)
    for (const { at, named } of this.#passed)
      if (at > failedAt)
        for (const [place, evidence] of named) this.#mark('check', this.#idAt(place), evidence)
  }

  /** Marks the blocks whose words stood in calls that failed, and do not stand in the one that did the same. */
  #otherwise({ named }: Seen, tried: string): void {
    const failed = this.#failed.get(tried)
    if (failed === undefined) return
    this.#failed.delete(tried)
    for (const { named: then } of failed)
      for (const [place, evidence] of then)
        if (!named.has(place)) this.#mark('retry', this.#idAt(place), evidence)
  }

  #edit({ named }: Seen, edited: string): void {
    const uses = [...named].map(([place, evidence]) => ({ id: this.#idAt(place), evidence, edited }))
    this.#edits = [...this.#edits, ...uses]
  }

  #git(act: GitAct): void {
    if (act.does === 'commit') {
      for (const { id, evidence } of this.#edits) this.#mark('commit', id, evidence)
      this.#committed = this.#edits
      this.#edits = []
    } else if (act.does === 'revert') {
      this.#takeBack(this.#committed)
      this.#committed = []
    } else {
      const gone = this.#edits.filter(({ edited }) => isAmong(edited, act.paths))
      this.#takeBack(gone)
      this.#edits = this.#edits.filter((use) => !gone.includes(use))
    }
  }

  /** The commit says nothing any more then. */
  #takeBack(uses: readonly EarlierUse[]): void {
    const gone = new Set(uses.map(({ id }) => id))
    this.#marks = this.#marks.filter(({ id, signal }) => signal !== 'commit' || !gone.has(id))
    for (const { id, evidence } of uses) this.#mark('revert', id, evidence)
  }

  #mark(signal: SignalName, id: string, evidence: readonly string[]): void {
    this.#marks.push({ id, signal, evidence })
  }

  #idAt(place: number): string {
    return this.#frame.blocks[place]?.id ?? ''
  }
}

/** Two calls try the same if they use one tool on one file, or run one program. */
function triedBy({ tool, input, isCommand, edited }: ToolCall): string {
  return JSON.stringify([tool, isCommand === true ? programOf(input) : '', edited ?? ''])
}

/** True if a file is one of some paths or lies in one of them, whichever of the two is written in full. */
function isAmong(edited: string, paths: readonly string[]): boolean {
  const file = `/${withoutEnds(edited)}/`
  return (
    paths.length === 0 ||
    paths.map(withoutEnds).some((path) => file.includes(`/${path}/`) || `/${path}/`.endsWith(file))
  )
}

function withoutEnds(path: string): string {
  return path.replace(/^\.?\//, '').replace(/\/$/, '')
}
