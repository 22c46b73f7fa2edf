import { count, defined } from '../../block/text.ts'
import { type Choice, type Decision, decidedBefore, requireDecision } from '../../dream/decisions.ts'
import { type CallContext, type Engine, mutate } from '../../engine/engine.ts'
import { ElfmemError } from '../../errors.ts'
import { sentences } from '../wording.ts'
import { carryOut } from './carry-out.ts'
import { shortDecisionId } from './decision-view.ts'
import { toldChoices } from './decision-words.ts'

/** A decision and how it is decided. */
interface Asked {
  readonly id: string
  readonly choice: string
  readonly words?: string | undefined
  readonly reason?: string | undefined
  readonly mark?: string | undefined
}

/** A decision by its id and the mark of its words. */
type Named = Pick<Asked, 'id' | 'mark'>

/** The result of one decision. */
interface Decided {
  readonly id: string
  readonly choice: string
  readonly status: 'decided' | 'already'
  readonly blockId?: string
  readonly summary: string
}

/** The result of deciding about several in one way. */
interface DecidedMany extends Decided {
  readonly also: {
    /** The number of decisions that were made, the first among them. */
    readonly decided: number
    /** The number of decisions that another of them had settled. */
    readonly settled: number
    readonly stopped?: Stopped
  }
}

interface Stopped {
  readonly id: string
  readonly message: string
  readonly recovery?: string
}

/** Decides about one. */
export async function decideOne(engine: Engine, asked: Asked, context: CallContext): Promise<Decided> {
  const { decision, ...done } = await decided(engine, asked, context)
  return { id: decision.id, ...done }
}

async function decided(engine: Engine, asked: Asked, context: CallContext) {
  const decision = await engine.store.read(async (tx) =>
    requireDecision(engine, tx, asked.id, engine.session.moment((await tx.state()).clock).at),
  )
  const known = { decision, choice: asked.choice.trim().toLowerCase() }
  const before = decidedSo(decision, known.choice)
  if (before !== undefined)
    return {
      ...known,
      choice: before,
      status: 'already' as const,
      summary: `${shortDecisionId(decision.id)} was ${decision.proposal?.state} before.`,
    }
  mustBeAsSeen(decision, asked.mark)
  const { choice } = chosen(decision, asked)
  const done = await carryOut(engine, context, decision, {
    choice,
    words: asked.words,
    reason: asked.reason,
  })
  return { ...known, choice, status: 'decided' as const, ...done }
}

/** Codes of a decision that another one settled: a block that gave way is in no open pair any more. */
const SETTLED: readonly string[] = ['NOT_FOUND', 'WRONG_STATUS']

/**
 * Decides about several the same way, each in a transaction of its own, until one cannot be decided. All are one run: its last
 * entry stands for them, and each is undone by its own number, too. Throws only where the first cannot be decided.
 */
export async function decideMany(
  engine: Engine,
  asked: Asked,
  others: readonly Named[],
  context: CallContext,
): Promise<DecidedMany> {
  const run = { ...context, run: engine.ids.random() }
  const { decision, ...first } = await decided(engine, asked, run)
  const made: Decision[] = first.status === 'decided' ? [decision] : []
  let [settled, stopped]: [number, Stopped | undefined] = [0, undefined]
  for (const other of others) {
    context.signal?.throwIfAborted()
    const next = await attempted(engine, { ...asked, mark: undefined, ...other }, run)
    if (ElfmemError.is(next)) {
      stopped = { id: other.id, message: next.message, ...defined({ recovery: next.recovery }) }
      break
    }
    if (next === undefined) settled++
    else made.push(next)
  }
  await note(engine, run, { made, choice: first.choice, reason: asked.reason })
  return {
    id: decision.id,
    ...first,
    also: { decided: made.length, settled, ...(stopped && { stopped }) },
    summary: sentences(
      `${count(made.length, 'decision')} made: ${first.choice}.`,
      settled > 0 && `${settled} settled with them.`,
      stopped && `Then it stopped at ${shortDecisionId(stopped.id)}: ${stopped.message}`,
    ),
  }
}

/** The decision that was made; undefined of one that was settled before, and the refusal of one that cannot be made. */
async function attempted(
  engine: Engine,
  asked: Asked,
  context: CallContext,
): Promise<Decision | ElfmemError | undefined> {
  try {
    const { decision, status } = await decided(engine, asked, context)
    return status === 'decided' ? decision : undefined
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    return SETTLED.includes(error.code) ? undefined : error
  }
}

/** The entry that stands for all of them. */
async function note(
  engine: Engine,
  context: CallContext,
  {
    made,
    choice,
    reason,
  }: { readonly made: readonly Decision[]; readonly choice: string; readonly reason: string | undefined },
): Promise<void> {
  if (made.length === 0) return
  const blockIds = made.flatMap(({ first, second }) =>
    [first, second].flatMap((side) => side?.block.id ?? []),
  )
  await mutate(engine, context, ({ log }) =>
    log({
      operation: 'decide_many',
      blockIds: [...new Set(blockIds)],
      summary: `${count(made.length, 'decision')} alike: ${choice}`,
      ...(reason ? { reason } : {}),
    }),
  )
}

/** The names and keys that mean what a decided proposal is. */
const SO: Readonly<Record<string, readonly string[]>> = {
  accepted: ['accept', 'a', 'change', 'c'],
  refused: ['refuse', 'r'],
}

/** The name of the choice by which a proposal was decided so before. */
function decidedSo({ proposal }: Decision, choice: string): string | undefined {
  const names = proposal && SO[proposal.state]
  return names?.includes(choice) ? names[0] : undefined
}

function mustBeAsSeen({ id, mark }: Decision, seen: string | undefined): void {
  if (seen === undefined || seen === mark) return
  throw new ElfmemError('CONFLICT', 'The words that this decision is about were changed meanwhile.', {
    recovery: `Look again: decisions({ id: '${id}' }). Nothing was decided.`,
  })
}

function chosen(decision: Decision, { choice, words }: Asked): Choice {
  const { choices, proposal } = decision
  if (proposal !== undefined && proposal.state !== 'open') throw decidedBefore(proposal)
  const said = choice.trim().toLowerCase()
  const found = toldChoices(decision).find(({ key, choice: name }) => key === said || name === said)
  const names = choices.map((each) => each.choice).join(', ')
  if (found === undefined)
    throw new ElfmemError('INVALID_INPUT', 'That is no choice of this decision.', {
      recovery: `Its choices are ${names}.`,
      details: { arguments: ['choice'] },
    })
  if (found.takes === 'words' && words === undefined)
    throw new ElfmemError('INVALID_INPUT', `The choice ${found.choice} needs words.`, {
      recovery: 'Give them as words.',
      details: { arguments: ['words'] },
    })
  if (found.takes !== 'words' && words !== undefined)
    throw new ElfmemError('INVALID_INPUT', `The choice ${found.choice} takes no words.`, {
      recovery: `Leave words out, or choose one that takes them. Its choices are ${names}.`,
      details: { arguments: ['words'] },
    })
  return found
}
