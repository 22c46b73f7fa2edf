import { kebabCase } from '../../adapters/project/spelling.ts'
import { ElfmemError } from '../../errors.ts'
import type { Operation } from '../../operations/operation.ts'

type Served = Pick<Operation, 'dashboard' | 'local' | 'input'>

/** True if a page may call an operation. */
export function isServed(operation: Served): boolean {
  return operation.dashboard !== 'never' && namesNoPlace(operation)
}

/** True if an operation can be called without a place on the machine of the memory. */
export function namesNoPlace({ local = {}, input }: Pick<Served, 'local' | 'input'>): boolean {
  return Object.keys(local).every((key) => input.shape[key]?.safeParse(undefined).success === true)
}

/** True if an operation may be called by who can change nothing. */
export function isLook({ effect, forReader }: Pick<Operation, 'effect' | 'forReader'>): boolean {
  return effect === 'read' || forReader !== undefined
}

/** True if an operation may take long and is ended by the page that waits for it. */
export function isLong({ name, cost }: Pick<Operation, 'name' | 'cost'>): boolean {
  return cost === 'batch' || ['curate', 'doctor'].includes(name)
}

/** Refuses places on this machine, which nobody names over HTTP. */
export function refusePlaces({ name, local = {} }: Operation, input: unknown): void {
  const given = Object.keys(local).find((key) => Object(input)[key] !== undefined)
  if (given === undefined) return
  throw new ElfmemError('INVALID_INPUT', `${name}: nobody names a place on this machine over HTTP.`, {
    recovery: `Leave ${given} out; elfmem ${kebabCase(name)} on the command line takes it.`,
    details: { operation: name, arguments: [given] },
  })
}
