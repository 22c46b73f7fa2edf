/** The part of the configuration of a run that names whose run it is. */
export interface Configurable {
  readonly thread_id?: string | undefined
  readonly user_id?: unknown
}

/**
 * Returns the scope of a run: the given one; else, in a memory that has none, the user that the run names as
 * `configurable.user_id`, so that users who share a memory do not see what others said.
 */
export function scopeOf(
  { scope: bound }: { readonly scope?: string | undefined },
  given: string | undefined,
  { user_id: user }: Configurable = {},
): string | undefined {
  return given ?? (bound === undefined && typeof user === 'string' && user !== '' ? user : undefined)
}
