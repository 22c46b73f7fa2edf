import { ElfmemError } from '../../errors.ts'
import { CAPABILITIES, type Capability, mayDo, type Principal } from '../engine/engine.ts'
import type { CallerName } from './caller-name.ts'

/** For surfaces: the scope that a flag names. */
export { normaliseScope as scopeFrom } from '../../domain/block/scope.ts'

export { type Capability, mayDo, type Principal }

/** The surfaces that callers come through. */
export type Surface = 'library' | 'cli' | 'mcp' | 'dashboard'

/** The default capability of a caller by surface. */
const USUAL: Readonly<Record<Surface, Capability>> = {
  library: 'agent',
  cli: 'owner',
  mcp: 'agent',
  dashboard: 'owner',
}

/** The facts that a surface knows of a caller it accepts. */
interface Accepted {
  /** As the caller calls itself; it stands behind the surface's name and can pass for no other surface. */
  readonly name?: CallerName | undefined
  readonly as?: Capability | undefined
  readonly scope?: string | undefined
}

/**
 * A caller as a surface accepts it. Callers of different surfaces, names or capabilities have different actors:
 * `mcp:claude`, `mcp:claude as owner`, `cli`, `library:importer`.
 */
export function acceptCaller(surface: Surface, { name, as, scope }: Accepted = {}): Principal {
  const capability = as ?? USUAL[surface]
  const actor = name === undefined || name === '' ? surface : `${surface}:${name}`
  return Object.freeze({
    actor: capability === USUAL[surface] ? actor : `${actor} as ${capability}`,
    capability,
    ...(scope === undefined ? {} : { scope }),
  })
}

/** Returns what a caller was, by the name under which the log has it. */
export function capabilityOf(actor: string): Capability {
  const [, said] = / as (owner|agent|reader)$/.exec(actor) ?? []
  const surface = surfaceOf({ actor })
  return CAPABILITIES.find((each) => each === said) ?? USUAL[surface as Surface] ?? 'agent'
}

/** Returns the surface a caller came through, for wording alone. */
export function surfaceOf({ actor }: Pick<Principal, 'actor'>): string {
  return actor.split(/[: ]/, 1)[0] ?? actor
}

/** Returns what a caller is to be, as somebody wrote it; throws `INVALID_INPUT` when it is none of the three. */
export function capabilityFrom(given: unknown): Capability {
  const known = CAPABILITIES.find((each) => each === given)
  if (known !== undefined) return known
  throw new ElfmemError('INVALID_INPUT', 'A caller is an owner, an agent or a reader.', {
    recovery: 'Say as: owner, agent or reader; leave it out for what is usual.',
    details: { given: String(given) },
  })
}
