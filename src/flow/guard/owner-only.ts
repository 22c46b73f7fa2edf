import type { Block } from '../../domain/block/block.ts'
import { isConstitutional } from '../../domain/block/tags.ts'
import { ElfmemError, type ErrorDetails } from '../../errors.ts'
import {
  type CallContext,
  callerOf,
  type Engine,
  mayDo,
  type OwnersWay,
  type Principal,
} from '../engine/engine.ts'
import { surfaceOf } from './accept-caller.ts'

/** The parts of a refusal of an owner's act. */
interface OwnersAct {
  /** The act and why it is the owner's, as a sentence without its full stop. */
  readonly what: string
  /** How the owner does it; absent if `otherwise` says it. */
  readonly way?: OwnersWay
  /** The other way that the caller may take, as a sentence. */
  readonly otherwise?: string
  readonly details?: Omit<ErrorDetails<'OWNER_ONLY'>, 'needs' | 'is' | 'command'>
}

/** True if the caller is the owner, who may raise the trust of words and change principles. */
export function isOwner(engine: Pick<Engine, 'principal'>, context: CallContext): boolean {
  return mayDo(callerOf(engine, context), 'owner')
}

/** True if the caller may do more than look. */
export function mayWrite(engine: Pick<Engine, 'principal'>, context: CallContext): boolean {
  return mayDo(callerOf(engine, context), 'agent')
}

/** The one refusal of what is the owner's alone: it names what the owner runs. */
export function ownerOnly(caller: Principal, { what, way, otherwise, details = {} }: OwnersAct): ElfmemError {
  return new ElfmemError('OWNER_ONLY', `${what}, and this caller is ${nameOf(caller)}.`, {
    recovery: [otherwise, way && saidOf(caller, way)].filter(Boolean).join(' '),
    details: {
      needs: 'owner',
      is: caller.capability,
      ...(way?.command === undefined ? {} : { command: way.command }),
      ...details,
    },
  })
}

/**
 * Refuses that anybody but the owner changes or archives a principle.
 *
 * @param way how the owner does it
 */
export function refusePrinciple(
  engine: Pick<Engine, 'principal'>,
  context: CallContext,
  block: Pick<Block, 'id' | 'tags'>,
  way: OwnersWay,
): void {
  if (isOwner(engine, context) || !isConstitutional(block.tags)) return
  throw ownerOnly(callerOf(engine, context), {
    what: `Block ${block.id} is a principle`,
    way,
    details: { blockId: block.id },
  })
}

/** The refusal of a call that writes, for a caller that may only look. */
export function readsOnly(caller: Principal, operation: string): ElfmemError {
  return new ElfmemError('OWNER_ONLY', `${operation} writes, and this caller is ${nameOf(caller)}.`, {
    recovery: `A reader only looks, as with recall(). ${AGENT[surfaceOf(caller)] ?? AGENT.library}`,
    details: { needs: 'agent', is: caller.capability },
  })
}

const AGENT: Readonly<Record<string, string>> & { readonly library: string } = {
  library: "To write, open the memory without as: 'reader'.",
  cli: 'To write, leave out --as reader.',
  mcp: 'To write, serve the memory without --as reader.',
  dashboard: 'To write, start the dashboard without --read-only.',
}

function nameOf({ capability }: Principal): string {
  return capability === 'owner' ? 'the owner' : capability === 'agent' ? 'an agent' : 'a reader'
}

function saidOf(caller: Principal, { command, named, needs }: OwnersWay): string {
  switch (surfaceOf(caller)) {
    case 'library':
      return "If this program acts for the owner, open the memory with openMemory(path, { as: 'owner' })."
    case 'cli':
      return `The owner runs ${command ?? 'the same command'} without --as ${caller.capability}.`
    case 'dashboard':
      return `The owner ${command === undefined ? 'starts the dashboard' : `runs ${command}, or starts the dashboard`} without --read-only.`
    default:
      if (command !== undefined) return `Ask the owner to run on the command line: ${command}`
      return `Ask the owner to run ${named} on the command line and to say there what this call said${needs.length === 0 ? '' : ` (${needs.join(', ')})`}: it does not fit into one line here.`
  }
}

/** Throws `OWNER_ONLY` when a caller of the command line may not name a file of this machine. */
export function mayNameFile(caller: Principal): void {
  if (mayDo(caller, 'owner')) return
  throw ownerOnly(caller, {
    what: 'A file of this machine is for the owner to name',
    otherwise: `Pass - and write to standard input. The owner runs the same command without --as ${caller.capability}.`,
  })
}
