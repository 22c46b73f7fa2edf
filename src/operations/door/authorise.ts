import { mayDo, type OwnersWay, type Principal } from '../../domain/safety/principal.ts'
import { ownerOnly, readsOnly } from '../../flow/guard/owner-only.ts'
import { ownersWay } from '../../flow/guard/owners-way.ts'
import { type Guarded, type OwnerArgument, ownerArgumentIn, ownerArguments } from './owner-arguments.ts'

/** Throws `OWNER_ONLY` when a caller may not call an operation at all. */
export function mustBeAllowed(operation: Guarded, caller: Principal, input: unknown): void {
  const { name, needs } = operation
  if (mayDo(caller, needs)) return
  if (needs !== 'owner') throw readsOnly(caller, name)
  throw ownerOnly(caller, { what: `${name} is for the owner`, way: wayFor(operation, caller, input) })
}

/** What an operation's arguments are for a caller who may only look; throws `OWNER_ONLY` when it asks for another value. */
export function heldFor({ name, forReader = {} }: Guarded, caller: Principal, raw: unknown): object {
  if (mayDo(caller, 'agent')) return {}
  const asked = Object(raw) as Readonly<Record<string, unknown>>
  const other = Object.entries(forReader).find(([key, value]) => (asked[key] ?? value) !== value)
  if (other !== undefined) throw readsOnly(caller, `${name} with ${other[0]}: ${!other[1]}`)
  return forReader
}

/** Throws `OWNER_ONLY` for an argument that only an owner may pass. */
export function mustBeOwners(
  operation: Guarded,
  caller: Principal,
  { input, raw }: { readonly input: object; readonly raw: unknown },
): void {
  if (mayDo(caller, 'owner')) return
  const found = ownerArgumentIn(input, ownerArguments(operation))
  if (found === undefined) return
  throw ownerOnly(caller, {
    what: `${operation.name}: ${saidOf(found)} is for the owner to say`,
    way: wayFor(operation, caller, raw),
    otherwise: otherwiseOf(found, operation),
    details: { arguments: [found.path] },
  })
}

/** How the owner makes a call: in the scope that the caller is bound to, too. */
export function wayFor(operation: Guarded, { scope }: Principal, input: unknown): OwnersWay {
  const isBound = scope !== undefined && 'scope' in operation.input.shape
  return ownersWay(operation, isBound ? { scope, ...Object(input) } : input)
}

function saidOf({ path, value }: OwnerArgument): string {
  return typeof value === 'string' && value.length > 20 ? path : `${path} ${JSON.stringify(value)}`
}

function otherwiseOf({ name, path }: OwnerArgument, { local = {}, input }: Guarded): string {
  if (name in local && 'name' in input.shape)
    return `Leave ${path} out and give a name: it lies beside the memory.`
  return `Leave ${path} out.`
}
