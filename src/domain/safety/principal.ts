/** What a caller may do, the most first: everything; everything but what is the owner's; look. */
export const CAPABILITIES = ['owner', 'agent', 'reader'] as const
export type Capability = (typeof CAPABILITIES)[number]

/** Somebody who calls. A surface makes it once, where it accepts a caller, and it travels with every call. */
export interface Principal {
  /** The name in the log: the surface and, after a colon, the name the caller gave itself. */
  readonly actor: string
  readonly capability: Capability
  /** The scope the caller may not leave by any argument; absent: it sees the whole store. */
  readonly scope?: string
}

/** True if a caller has at least the capability that is needed. */
export function mayDo({ capability }: Pick<Principal, 'capability'>, needed: Capability): boolean {
  return CAPABILITIES.indexOf(capability) <= CAPABILITIES.indexOf(needed)
}

/** The caller with no more than somebody else has through whom it calls. */
export function atMost(caller: Principal, through: Principal): Principal {
  const scope = caller.scope ?? through.scope
  return {
    actor: caller.actor,
    capability: mayDo(caller, through.capability) ? through.capability : caller.capability,
    ...(scope === undefined ? {} : { scope }),
  }
}

/** How the owner does on the command line what was refused to others. */
export interface OwnersWay {
  /** Does exactly what was asked when it is pasted; absent if no line of a reasonable length does. */
  readonly command?: string
  /** The command without arguments: `elfmem remember`. */
  readonly named: string
  /** The names of the arguments that it needs, as a command line has them. */
  readonly needs: readonly string[]
}
