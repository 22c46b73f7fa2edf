import * as z from 'zod'

/** Shares, weights, cosines: 0 to 1. */
export const unit = z.number().min(0).max(1)
/** Whole numbers from 0. */
export const count = z.number().int().min(0)
/** Any number above 0. */
export const positive = z.number().positive()

/** The facts that every setting states beside its range and default. */
export interface SettingFacts {
  /** Unit of the value, for example `blocks`, `hours`, `cosine`. */
  readonly unit: string
  /** Why the default is what it is. */
  readonly reason: string
  /**
   * Allows a project's config file to set it: to `any` value, or only to a `lower` one than would hold without the
   * file. Absent: it may not. Only what cannot hurt whoever works in a project of somebody else has this mark.
   */
  readonly project?: 'any' | 'lower'
}

/**
 * Declares one tunable: its type and range come from the schema, its default is given once, and unit and reason
 * go into `elfmem config` and docs/configuration.md.
 */
export function setting<T extends z.ZodType>(
  schema: T,
  fallback: z.output<T>,
  { reason, ...facts }: SettingFacts,
): z.ZodDefault<T> {
  // The cast is zod's own: a default must be a value the schema could have produced, which the type of `fallback` says.
  return schema
    .default(fallback as never)
    .meta({ ...facts, description: reason }) as unknown as z.ZodDefault<T>
}

/** Marks each setting of a group as one that a project's config file may set; what `project` means, `SettingFacts` says. */
export function setByProjects<T extends Readonly<Record<string, z.ZodType>>>(
  project: NonNullable<SettingFacts['project']>,
  group: T,
): T {
  for (const each of Object.values(group)) z.globalRegistry.add(each, { ...each.meta(), project })
  return group
}
